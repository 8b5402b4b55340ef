"""Seeking one delimiter in text that is still being written.

A seeker of a compiled parser looks for one delimiter from ``pos`` on, and answers with a `Sought`: a match that no
more text can change, or the place from which text must be held back because the delimiter may begin there. The rules
are the interpreter's: a whole match anywhere hides a partial one before it, and a match by a pattern waits when it ends
with the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol, TypeAlias

from respc_runtime.delimiters import NOTHING, Action, Groups, Wake, held_from, held_from_any

Sought: TypeAlias = tuple[int, int, Groups | None, int, Wake | None]
"""``(start, end, groups, hold, wake)``; without a match ``start`` is `NOWHERE`.

``hold`` is the length of the text where nothing has to be held back.
"""

Matched: TypeAlias = tuple[int, int, Groups | None, Wake | None]
"""What a matcher finds at one place: ``(outcome, place, groups, wake)``.

The place is the end of a match; where text ran out, the place from which no other attempt can do better; after a
mismatch, the first place where another attempt could.
"""

NOWHERE: Final = 1 << 62
MATCH: Final = 0
PENDING: Final = 1
MISMATCH: Final = 2

Memo: TypeAlias = dict[int, Any]
"""What the steps of matchers found last in a text, by a number for each step of a module."""


class Matcher(Protocol):
    """Matches a pattern where its head stands."""

    def __call__(self, text: str, start: int, memo: Memo | None = None, /) -> Matched:
        """Match at a place; the memo is for one text."""
        ...


Seeker: TypeAlias = Callable[[str, int, bool], Sought]
Seen: TypeAlias = dict[Seeker, Sought]
"""What seekers found in a text, for as long as the place looked from has not passed it."""

Found: TypeAlias = tuple[Action, int, int, Groups | None, Wake | None]
"""``(action, start, end, groups, wake)``."""

BLANKS: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
r"""What ``\s`` matches in the `regex` module; `str.isspace` and `re` have four more."""

BLANK_RUN: Final = re.compile(f"[{BLANKS}]*")
BLANKS_END: Final[Wake] = (re.compile(f"[^{BLANKS}]").search, 0)
"""Wakes text that is held back for its blanks."""


def earliest(
    text: str, pos: int, at_end: bool, seen: Seen, seekers: tuple[tuple[Seeker, Action, bool], ...]
) -> Found:
    """Choose the delimiter that counts: the first to start, then the longest, then openers, then the field's name.

    None counts that starts at or after a place where another may begin.

    Args:
        text: all that is known.
        pos: where to look from.
        at_end: whether the text is complete.
        seen: what was found in this text before.
        seekers: the delimiters of a state in the order that decides a tie, what each does, and whether what it found
            holds good for later places too.
    """
    hold, wake = len(text), None
    best = (NOWHERE, 0)
    chosen: Found | None = None
    for seeker, action, steady in seekers:
        sought = seen.get(seeker) if steady else None
        if sought is None or sought[0] < pos or sought[3] < pos:
            sought = seen[seeker] = seeker(text, pos, at_end)
        start, end, groups, held, waits_for = sought
        if held < hold:
            hold, wake = held, waits_for
        if start != NOWHERE and (start, start - end) < best:
            best = (start, start - end)
            chosen = action, start, end, groups, None
    if chosen is not None and chosen[1] < hold:
        return chosen
    return NOTHING, hold, hold, None, wake


def seek_literal(text: str, pos: int, at_end: bool, literal: str, waits: bool) -> Sought:
    """Seek one text; ``waits`` if it was written as a pattern."""
    edge = len(text)
    start = text.find(literal, pos)
    if start < 0:
        return NOWHERE, edge, None, edge if at_end else held_from(text, pos, literal), None
    end = start + len(literal)
    if waits and not at_end and end == edge:
        return NOWHERE, edge, None, start, None
    return start, end, None, edge, None


def seek_any(
    text: str, pos: int, at_end: bool, pattern: re.Pattern[str], literals: tuple[str, ...], waits: bool
) -> Sought:
    """Seek the first of several texts; ``waits`` if one begins with another, or they were written as a pattern."""
    edge = len(text)
    match = pattern.search(text, pos)
    if match is None:
        return NOWHERE, edge, None, edge if at_end else held_from_any(text, pos, literals), None
    start, end = match.span()
    if waits and not at_end and end == edge:
        return NOWHERE, edge, None, start, None
    return start, end, None, edge, None


def seek_steps(
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
    """Seek a pattern that begins with a text, not yet `settled`.

    Args:
        text: all that is known.
        pos: where to look from.
        at_end: whether the text is complete.
        head: the text.
        matcher: matches the whole pattern where the head stands.
        before: characters that belong to the match if they stand before the head.
        before_all_but: instead, those that do not.
        before_wake: when such characters at the end of the text have to be looked at again.
    """
    edge = len(text)
    pending = edge
    wakes: list[Wake | None] = []
    reach = edge
    memo: Memo = {}
    place = text.find(head, pos)
    while 0 <= place < reach:
        outcome, end, groups, waits_for = matcher(text, place, memo)
        if outcome == MATCH:
            # If it ends with the text, what began before it can still take its place.
            wake = either([waits_for, *wakes]) if wakes else waits_for
            return run_before(text, pos, place, before, before_all_but), end, groups, edge, wake
        if outcome == PENDING:
            pending = min(pending, place)
            if waits_for not in wakes:
                wakes.append(waits_for)
            reach = min(reach, end)
            end = place
        place = text.find(head, max(end, place + 1))
    if at_end:
        return NOWHERE, edge, None, edge, None
    wake = either(wakes) if wakes else None
    if pending == edge:
        pending = held_from(text, pos, head)
        wake = before_wake if pending == edge else None
    return NOWHERE, edge, None, run_before(text, pos, pending, before, before_all_but), wake


def seek_at_start(text: str, pos: int, at_end: bool, matcher: Matcher) -> Sought:
    """Seek a pattern that matches at the start of the whole text only, not yet `settled`."""
    edge = len(text)
    if pos:
        return NOWHERE, edge, None, edge, None
    outcome, end, groups, wake = matcher(text, 0)
    if outcome == MATCH:
        return 0, end, groups, edge, wake
    return NOWHERE, edge, None, edge if at_end or outcome == MISMATCH else 0, wake


def seek_ahead(text: str, pos: int, at_end: bool, literal: str, low: int, wake: Wake) -> Sought:
    """Seek the place right here, if a text stands ``low`` characters or more after it; not yet `settled`."""
    edge = len(text)
    if text.find(literal, pos + low) >= 0:
        return pos, pos, None, edge, None
    return NOWHERE, edge, None, edge if at_end else pos, wake


def nothing_sought(text: str) -> Sought:
    """Answer for a pattern that matches at the end of the text only, before that is `or_end`."""
    edge = len(text)
    return NOWHERE, edge, None, edge, None


NEVER: Final[Wake] = (re.compile("(?!)").search, 0)
"""Wakes text never: what holds it back goes on to the end of the stream."""


class Awaited:
    """What held text waits for. It must see each piece of new text once.

    Args:
        wake: when the text has to be looked at again.
        held: the text.
    """

    __slots__ = ("overlap", "seam", "search")

    def __init__(self, wake: Wake, held: str) -> None:
        self.search, self.overlap = wake
        self.seam = held[-self.overlap :] if self.overlap else ""

    def comes_with(self, new: str) -> bool:
        """Tell whether new text has it."""
        known = self.seam + new
        if self.search(known) is not None:
            return True
        self.seam = known[-self.overlap :] if self.overlap else ""
        return False


def either(wakes: list[Wake | None]) -> Wake | None:
    """Wake for any of some reasons; None, which is for every text, may be one of them."""
    known = [wake for wake in wakes if wake is not None]
    if len(known) < len(wakes):
        return None
    if len(known) == 1:
        return known[0]

    def search(text: str) -> bool | None:
        return any(wake[0](text) for wake in known) or None

    return search, max(wake[1] for wake in known)


def or_end(text: str, pos: int, at_end: bool, sought: Sought, before_newline: bool) -> Sought:
    r"""Let a pattern also match at the end of the text: ``\Z``, or (``before_newline``) ``$``.

    That match is whole, if not settled, so it hides what is partial.
    """
    if sought[0] != NOWHERE:
        return sought
    edge = len(text)
    if before_newline and edge > pos and text[-1] == "\n":
        if at_end:
            return edge - 1, edge - 1, None, edge, None
        return NOWHERE, edge, None, edge - 1, None
    return NOWHERE, edge, None, edge, None


def settled(text: str, at_end: bool, sought: Sought) -> Sought:
    """Let a match that ends with the text wait, since more text could change it."""
    start, end, _, _, wake = sought
    if start != NOWHERE and end == len(text) and not at_end:
        return NOWHERE, end, None, start, wake
    return sought


def found_tags(text: str, head: str, matcher: Matcher) -> Iterator[Groups]:
    """Iterate over the tags of a body.

    Args:
        text: the body.
        head: what a tag begins with.
        matcher: matches a whole tag where its head stands.
    """
    reach = len(text)
    memo: Memo = {}
    place = text.find(head)
    while 0 <= place < reach:
        outcome, end, groups, _ = matcher(text, place, memo)
        if outcome == MATCH and groups is not None:
            yield groups
        elif outcome == PENDING:
            # The text ran out from `end` on, and does so for every tag that begins after it.
            reach = min(reach, end)
            end = place
        place = text.find(head, max(end, place + 1))


def found_tags_by_run(text: str, run: Any, matcher: Matcher) -> Iterator[Groups]:
    """Iterate over the tags of a body that begin with a run of characters.

    Args:
        text: the body.
        run: finds the next run; where a tag does not begin at its start, none begins inside it.
        matcher: matches a whole tag where its run begins.
    """
    memo: Memo = {}
    place = 0
    while (begun := run.search(text, place)) is not None:
        outcome, end, groups, _ = matcher(text, begun.start(), memo)
        if outcome == MATCH and groups is not None:
            yield groups
            place = end
        else:
            place = begun.end()


def after_last_sought(text: str, seek: Seeker) -> str:
    """Cut the prefix after the last match of its start anchor, of those that do not overlap, counted from the left."""
    end = 0
    while (sought := seek(text, end, True))[0] != NOWHERE:
        end = sought[1]
    return text[end:]


def run_before(text: str, pos: int, place: int, members: str, all_but: str) -> int:
    """Go back from a place over characters of a class, not further than ``pos``."""
    if all_but:
        return max(pos, *(text.rfind(other, pos, place) + 1 for other in all_but))
    while place > pos and text[place - 1] in members:
        place -= 1
    return place


def skip_run(text: str, place: int, run: Any) -> int:
    """Give the place after a run of characters of a class; ``run`` is compiled, and matches the empty run too."""
    match = run.match(text, place)
    return place if match is None else int(match.end())


def skip_known_run(text: str, place: int, run: Any, memo: Memo | None, number: int) -> int:
    """As `skip_run`, without looking twice at a run that some attempt has passed."""
    if memo is None:
        return skip_run(text, place, run)
    begin, end = memo.get(number, (0, 0))
    if not begin <= place < end:
        end = skip_run(text, place, run)
        memo[number] = place, end
    return int(end)


def find_known(text: str, literal: str, place: int, memo: Memo | None, number: int) -> int:
    """As `str.find`, without looking twice for what some attempt has looked for."""
    if memo is None:
        return text.find(literal, place)
    begin, found = memo.get(number, (NOWHERE, 0))
    if place < begin or 0 <= found < place:
        found = text.find(literal, place)
        memo[number] = place, found
    return int(found)


def find_last_known(text: str, literal: str, place: int, end: int, memo: Memo | None, number: int) -> int:
    """As `str.rfind`, without looking twice at the part of the text before ``end``; later calls have later places."""
    if memo is None:
        return text.rfind(literal, place, end)
    known_end, found = memo.get(number, (-1, -1))
    if known_end != end:
        found = text.rfind(literal, place, end)
        memo[number] = end, found
    return int(found) if found >= place else -1


def find_echo(text: str, place: int, name: str, marks: Any, memo: Memo | None, number: int) -> int:
    """Find the first mark of a name from a place on; later calls have later places.

    Args:
        text: a whole text.
        place: where to look from.
        name: what stands in the mark.
        marks: finds every mark, with what stands in it as its group.
        memo: keeps where all marks are.
        number: the key for it.
    """
    known: dict[str, list[int]] | None = None if memo is None else memo.get(number)
    if known is None:
        known = {}
        for mark in marks.finditer(text, place):
            known.setdefault(mark[1], []).append(mark.start())
        if memo is not None:
            memo[number] = known
    places = known.get(name, [])
    nearest = bisect_left(places, place)
    return places[nearest] if nearest < len(places) else -1


def unfinished(text: str, place: int, literal: str, retry: int) -> Matched:
    """Tell whether a text that does not stand at a place could still come to stand there."""
    rest = text[place : place + len(literal)]
    if len(rest) < len(literal) and literal.startswith(rest):
        return PENDING, len(text), None, None
    return MISMATCH, retry, None, None
