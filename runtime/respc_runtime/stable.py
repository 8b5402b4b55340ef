"""Seeking delimiters so that nothing depends on how the text is cut into chunks.

These are the seekers of modules compiled to be stable. They commit only what no more text can change, whatever it is:
a delimiter that could still begin earlier, grow, or fall is held back, and nothing else is. So the outcome is that of
the whole text at once. (The interpreter lets a whole match hide a partial one before it, and a shorter match one that
could still grow.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc_runtime.alternatives import last_head
from respc_runtime.delimiters import LONG_HELD, NOTHING, held_from
from respc_runtime.heads import without_head
from respc_runtime.seeking import BLANKS, MATCH, MISMATCH, NOWHERE, PENDING, earliest, run_before

if TYPE_CHECKING:
    import re

    from respc_runtime.alternatives import Other, Way
    from respc_runtime.delimiters import Action, Wake
    from respc_runtime.heads import Heads
    from respc_runtime.seeking import Found, Matcher, Memo, Seeker, Seen, Sought

GROWING: Final = 3
"""What a matcher answers for a match that ends with the text and could be longer: one only if no more text comes."""


def seek_any_stably(
    text: str, pos: int, at_end: bool, pattern: re.Pattern[str], literals: tuple[str, ...]
) -> Sought:
    """Seek the first of several texts, some of which stand inside others; at one place, in order of preference."""
    edge = len(text)
    match = pattern.search(text, pos)
    start, end = (NOWHERE, edge) if match is None else match.span()
    if at_end or edge - start >= max(map(len, literals)):
        return start, end, None, edge, None
    hold = edge
    for literal in literals:
        if match is not None and match[0] == literal:
            # Those that come after it are preferred only where they begin before it.
            start -= 1
        begun = held_from(text, pos, literal)
        if begun <= start:
            hold = min(hold, begun)
    if hold < edge or match is None:
        return NOWHERE, edge, None, hold, None
    return match.start(), end, None, edge, None


def seek_steps_stably(
    text: str,
    pos: int,
    at_end: bool,
    head: str,
    matcher: Matcher,
    *,
    before: str = "",
    before_all_but: str = "",
    before_wake: Wake | None = None,
) -> Sought:
    """Seek a pattern that begins with a text; arguments as of `seek_steps`."""
    edge = len(text)
    reach = edge
    memo: Memo = {}
    place = text.find(head, pos)
    while 0 <= place < reach:
        outcome, end, groups, wake = matcher(text, place, memo)
        if outcome == MATCH or (outcome == GROWING and at_end):
            return run_before(text, pos, place, before, before_all_but), end, groups, edge, None
        if outcome != MISMATCH:
            if not at_end:
                return NOWHERE, edge, None, run_before(text, pos, place, before, before_all_but), wake
            reach = min(reach, end)
            end = place
        place = text.find(head, max(end, place + 1))
    if at_end:
        return NOWHERE, edge, None, edge, None
    begun = held_from(text, pos, head)
    return (
        NOWHERE,
        edge,
        None,
        run_before(text, pos, begun, before, before_all_but),
        before_wake if begun == edge else None,
    )


def seek_at_start_stably(text: str, pos: int, at_end: bool, matcher: Matcher) -> Sought:
    """Seek a pattern that matches at the start of the whole text only."""
    edge = len(text)
    if pos:
        return NOWHERE, edge, None, edge, None
    outcome, end, groups, wake = matcher(text, 0)
    if outcome == MATCH or (outcome == GROWING and at_end):
        return 0, end, groups, edge, None
    return NOWHERE, edge, None, edge if at_end or outcome == MISMATCH else 0, wake


def seek_ways_stably(
    text: str,
    pos: int,
    at_end: bool,
    heads: re.Pattern[str],
    ways: tuple[Way, ...],
    others: tuple[Other, ...] = (),
) -> Sought:
    """Seek a pattern with several alternatives, in one go through the text; arguments as of `seek_ways`.

    What counts is the alternative that begins first, or is preferred at its place: if it is not decided, nothing is.
    """
    edge = len(text)
    best: Sought = (NOWHERE, edge, None, edge, None)
    rank, start = len(ways) + len(others), NOWHERE
    for own_rank, sought in others:
        own_start = sought[0] if sought[0] != NOWHERE else sought[3] if sought[3] < edge else NOWHERE
        if (own_start, own_rank) < (start, rank):
            start, rank, best = own_start, own_rank, sought
    last = NOWHERE if start == NOWHERE else last_head(text, start, ways)
    tries = [(pos, NOWHERE)] * len(ways)  # from where on, and up to where, a way is worth trying
    memo: Memo = {}
    match = heads.search(text, pos)
    while match is not None and (place := match.start()) <= last:
        for number, (own_rank, head, matcher, before, all_but, _) in enumerate(ways):
            first, reach = tries[number]
            if not first <= place < reach or not text.startswith(head, place):
                continue
            outcome, end, groups, wake = matcher(text, place, memo)
            if outcome == MISMATCH:
                tries[number] = end, reach
                continue
            if outcome == PENDING and at_end:
                tries[number] = place + 1, min(reach, end)
                continue
            own_start = run_before(text, pos, place, before, all_but)
            if (own_start, own_rank) < (start, rank):
                start, rank = own_start, own_rank
                last = max(place, last_head(text, start, ways))
                whole = outcome == MATCH or at_end
                best = (start, end, groups, edge, None) if whole else (NOWHERE, edge, None, start, wake)
        nearest = min([first for first, reach in tries if place + 1 < reach], default=NOWHERE)
        match = heads.search(text, max(place + 1, nearest))
    if at_end:
        return best
    for own_rank, head, _, before, all_but, before_wake in ways:
        begun = held_from(text, pos, head)
        own_start = run_before(text, pos, begun, before, all_but)
        if own_start < edge and (own_start, own_rank) < (start, rank):
            start, rank = own_start, own_rank
            best = NOWHERE, edge, None, start, before_wake if begun == edge else None
    return best


def or_end_stably(text: str, pos: int, at_end: bool, sought: Sought, before_newline: bool) -> Sought:
    r"""Let a pattern also match at the end of the text: ``\Z``, or (``before_newline``) ``$``.

    What has begun of its other alternatives is held back: only the end can tell that it is none.
    """
    edge = len(text)
    if sought[0] != NOWHERE or not before_newline or edge <= pos or text[-1] != "\n":
        return sought
    if at_end:
        return edge - 1, edge - 1, None, edge, None
    return sought if sought[3] < edge else (NOWHERE, edge, None, edge - 1, None)


def find_by_head_stably(
    text: str,
    pos: int,
    at_end: bool,
    seen: Seen,
    heads: Heads,
    seekers: tuple[tuple[Seeker, Action, bool], ...],
) -> Found:
    """Find what `earliest` would, with one search where that is sure; arguments as of `find_by_head`.

    No delimiter begins before the first head that begins one, and none is decided before that is.
    """
    if seen:
        return earliest(text, pos, at_end, seen, seekers)
    match = None if heads.first not in text else heads.search(text, pos)
    memo: Memo = {}
    while match is not None:
        start, end = match.span()
        action, matchers, after_blanks, _ = heads.table[match[0]]
        outcome, groups, wake = MATCH, None, None
        retry = start + 1
        for matcher in matchers:
            outcome, place, groups, wake = matcher(text, start, memo)
            if outcome != MISMATCH:
                end = place
                break
            retry = max(retry, place)
        if outcome == PENDING and (at_end or len(text) - start >= LONG_HELD):
            # The seekers remember what they saw, and know what they wait for.
            return earliest(text, pos, at_end, seen, seekers)
        if outcome == MISMATCH:
            if retry > end:
                return earliest(text, pos, at_end, seen, seekers)
            match = heads.search(text, start + 1)
            continue
        if after_blanks:
            start = run_before(text, pos, start, BLANKS, "")
        if outcome == MATCH or at_end:
            return action, start, end, groups, None
        return NOTHING, start, start, None, wake
    return without_head(text, pos, at_end, seen, heads, seekers)
