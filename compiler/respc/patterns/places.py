"""Where in a pattern something stands, as far as its tokens show it; None stands for the pattern as a whole."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

from respc.patterns.tokens import Kind, Token, group_end, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Place: TypeAlias = "tuple[int, int] | None"
"""The characters of a pattern from one up to another."""

WORD_EDGES: Final = (r"\b", r"\B", r"\m", r"\M")
_ENDS: Final = ("$", r"\Z", r"\z")
_ANY: Final = (".", r"[\s\S]", r"[\S\s]", r"[\w\W]", r"[\W\w]", r"[\d\D]", r"[\D\d]")


def place_of(pattern: str, wanted: Callable[[Token], bool]) -> Place:
    """Find the first token that is wanted."""
    return next(((token.start, token.end) for token in tokens_of(pattern) if wanted(token)), None)


def place_of_text(pattern: str, texts: Collection[str]) -> Place:
    """Find the first token with one of some texts."""
    return place_of(pattern, lambda token: token.text in texts)


def end_alternative(pattern: str) -> Place:
    """Find the alternative that is the end of the text, with its bar, where it comes last: ``|$``."""
    tokens = tokens_of(pattern)
    for number, bar in enumerate(tokens):
        after = tokens[number + 1 : number + 3]
        if bar.kind is not Kind.BAR or not after or after[0].text not in _ENDS:
            continue
        if len(after) == 1 or after[1].kind is Kind.CLOSE:
            return bar.start, after[0].end
    return None


def beginning(pattern: str) -> Place:
    """Find what a pattern begins with: a group or a token, with how often it may come."""
    tokens = tokens_of(pattern)
    if not tokens:
        return None
    last = group_end(tokens, 0) if tokens[0].kind is Kind.OPEN else 0
    if last + 1 < len(tokens) and tokens[last + 1].kind is Kind.REPEAT:
        last += 1
    return 0, tokens[last].end


def last_repeated_group(pattern: str) -> Place:
    """Find the last group that is optional or repeated, with how often."""
    tokens = tokens_of(pattern)
    found: Place = None
    for number, token in enumerate(tokens):
        if token.kind is Kind.OPEN:
            last = group_end(tokens, number) + 1
            if last < len(tokens) and tokens[last].kind is Kind.REPEAT:
                found = token.start, tokens[last].end
    return found


def gaps(pattern: str) -> tuple[tuple[int, int], ...]:
    """Find the runs of any characters without bound."""
    return tuple(
        (one.start, two.end)
        for one, two in pairwise(tokens_of(pattern))
        if one.text in _ANY and two.text.startswith(("*", "+"))
    )


def last_gap(pattern: str, place: tuple[int, int]) -> Place:
    """Find the run of any characters that an alternative of a pattern ends with, at most in groups."""
    start, end = place
    return next(
        (
            (first, last)
            for first, last in reversed(gaps(pattern))
            if start <= first and last <= end and not pattern[last:end].strip(")")
        ),
        None,
    )


def alternative(pattern: str, number: int, count: int) -> Place:
    """Find an alternative by its number, where a pattern is a choice of just so many."""
    bars = [token.start for token in tokens_of(pattern) if token.kind is Kind.BAR and token.depth == 0]
    edges = [-1, *bars, len(pattern)]
    return (edges[number] + 1, edges[number + 1]) if len(edges) - 1 == count else None
