"""Seeking a delimiter that has several ways to match, in one go through the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from respc_runtime.delimiters import Groups, Wake, held_from
from respc_runtime.seeking import MATCH, NOWHERE, PENDING, Awaited, Matcher, Memo, Sought, either, run_before

if TYPE_CHECKING:
    from collections.abc import Iterator

Way: TypeAlias = tuple[int, str, Matcher, str, str, Wake | None]
"""``(rank, head, matcher, before, before_all_but, before_wake)``: one way to match, as `seek_steps` takes it.

Of two matches that start at one place, the one of the lower rank counts.
"""

Other: TypeAlias = tuple[int, Sought]
"""The rank of a way that can begin at one place only, and what it found there."""

NO_HEAD: Final = re.compile("(?!)")
"""Finds nothing: no alternative begins with a text."""

Begun: TypeAlias = tuple[int, list[Wake | None]]
"""The first place where a way ran out of text, and what would let it go on there or later."""


def seek_ways(
    text: str,
    pos: int,
    at_end: bool,
    heads: re.Pattern[str],
    ways: tuple[Way, ...],
    others: tuple[Other, ...] = (),
    memo: Memo | None = None,
) -> Sought:
    """Seek a pattern with several alternatives, not yet `settled`: the first match, or else the first partial one.

    A whole match of any alternative counts even if it begins after a partial one of another.

    Args:
        text: all that is known.
        pos: where to look from.
        at_end: whether the text is complete.
        heads: finds every place where a head stands.
        ways: the alternatives that begin with a text, in order of preference.
        others: the alternatives that do not.
        memo: what matchers found in this text before, at lower places.
    """
    edge = len(text)
    rank, best = min(others, key=preference, default=(0, (NOWHERE, edge, None, edge, None)))
    last = NOWHERE if best[0] == NOWHERE else last_head(text, best[0], ways)
    tries = [(pos, NOWHERE)] * len(ways)  # from where on, and up to where, a way is worth trying
    begun: list[Begun] = [(NOWHERE, []) for _ in ways]
    memo = {} if memo is None else memo
    match = heads.search(text, pos)
    while match is not None and (place := match.start()) <= last:
        for number, (own_rank, head, matcher, before, all_but, _) in enumerate(ways):
            first, reach = tries[number]
            if not first <= place < reach or not text.startswith(head, place):
                continue
            outcome, end, groups, wake = matcher(text, place, memo)
            if outcome == MATCH:
                start = run_before(text, pos, place, before, all_but)
                if (start, own_rank) < (best[0], rank):
                    rank, best = own_rank, (start, end, groups, edge, wake)
                    last = max(place, last_head(text, start, ways))
            elif outcome == PENDING:
                begun[number] = with_wake(begun[number], place, wake)
                tries[number] = place + 1, min(reach, end)
            else:
                tries[number] = end, reach
        nearest = min([first for first, reach in tries if place + 1 < reach], default=NOWHERE)
        match = heads.search(text, max(place + 1, nearest))
    if best[0] == NOWHERE and not at_end:
        return held_by_ways(text, pos, heads, ways, begun, others)
    start, end, groups, hold, wake = best
    if end == edge and start != NOWHERE and not at_end:
        wake = either([wake, *rivals(text, pos, start, ways, begun, others)])
    return start, end, groups, hold, wake


def rivals(
    text: str,
    pos: int,
    start: int,
    ways: tuple[Way, ...],
    begun: list[Begun],
    others: tuple[Other, ...],
) -> list[Wake | None]:
    """List what would let other alternatives go on that could take the place of a match that ends with the text."""
    held = [held_by_way(text, pos, way, each) for way, each in zip(ways, begun, strict=True)]
    return [wake for hold, wake in [*held, *[sought[3:] for _, sought in others]] if hold <= start]


def found_tags_by_ways(text: str, heads: re.Pattern[str], ways: tuple[Way, ...]) -> Iterator[Groups]:
    """Iterate over the tags of a body that can be written in several ways.

    Args:
        text: the body.
        heads: finds every place where a head stands.
        ways: the ways, in order of preference.
    """
    memo: Memo = {}
    end = 0
    while True:
        start, end, groups, _, _ = seek_ways(text, end, True, heads, ways, memo=memo)
        if start == NOWHERE or groups is None:
            return
        yield groups


def preference(other: Other) -> tuple[int, int]:
    """Order matches by their start, then by rank."""
    rank, sought = other
    return sought[0], rank


def last_head(text: str, start: int, ways: tuple[Way, ...]) -> int:
    """Find the last place where the head of a match can stand that does not start after a place."""
    return max([start, *[run_after(text, start, before, all_but) for _, _, _, before, all_but, _ in ways]])


def run_after(text: str, place: int, members: str, all_but: str) -> int:
    """Go on from a place over characters of a class."""
    if all_but:
        return min([found for other in all_but if (found := text.find(other, place)) >= 0], default=len(text))
    while place < len(text) and text[place] in members:
        place += 1
    return place


def with_wake(begun: Begun, place: int, wake: Wake | None) -> Begun:
    """Add that a way ran out of text at a place."""
    first, wakes = begun
    if wake not in wakes:
        wakes.append(wake)
    return min(first, place), wakes


def held_by_ways(
    text: str,
    pos: int,
    heads: re.Pattern[str],
    ways: tuple[Way, ...],
    begun: list[Begun],
    others: tuple[Other, ...],
) -> Sought:
    """Find from where text must be held back in which no alternative is whole, and when to look at it again."""
    edge = len(text)
    held = [held_by_way(text, pos, way, each) for way, each in zip(ways, begun, strict=True)]
    hold, wake = min([*held, *[sought[3:] for _, sought in others]], key=hold_of)
    if wake is None or hold == edge:
        return NOWHERE, edge, None, hold, None
    own = either(list(dict.fromkeys([wake, *[sought[4] for _, sought in others if sought[3] < edge]])))
    rest: list[Way] = []
    rest_from = edge
    for way, (own_hold, own_wake), (first, _) in zip(ways, held, begun, strict=True):
        # What the text waits for may well be the first thing to come of another way to match.
        idle = first == NOWHERE and (own_hold == edge or own_wake is not None)
        if own_wake is not wake and not (idle and wake[0](way[1][0]) is not None):
            rest.append(way)
            rest_from = min(rest_from, own_hold)
    if not rest or own is None:
        return NOWHERE, edge, None, hold, own
    return NOWHERE, edge, None, hold, (Elsewhere(own, text, rest_from, heads, tuple(rest)).search, 0)


def hold_of(held: tuple[int, Wake | None]) -> int:
    """Order what is held back by its start."""
    return held[0]


def held_by_way(text: str, pos: int, way: Way, begun: Begun) -> tuple[int, Wake | None]:
    """Find from where one alternative holds text back, and when to look at it again."""
    _, head, _, before, all_but, before_wake = way
    first, wakes = begun
    if wakes:
        return run_before(text, pos, first, before, all_but), either(wakes)
    place = held_from(text, pos, head)
    return run_before(text, pos, place, before, all_but), before_wake if place == len(text) else None


class Elsewhere:
    """Wakes held text when what holds it back can go on, or when another alternative is whole further on.

    It is a stream of its own for those alternatives, so that held text is not searched again for each beginning of
    one. It must see each piece of new text once.

    Args:
        wake: when what holds the text back can go on.
        text: all that is known.
        start: from where on the other alternatives may have begun.
        heads: finds their heads, and may find more.
        ways: the other alternatives.
    """

    def __init__(
        self, wake: Wake, text: str, start: int, heads: re.Pattern[str], ways: tuple[Way, ...]
    ) -> None:
        self.awaited = Awaited(wake, text)
        self.heads = heads
        self.ways = ways
        self.held = text[start:]
        self.inner: Awaited | None = None
        self.waiting: list[str] = []

    def search(self, new: str) -> bool | None:
        """Look at new text: true to wake, else None."""
        if self.awaited.comes_with(new):
            return True
        if self.inner is not None and not self.inner.comes_with(new):
            self.waiting.append(new)
            return None
        text = "".join((self.held, *self.waiting, new))
        start, _, _, hold, wake = seek_ways(text, 0, False, self.heads, self.ways)
        if start != NOWHERE:
            return True
        self.held = text[hold:]
        self.inner = None if wake is None else Awaited(wake, text)
        self.waiting.clear()
        return None
