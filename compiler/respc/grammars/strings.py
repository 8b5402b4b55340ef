"""Strings, as grammars: what may be in them, and how long they are."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.errors import GrammarError
from respc.grammars.nodes import Characters, FreeText, Literal, Node, Repeat, choice, sequence
from respc.grammars.patterned import patterned_string
from respc.grammars.schema_reading import NOTES, length_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.grammars.nodes import Letters
    from respc.grammars.spelling import ValueStyle

_CACHED: Final = 1_024
CONTROLS: Final = ("\0", "\x1f")
SHORT_ESCAPES: Final = '"\\/bfnrt'
_HEX: Final = Characters((("0", "9"), ("A", "F"), ("a", "f")))
UNICODE_ESCAPE: Final = choice(
    sequence(Characters((("0", "9"), ("A", "C"), ("E", "F"), ("a", "c"), ("e", "f"))), Repeat(_HEX, 3, 3)),
    sequence(Characters((("D", "D"), ("d", "d"))), Characters((("0", "7"),)), Repeat(_HEX, 2, 2)),
)
"""The digits of an escape of a character that is no half of one."""


def quoted_string(schema: dict[str, Any], path: str, style: ValueStyle, without: tuple[str, ...]) -> Node:
    """Write the strings that a schema allows, with their quotes."""
    letters: Letters = "escaped" if style.escapes else "any"
    return choice(
        *(
            sequence(Literal(opens), string_until(schema, path, letters, closes, without))
            for opens, closes in (style.quotes, *((('"', '"'),) if style.either_quotes else ()))
        )
    )


def raw_string(schema: dict[str, Any], path: str, end: str, without: tuple[str, ...], not_first: str) -> Node:
    """Write the strings that a schema allows, as they are, and what ends them.

    Args:
        schema: the schema.
        path: where it is.
        end: what ends the string.
        without: what may not begin in it.
        not_first: characters that it may not begin with.
    """
    return (
        _any_raw_string(end, without, not_first)
        if NOTES.issuperset(schema)
        else _raw_string(schema, path, end, without, not_first)
    )


@lru_cache(maxsize=_CACHED)
def _any_raw_string(end: str, without: tuple[str, ...], not_first: str) -> Node:
    return _raw_string({}, "", end, without, not_first)


def _raw_string(
    schema: dict[str, Any], path: str, end: str, without: tuple[str, ...], not_first: str
) -> Node:
    if schema.get("pattern"):
        return string_until(schema, path, "any", end, (*without, *not_first))
    whole = string_until(schema, path, "any", end, without)
    marks = {text[0] for text in (*without, end)}
    if not not_first or (marks.issuperset(not_first) and not isinstance(whole, FreeText)):
        return whole  # a string whose length is bounded has no marks at all
    if not isinstance(whole, FreeText):
        reason = f"strings whose length is bounded cannot be kept from beginning with one of {not_first}"
        raise GrammarError("grammar-schema", reason, path)
    begun = Characters(tuple((each, each) for each in sorted(marks.union(not_first))), negated=True)
    return choice(Literal(end), sequence(begun, whole))


def string_until(
    schema: dict[str, Any], path: str, letters: Letters, end: str, without: tuple[str, ...]
) -> Node:
    """Write the strings that a schema allows, and what ends them."""
    if schema.get("pattern"):
        if schema.get("minLength") or schema.get("maxLength") is not None:
            reason = "a `pattern` beside a length cannot be held to: say the length in the pattern"
            raise GrammarError("grammar-schema", reason, f"{path}/pattern")
        return patterned_string(schema["pattern"], path, letters, end, without)
    least, most = length_of(schema, "minLength", path) or 0, length_of(schema, "maxLength", path)
    if not least and most is None:
        return FreeText(letters, end, without)
    letter = _letter(letters, end, without)
    if most is None:
        return sequence(Repeat(letter, least, least), FreeText(letters, end, without))
    if most < least:
        raise GrammarError("grammar-schema", "no string is so long and so short", path)
    return sequence(Repeat(letter, least, most), Literal(end))


def has_any(text: str, parts: Iterable[str]) -> bool:
    """Tell whether one of some texts is in a text."""
    for part in parts:  # noqa: SIM110 - half of the time, and each constant is asked
        if part in text:
            return True
    return False


def _letter(letters: Letters, end: str, without: tuple[str, ...]) -> Node:
    """Write one character, but for those that what has to be left out begins with: its number can be counted then."""
    excluded = {text[0] for text in (*without, end)}
    if letters == "any":
        return Characters(tuple((each, each) for each in sorted(excluded)), negated=True)
    excluded |= {'"', "\\"} if end == '"' else {end, "\\"}
    ranges = (CONTROLS, *((each, each) for each in sorted(excluded) if each > CONTROLS[1]))
    plain = Characters(ranges, negated=True)
    short = Characters(
        tuple((each, each) for each in sorted(SHORT_ESCAPES) if each not in excluded - {'"', "\\"})
    )
    return choice(plain, sequence(Literal("\\"), short))
