"""How messages show what comes from outside: on one line, without control characters, not too long."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

QUOTED_LENGTH: Final = 60


_STEERING: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|\r(?!\n)"  # control characters, but for those that end lines, and tabs
    "|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # what turns text around
    "|[\u00ad\u180e\u200b\u2028\u2029\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]"  # what nobody sees
    "|[\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f\ud800-\udfff]"
)
"""All that could steer a terminal or hide text in it; what joins letters and emoji is part of how people write."""


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


def without_steering(text: str) -> str:
    r"""Return a document with the characters that could steer a terminal written as JSON does: `\u009b`.

    In JSON that is the same document. Unlike `visible` it keeps lines and all blanks.
    """
    return _STEERING.sub(lambda match: json.dumps(match[0])[1:-1], text)


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
