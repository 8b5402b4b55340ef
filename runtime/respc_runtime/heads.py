"""Looking for all delimiters of a state at once, by the text that each begins with: its head."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, TypeAlias

from respc_runtime.delimiters import NOTHING, Action, Wake, beginnings
from respc_runtime.seeking import (
    BLANKS,
    BLANKS_END,
    MATCH,
    MISMATCH,
    Found,
    Matcher,
    Seeker,
    Seen,
    earliest,
    run_before,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

Head: TypeAlias = tuple[Action, Matcher | None, bool, bool]
"""``(action, matcher, after_blanks, waits)`` of a delimiter.

What it does; what matches it where its head stands, None if the head is all of it; whether blanks before it belong to
it; whether it waits where it ends with the text.
"""


class Heads:
    """The heads of a state, none of which occurs inside another.

    Args:
        table: what is known of each.
        hidden: those that are never held back half written, because their pattern matches at the end of any text too.
        matches_end: whether there is such a pattern,
        before_newline: and whether it matches before a newline at the end as well.
    """

    __slots__ = ("after_blanks", "before_newline", "begun", "matches_end", "search", "table")

    def __init__(
        self,
        table: Mapping[str, Head],
        hidden: Collection[str] = (),
        *,
        matches_end: bool = False,
        before_newline: bool = False,
    ) -> None:
        self.table: Final = table
        self.search: Final = re.compile("|".join(map(re.escape, table))).search
        shown = [head for head in table if head not in hidden]
        self.begun: Final = [
            (first, max(map(len, heads)) - 1, beginnings(*heads))
            for first in dict.fromkeys(head[0] for head in shown)
            if (heads := [head for head in shown if head[0] == first])
        ]
        preceded = [head for head in shown if table[head][2]]
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
    match = heads.search(text, pos)
    while match is not None:
        start, end = match.span()
        action, matcher, after_blanks, waits = heads.table[match[0]]
        groups = None
        if matcher is not None:
            after = end
            outcome, end, groups, _ = matcher(text, start)
            if outcome == MISMATCH and end <= after:
                match = heads.search(text, start + 1)
                continue
            if outcome != MATCH:
                return earliest(text, pos, at_end, seen, seekers)
        if waits and end == len(text) and not at_end:
            return earliest(text, pos, at_end, seen, seekers)
        if after_blanks:
            start = run_before(text, pos, start, BLANKS, "")
        return action, start, end, groups, None
    if not at_end:
        hold, wake = held_by_heads(text, pos, heads)
        return NOTHING, hold, hold, None, wake
    if heads.matches_end:
        return earliest(text, pos, at_end, seen, seekers)
    edge = len(text)
    return NOTHING, edge, edge, None, None


def held_by_heads(text: str, pos: int, heads: Heads) -> tuple[int, Wake | None]:
    """Find from where text that has no whole head must be held back, and when to look at it again."""
    edge = hold = len(text)
    for first, longest, begun in heads.begun:
        start = text.find(first, pos if longest >= edge - pos else edge - longest)
        while 0 <= start < hold:
            if text[start:] in begun:
                hold = start
                break
            start = text.find(first, start + 1)
    if heads.after_blanks and hold > pos and text[hold - 1] in BLANKS and text[hold:] in heads.after_blanks:
        wake = BLANKS_END if hold == edge else None
        return pos + len(text[pos:hold].rstrip(BLANKS)), wake
    if heads.before_newline and hold == edge > pos and text[-1] == "\n":
        return edge - 1, None
    return hold, None
