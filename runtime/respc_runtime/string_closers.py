"""Closers inside the strings of a body, which may be a part of it and end nothing."""

from __future__ import annotations

from typing import Final, TypeAlias

from respc_runtime.late_expressions import LateExpression

Quotes: TypeAlias = tuple[tuple[str, str], ...]
"""The marks before and after a string, in pairs; `JSON_QUOTES`, with their escapes, or a dialect's."""

QuotesOfFields: TypeAlias = "dict[str, Quotes]"
"""The marks around the strings in the bodies of fields."""

JSON_QUOTE: Final = '"'
JSON_QUOTES: Final = ((JSON_QUOTE, JSON_QUOTE),)

_CONTROL: Final = LateExpression(r"[\x00-\x1f]")


def inside_string(text: str, quotes: Quotes) -> bool:
    """Tell whether text that begins outside of all strings ends inside of one that is not broken."""
    for opening, closing in quotes:
        if opening == JSON_QUOTE:
            # Without the escaped backslashes, a backslash before a quotation mark escapes that.
            plain = text.replace("\\\\", "") if "\\\\" in text else text
            if (plain.count(JSON_QUOTE) - plain.count('\\"')) % 2:
                # No string of JSON goes on over the end of its line: one that does lacks its end.
                begun = plain.replace('\\"', "").rpartition(JSON_QUOTE)[2]
                return _CONTROL.made.search(begun) is None
        elif opening == closing:
            if text.count(opening) % 2:
                return True
        elif text.rfind(opening) > text.rfind(closing):
            return True
    return False
