"""How messages show what comes from outside: on one line, without control characters, not too long."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

QUOTED_LENGTH: Final = 60


def quoted(value: object, limit: int = QUOTED_LENGTH) -> str:
    """Return a string, or anything else by its ``repr``, in backquotes, visible and not too long."""
    text = value if isinstance(value, str) else repr(value)
    if len(text) > limit:
        half = (limit - 3) // 2
        text = f"{text[:half]}...{text[-half:]}"
    return f"`{visible(text)}`"


def visible(text: str, encoding: str = "utf-8") -> str:
    """Return the text with everything that would not show, or not encode, written as an escape.

    Control characters, invisible ones, odd blanks and lone surrogates would move the cursor, hide text or
    turn it around in a terminal.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(visible_character(character, encoding) for character in text)


def visible_character(character: str, encoding: str = "utf-8") -> str:
    """Return one character as itself if it shows in a terminal of this encoding, else as an escape."""
    if character.isprintable():
        try:
            character.encode(encoding)
        except (UnicodeEncodeError, LookupError):
            return _escape(character)
        return character
    return _escape(character)


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def member(key: str, value: object) -> str:
    """Write a member of an object as it stands in a template."""
    return f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"


def listed(words: Collection[str]) -> str:
    """List words for a message."""
    return ", ".join(f"`{word}`" for word in words)
