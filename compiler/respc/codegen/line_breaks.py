"""Where a long regular expression is broken into lines: at its alternatives, if it can be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = re.compile(
    r"""
    (?:\\Z)?\(\?P<\w+>\)?               # a group with a name, empty or not
    | \(\?P=\w+\) | \(\?\#[^)]*\)        # what such a group took, or a comment
    | \(\?(?:[:=!~>]|<[=!])             # another group
    | \[\^?\]?(?:\\.|[^\\\]]){0,40}\][*+?]?  # a class of characters, but for a long one
    | \\(?:x..|u.{4}|U.{8}|.)[*+?]?     # an escape
    | .
    """,
    re.DOTALL | re.VERBOSE,
)

_DEEPER = 10
"""A line is so much shorter, at most, for a break that is in one group less."""

_BESIDE = {"(": 1, "[": 4, "\\": 4}
"""How bad a break is elsewhere than before an alternative, by what it stands before, as if it were deeper by that."""

_ANYWHERE = 8


def broken_lines(pattern: str, width: int) -> list[str]:
    """Break an expression into lines, which together are the expression.

    Each alternative that is a delimiter, or what has begun of one, begins a line. Others are broken in as few groups as
    lines of some length allow, and not inside a name, a class or an escape.

    Args:
        pattern: the expression.
        width: the length of the longest line, if there is a place to break it.
    """
    lines: list[str] = []
    for delimiter in _delimiters(pattern):
        while len(delimiter) > width and (place := _break(delimiter, width)):
            lines.append(delimiter[:place])
            delimiter = delimiter[place:]
        lines.append(delimiter)
    return lines


def _tokens(pattern: str) -> Iterator[tuple[int, str, int]]:
    """Give the tokens of an expression, each with its place and with how many groups are open before it."""
    depth = 0
    for match in _TOKEN.finditer(pattern):
        token = match[0]
        if token == ")":
            depth -= 1
        yield match.start(), token, depth
        if token == "(" or (token.startswith("(?") and token[-1] != ")"):
            depth += 1


def _delimiters(pattern: str) -> Iterator[str]:
    """Take an expression apart before the alternatives that come after a whole delimiter."""
    start, is_whole = 0, False
    for place, token, depth in _tokens(pattern):
        if token == "|" and not depth and is_whole:
            yield pattern[start:place]
            start, is_whole = place, False
        is_whole = is_whole or token == r"\Z" or "(?P<" in token
    yield pattern[start:]


def _break(line: str, width: int) -> int:
    """Choose the place to break a line at."""
    best, worth = 0, 0
    for place, token, depth in _tokens(line):
        if place > width:
            break
        beside = 0 if token == "|" else _BESIDE.get(token[0], _ANYWHERE)
        if place and token[0] not in "*+?{)" and (not best or place - (depth + beside) * _DEEPER > worth):
            best, worth = place, place - (depth + beside) * _DEEPER
    return best
