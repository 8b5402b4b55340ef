"""Looking for all delimiters of a state at once, by the text that each begins with: its head."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from respc_runtime.delimiters import LONG_HELD, NOTHING, UNDECIDED, Action, beginnings, held_from_any
from respc_runtime.seeking import (
    BLANKS,
    BLANKS_END,
    MATCH,
    MISMATCH,
    PENDING,
    Found,
    Matcher,
    Memo,
    Seeker,
    Seen,
    earliest,
    run_before,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Head: TypeAlias = tuple[Action, tuple[Matcher, ...], bool, bool]
"""``(action, matchers, after_blanks, waits)`` of a delimiter.

What it does; what matches it where its head stands, in order of preference, nothing if the head is all of it; whether
blanks before it belong to it; whether it waits where it ends with the text.
"""


class Heads:
    """The heads of a state, none of which occurs inside another.

    Args:
        table: what is known of each.
        hidden: those that are never held back half written, because their pattern matches at the end of any text too.
        matches_end: whether there is such a pattern,
        before_newline: and whether it matches before a newline at the end as well.
    """

    __slots__ = (
        "after_blanks",
        "before_newline",
        "begun",
        "first",
        "hidden",
        "matches_end",
        "search",
        "shown",
        "table",
    )

    def __init__(
        self,
        table: Mapping[str, Head],
        hidden: Iterable[str] = (),
        *,
        matches_end: bool = False,
        before_newline: bool = False,
    ) -> None:
        self.table: Final = table
        self.search: Final = re.compile("|".join(map(re.escape, table))).search
        first = {head[0] for head in table}
        self.first: Final = first.pop() if len(first) == 1 else ""
        """The character that every head begins with, if it is the same."""
        self.hidden: Final = frozenset(hidden)
        self.shown: Final = tuple(head for head in table if head not in self.hidden)
        self.begun: Final = beginnings(*self.shown)
        preceded = [head for head in self.shown if table[head][2]]
        self.after_blanks: Final = beginnings(*preceded) | {""} if preceded else frozenset[str]()
        self.matches_end: Final = matches_end
        self.before_newline: Final = before_newline


def find_by_head(
    text: str,
    pos: int,
    at_end: bool,
    seen: Seen,
    heads: Heads,
    seekers: tuple[tuple[Seeker, Action, bool], ...],
) -> Found:
    """Find what `earliest` would, with one search where that is sure.

    At the first head that begins a whole delimiter, no other can begin before it. Where text runs out inside one, the
    seekers decide; and from then on, since they remember what they saw.

    Args:
        text: all that is known.
        pos: where to look from.
        at_end: whether the text is complete.
        seen: what the seekers found in this text before.
        heads: what the delimiters begin with.
        seekers: as for `earliest`.
    """
    if seen:
        return earliest(text, pos, at_end, seen, seekers)
    match = None if heads.first not in text else heads.search(text, pos)
    memo: Memo | None = None
    while match is not None:
        start, end = match.span()
        head = match[0]
        action, matchers, after_blanks, waits = heads.table[head]
        outcome, groups, wake = MATCH, None, None
        retry = start + 1
        rival = False
        memo = {} if memo is None and matchers else memo
        for matcher in matchers:
            found, place, groups, wake = matcher(text, start, memo)
            if found == MATCH:
                # If it ends with the text, what is preferred can still take its place.
                rival = outcome == PENDING
                outcome, end = MATCH, place
                break
            if found == PENDING or outcome == MATCH:
                outcome = found
            retry = max(retry, place)
        if outcome == MISMATCH:
            if retry > end:
                return earliest(text, pos, at_end, seen, seekers)
            match = heads.search(text, start + 1)
            continue
        if outcome == PENDING:
            # Text ran out. Only where a head comes later, or much is held back, there is more to know.
            short = not at_end and len(text) - start < LONG_HELD
            if not short or head in heads.hidden or heads.search(text, start + 1) is not None:
                return earliest(text, pos, at_end, seen, seekers)
            wake = None
        if rival and end == len(text) and not at_end:
            return earliest(text, pos, at_end, seen, seekers)
        if after_blanks:
            start = run_before(text, pos, start, BLANKS, "")
        if outcome == PENDING or (waits and end == len(text) and not at_end):
            return NOTHING, start, start, None, wake
        return action, start, end, groups, None
    return without_head(text, pos, at_end, seen, heads, seekers)


def without_head(
    text: str,
    pos: int,
    at_end: bool,
    seen: Seen,
    heads: Heads,
    seekers: tuple[tuple[Seeker, Action, bool], ...],
) -> Found:
    """Answer for text in which no head begins a delimiter; arguments as of `find_by_head`."""
    if not at_end:
        return held_by_heads(text, pos, heads)
    if heads.matches_end:
        return earliest(text, pos, at_end, seen, seekers)
    edge = len(text)
    return NOTHING, edge, edge, None, None


def held_by_heads(text: str, pos: int, heads: Heads) -> Found:
    """Hold back the end of text that has no whole head."""
    edge = len(text)
    hold = held_from_any(text, pos, heads.shown)
    if hold > pos and text[hold - 1] in BLANKS and text[hold:] in heads.after_blanks:
        return held_after_blanks(text, pos, hold)
    if heads.before_newline and hold == edge > pos and text[-1] == "\n":
        hold -= 1
    return NOTHING, hold, hold, None, None


def before_blanks(text: str, end: int) -> int:
    """Give the place before the blanks that end at a place, if they are not many; else `UNDECIDED`."""
    start = len(text[:end].rstrip(BLANKS))
    return start if end - start < LONG_HELD else UNDECIDED


def held_after_blanks(text: str, pos: int, hold: int) -> Found:
    """Hold back the blanks before a place as well."""
    wake = BLANKS_END if hold == len(text) else None
    hold = pos + len(text[pos:hold].rstrip(BLANKS))
    return NOTHING, hold, hold, None, wake
