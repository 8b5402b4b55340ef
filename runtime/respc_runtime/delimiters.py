"""What delimiters do, where they may have begun, and the start anchor of a prefix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Protocol, TypeAlias

Action: TypeAlias = int
"""What a delimiter does: the number of the state that it opens, or one of the two below."""

NOTHING: Final[Action] = 0
"""No delimiter can be decided: let the text out up to ``start``, hold back the rest."""

CLOSE: Final[Action] = 1 << 30
"""End the open region. Larger than any state: at one place and of one length, openers come first."""

Groups: TypeAlias = dict[str, Any]
"""The named groups that took part in a match. Those of a tag are all there; None is for what took no part."""

Wake: TypeAlias = tuple[Callable[[str], Any], int]
"""When held text has to be looked at again: once a search finds something in new text.

The number says how many characters of the text before it the search must see too.
"""


LONG_HELD: Final = 256
"""So many characters are held back before a wake is worth its keep; shorter text is looked at with every chunk."""

LONGEST_COMPARED: Final = 1_000
"""Of a literal, how much is compared at every place where it may have begun."""


def held_from(text: str, pos: int, literal: str) -> int:
    """Find where a literal may have begun that the text does not finish.

    Args:
        text: all that is known; it does not have the whole literal from ``pos`` on.
        pos: where to look from.
        literal: the literal.

    Returns:
        The smallest offset from which the rest of the text begins the literal, or the length of the text.
    """
    edge = len(text)
    start = max(pos, edge - len(literal) + 1)
    head = literal
    if len(literal) > LONGEST_COMPARED:
        head = literal[:LONGEST_COMPARED]
        while (found := text.find(head, start)) >= 0:
            if literal.startswith(text[found:]):
                return found
            start = found + 1
        start = max(start, edge - len(head) + 1)
    first = head[0]
    while (start := text.find(first, start)) >= 0:
        if head.startswith(text[start:]):
            return start
        start += 1
    return edge


def held_from_any(text: str, pos: int, literals: tuple[str, ...]) -> int:
    """As `held_from`, for the first of some literals."""
    return min([held_from(text, pos, literal) for literal in literals], default=len(text))


UNDECIDED: Final = -1
"""In place of a place: a delimiter may be whole, so the text has to be searched."""


def undecided(text: str) -> int:
    """Tell nothing, of a state whose delimiters have to be searched in every text."""
    return UNDECIDED


def beginnings(*literals: str) -> frozenset[str]:
    """List what literals look like while they are not whole: of short ones only, since it takes their squares."""
    return frozenset(text[:length] for text in literals for length in range(1, len(text)))


def after_last(text: str, anchor: str) -> str:
    """Cut the prefix after the last occurrence of its start anchor, or keep it whole when it has none."""
    start = text.rfind(anchor)
    return text if start < 0 else text[start + len(anchor) :]


class Searchable(Protocol):
    """A compiled pattern, of `re` or of `regex`."""

    def finditer(self, text: str, /) -> Any:
        """Iterate over the matches that do not overlap."""
        ...


def after_last_match(text: str, anchor: Searchable) -> str:
    """Cut the prefix after the last match of its start anchor.

    The matches are those that do not overlap, counted from the left: the last one is not always the rightmost place
    where the anchor would match.
    """
    end = 0
    for match in anchor.finditer(text):
        end = match.end()
    return text[end:]
