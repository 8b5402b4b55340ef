"""Texts as tokens: marks, blanks, words and single characters. What formats have in common is compared by these.

Comparing characters would cut marks in two, as `<|START_` off `<|START_THINKING|>` and `<|START_RESPONSE|>`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final

import regex

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK: Final = re.compile(r"<[^<>\s][^<>\n]{0,60}>|\[/?[A-Z][A-Z_]*\]|\[e~\[|\]~[a-z]*\]")
"""What looks like a mark of a format."""
_TOKEN: Final = re.compile(rf"{MARK.pattern}|\s+|\w+|.", re.DOTALL)


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[str, ...]:
    """Take a text apart."""
    return tuple(_TOKEN.findall(text))


def marks(text: str) -> list[str]:
    """Give the marks of a text, in order."""
    return MARK.findall(text)


def common_beginning(*texts: str) -> str:
    """Give the tokens that all texts begin with."""
    rows = zip(*map(tokens, texts), strict=False)
    return "".join(row[0] for row in takewhile(lambda row: len(set(row)) == 1, rows))


def common_end(*texts: str) -> str:
    """Give the tokens that all texts end with."""
    rows = zip(*(tokens(text)[::-1] for text in texts), strict=False)
    found = [row[0] for row in takewhile(lambda row: len(set(row)) == 1, rows)]
    return "".join(reversed(found))


def escaped(text: str) -> str:
    """Write a text as a pattern of it."""
    return regex.escape(text, special_only=True, literal_spaces=True)


def lenient(text: str) -> str:
    """Write a text as a pattern that takes other blanks where it has some, and none at its ends."""
    return "".join(r"\s*" if token.isspace() else escaped(token) for token in tokens(text.strip()))


def any_of(patterns: Iterable[str]) -> str:
    """Join patterns to one that matches what one of them does."""
    listed = list(dict.fromkeys(pattern for pattern in patterns if pattern))
    return "|".join(listed)


def units(text: str) -> list[str]:
    """Take a text of marks apart: each mark with the words behind it, the first with those in front of it, too."""
    found: list[str] = []
    start = 0
    places = [match.start() for match in MARK.finditer(text)]
    for place in places[1:]:
        found.append(text[start:place].strip())
        start = place
    return [*found, text[start:].strip()] if places else []
