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


def lenient(text: str, *, blanks_between_marks: bool = True) -> str:
    """Write a text as a pattern that takes other blanks where it has some, and none at its ends.

    A space between two words is one, or lost.

    Args:
        text: the text.
        blanks_between_marks: whether blanks may stand in front of marks within it, too, where no word is in front
            of them: models write some where the chat template has none.
    """
    parts = tokens(text.strip())
    pattern = ""
    for before, part, after in zip(("", *parts), parts, (*parts[1:], ""), strict=False):
        if part == " " and before.isalnum() and after.isalnum():
            pattern += " ?"
        elif part.isspace():
            pattern += r"\s*"
        else:
            is_joined = MARK.fullmatch(part) and before and not before.isspace() and not before.isalnum()
            pattern += (r"\s*" if is_joined and blanks_between_marks else "") + escaped(part)
    return pattern


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
