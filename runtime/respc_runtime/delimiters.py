"""Finding delimiters in text that is still being written.

A finder of a compiled parser looks at the text from ``pos`` on and answers with a `Found`. Each delimiter that it watches
gives at most one `Candidate`, or a place from which text must be held back because the delimiter may begin there.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeAlias


class Match(Protocol):
    """What a parser needs of a match, of `re` or of `regex`."""

    def start(self) -> int:
        """Give the offset of the first character."""
        ...

    def end(self) -> int:
        """Give the offset after the last character."""
        ...

    def groupdict(self) -> Mapping[str, Any]:
        """Give the named groups; None for those that took no part."""
        ...


Action: TypeAlias = int
"""What a delimiter does: the number of the state that it opens, or one of the two below."""

NOTHING: Final[Action] = 0
"""No delimiter can be decided: let the text out up to ``start``, hold back the rest."""

CLOSE: Final[Action] = 1 << 30
"""End the open region. Larger than any state: at one place and of one length, openers come first."""

Candidate: TypeAlias = tuple[int, int, Action, Match | None]
"""``(start, -length, action, match)``: the smallest is the one that counts, since actions at one state are distinct."""

Found: TypeAlias = tuple[Action, int, int, Match | None]
"""``(action, start, end, match)``."""


LONGEST_TABLED: Final = 1_000
"""The longest proper prefix that goes into a table, whose size is the square of this."""


def held_from(text: str, pos: int, prefixes: frozenset[str], longest: int) -> int:
    """Find where a literal may have begun that the text does not finish.

    Args:
        text: all that is known.
        pos: where to look from.
        prefixes: what `proper_prefixes` gives for the literals.
        longest: the length of the longest proper prefix.

    Returns:
        The smallest offset from which the rest of the text begins a literal, or the length of the text.
    """
    edge = len(text)
    if longest > LONGEST_TABLED:
        return min(begun_at(text, pos, literal) for literal in prefixes)
    for start in range(max(pos, edge - longest), edge):
        if text[start:] in prefixes:
            return start
    return edge


def begun_at(text: str, pos: int, literal: str) -> int:
    """As `held_from`, for one literal that is too long for a table of its prefixes."""
    edge = len(text)
    start = max(pos, edge - len(literal) + 1)
    head = literal[:LONGEST_TABLED]
    while (found := text.find(head, start)) >= 0:
        if literal.startswith(text[found:]):
            return found
        start = found + 1
    for place in range(max(start, edge - len(head) + 1), edge):
        if head.startswith(text[place:]):
            return place
    return edge


def earliest(candidates: list[Candidate], hold: int) -> Found:
    """Choose the delimiter that counts: the first to start, then the longest, then openers, then the field's name.

    Args:
        candidates: what was found; the numbers of the states follow the names of the fields.
        hold: where a delimiter begins that is not decided yet, or the length of the text. None at or after it counts.
    """
    if candidates:
        start, shortfall, action, match = min(candidates, key=candidate_order)
        if start < hold:
            return action, start, start - shortfall, match
    return NOTHING, hold, hold, None


def candidate_order(candidate: Candidate) -> tuple[int, int, Action]:
    """Leave the match out of the comparison: matches have no order."""
    return candidate[:3]


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


def named_groups(match: Match | None) -> dict[str, str]:
    """Give the named groups of a delimiter that took part in its match."""
    if match is None:
        return {}
    return {name: value for name, value in match.groupdict().items() if value is not None}


def proper_prefixes(*literals: str) -> frozenset[str]:
    """List everything that a text can end with where one of the literals may have begun.

    For literals too long for that it is the literals themselves.
    """
    if max(map(len, literals)) > LONGEST_TABLED + 1:
        return frozenset(literals)
    return frozenset(literal[:length] for literal in literals for length in range(1, len(literal)))
