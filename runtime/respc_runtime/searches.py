"""How a state finds what ends it: searches by expressions, and what is done to those that need more than one look."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

from respc_runtime.character_classes import BLANKS, spelled
from respc_runtime.places import Place

ONCE: Final = "(?#once)"
"""Stands before a delimiter that comes nowhere later where a run of it led nowhere."""

BLANKS_BEFORE: Final = "in_blanks_before"
"""The group of blanks that end a text and may belong to a delimiter."""


class Found(Protocol):
    """A delimiter, or the beginning of one: a match of `re` or `regex`, or what `regex` found by several searches."""

    @property
    def lastgroup(self) -> str | None:
        """What the delimiter does; for a beginning, None or the run that it ends in."""
        ...

    def start(self) -> int:
        """Give the place where it begins."""
        ...

    def end(self) -> int:
        """Give the place after it."""
        ...

    def __getitem__(self, group: str, /) -> Any:
        """Give what a named group took; None if it took no part."""
        ...


Search: TypeAlias = Callable[[str, int], "Found | None"]
Find: TypeAlias = Callable[[str, int], "re.Match[str] | None"]
"""A search by one plain expression."""


def compiled(pattern: str) -> re.Pattern[str]:
    r"""Compile an expression of a template: ``.`` matches a newline too, and ``\s`` what it matches for `regex`."""
    return re.compile(spelled(pattern), re.DOTALL)


class Skip(NamedTuple):
    """How to go on after a beginning whose run led nowhere: what begins like it within that run leads nowhere either.

    Attributes:
        length: the length of what stands before the run; None where the run goes on to the end of the text, so that
            the delimiter, which has `ONCE` before it, comes nowhere later.
        heads: finds how the other delimiters of the state begin,
        width: and the length of the longest of those heads.
    """

    length: int | None
    heads: Callable[[str, int, int], Any] | None = None
    width: int = 0


def skip_run(length: int | None, heads: str = "", width: int = 0) -> Skip:
    """Make a `Skip`; ``heads`` is a pattern, empty where there is no other delimiter."""
    return Skip(length, compiled(heads).search if heads else None, width)


class LeadingRun(NamedTuple):
    """A run of characters that delimiters begin with, and in which others can stand.

    Attributes:
        run: an expression for any number of those characters.
        whole: the delimiters that begin with it,
        begun: and what has begun to be one of those.
    """

    run: str
    whole: str
    begun: str


class Lingering(NamedTuple):
    """A lazy run of a delimiter that is held back though it has ended, for the interpreter does so.

    Attributes:
        run: an expression for what comes before the run, and all of it.
        text: what has to come behind it: as long as that does not stand behind the end of the run, it is held back; if
            it is one character, only where no more than one stands there.
        width: the length of what comes before the run, with what the run takes at least.
    """

    run: str
    text: str
    width: int


LINGERS: Final = "lingers"
"""The group of what is held back so."""


def before_newline(search: Search, group: str) -> Search:
    """Let a newline that ends the text be where a delimiter stands that takes nothing; ``group``: what it does."""

    def scan(text: str, pos: int) -> Found | None:
        found = search(text, pos)
        if pos == len(text) or text[-1] != "\n":
            return found
        if found is not None and (group or found.start() < len(text) - 1):
            return found
        # While more may come, nothing else counts there either.
        return Place(group or None, len(text) - 1, len(text) - 1)

    return scan


def _blanks_before(text: str, pos: int, place: int) -> int:
    """Go back over blanks, as far as some place."""
    while place > pos and text[place - 1] in BLANKS:
        place -= 1
    return place


def with_blanks(search: Search, groups: frozenset[str], begun: Search | None) -> Search:
    """Let delimiters take the blanks before them along.

    Args:
        search: finds them without the blanks.
        groups: those that do so.
        begun: matches their beginnings; None where the text is complete.
    """

    def scan(text: str, pos: int) -> Found | None:
        found = search(text, pos)
        if found is None:
            edge = len(text)
            if begun is None or edge == pos or text[-1] not in BLANKS:
                return None
            return Place(BLANKS_BEFORE, _blanks_before(text, pos, edge), edge)
        place = found.start()
        if place == pos or text[place - 1] not in BLANKS:
            return found
        if found.lastgroup not in groups and (begun is None or begun(text, place) is None):
            return found
        return Place(found.lastgroup, _blanks_before(text, pos, place), found.end(), found)

    return scan


def with_lingering(search: Search, run: Search, lingering: Lingering, group: str | None) -> Search:
    """Hold back a run that has ended; ``run`` searches for its expression, ``group`` tells that it is held back."""
    _, mark, width = lingering
    nothing: tuple[str, int, Found | None] = "", 0, None
    # The next run that may be held back: it still stands there when the text before it is passed.
    known = nothing

    def scan(text: str, pos: int) -> Found | None:
        nonlocal known
        found = search(text, pos)
        edge = len(text)
        place = edge if found is None else found.start()
        seen, since, held = known
        if seen is not text or pos < since or (held is not None and held.start() < pos):
            held = run(text, pos)
        if held is not None and held.start() < place:
            # Only a run that ends so far on is held back.
            least = text.rfind(mark, pos) if len(mark) > 1 else edge - 1
            while held is not None and held.start() < place and held.end() < least:
                held = run(text, max(held.start() + 1, held.end() - width))
        if held is None or held.start() >= place:
            known = nothing if found is None else (text, pos, held)
            return found
        known = nothing
        return Place(group, held.start(), edge)

    return scan


SHORT_TEXT: Final = 64
"""A text of fewer characters, such as a chunk, is searched in the plainest way."""


def by_length(short: Search, long: Search) -> Search:
    """Search short texts in one way, and long ones in another."""

    def scan(text: str, pos: int) -> Found | None:
        return short(text, pos) if len(text) - pos < SHORT_TEXT else long(text, pos)

    return scan


def at_first(find: Find, match: Search, long: Search | None = None) -> Search:
    """Look only where a delimiter can begin.

    Args:
        find: finds such a place; with an empty group behind it, the text ends there, and one has begun.
        match: matches a delimiter at one.
        long: searches long texts, where that is done in another way.
    """

    def scan(text: str, pos: int) -> Found | None:
        if long is not None and len(text) - pos >= SHORT_TEXT:
            return long(text, pos)
        while (place := find(text, pos)) is not None:
            if place.lastindex is not None:
                return place
            pos = place.start()
            if (found := match(text, pos)) is not None:
                return found
            pos += 1
        return None

    return scan


def not_from_inside(search: Search, match: Search) -> Search:
    """Search for what may begin with a run: at the place itself maybe inside one, further on only where one begins."""

    def scan(text: str, pos: int) -> Found | None:
        return (match(text, pos) if pos else None) or search(text, pos)

    return scan


def past_runs(search: Search, match: Search, run: Search, from_run: Search) -> Search:
    """Search as `not_from_inside`, and look at a run that led nowhere once, whatever is found in it.

    Where nothing begins with a run at one place of it, nothing does at any later one.

    Args:
        search: does not try a run from inside it,
        match: and does so, at one place.
        run: matches any number of the run's characters.
        from_run: matches what begins with the run.
    """
    nothing = "", 0, 0
    known: tuple[str, int, int] = nothing

    def scan(text: str, pos: int) -> Found | None:
        nonlocal known
        seen, start, end = known
        if seen is not text or not start <= pos <= end:
            reached = run(text, pos)
            end = pos if reached is None else reached.end()
            if end - pos < SHORT_TEXT or from_run(text, pos) is not None:
                return (match(text, pos) if pos else None) or search(text, pos)
            known = text, pos, end
        found = search(text, pos)
        if found is None or found.end() >= end:
            known = nothing  # the text is kept no longer than that
        return found

    return scan


def _is_last_character(found: Any, text: str) -> bool:
    """Tell whether only the last character has begun one: `at_first` says so by a group without a name."""
    return (
        found.lastgroup is None
        and isinstance(found, re.Match)
        and found.lastindex is not None
        and found.start() == len(text) - 1
    )


def hiding(last: Search, first: Search) -> Search:
    """Let a whole delimiter hide what has begun before it.

    Args:
        last: finds whole ones,
        first: and those or what has begun, whichever comes first.
    """

    def scan(text: str, pos: int) -> Found | None:
        if len(text) - pos < SHORT_TEXT:
            found = first(text, pos)
            if found is None or _is_last_character(found, text):
                return found
            return last(text, pos) or found
        # What has begun may go on to the end of the text, which is looked at only where nothing is whole.
        return last(text, pos) or first(text, pos)

    return scan


def not_skipped(match: Search, skips: Mapping[Any, Skip]) -> Search:
    """Look at one place alone, where a run that led nowhere is nothing."""

    def scan(text: str, pos: int) -> Found | None:
        found = match(text, pos)
        return None if found is None or found.lastgroup in skips else found

    return scan


def skipping(search: Search, skips: Mapping[Any, Skip], without: Search) -> Search:
    """Search on where a run led nowhere, without trying it again from every place inside it.

    Args:
        search: finds delimiters, and the beginnings whose runs led nowhere.
        skips: how to go on, by the groups of those.
        without: searches without what comes nowhere later.
    """

    def scan(text: str, pos: int) -> Found | None:
        while (match := search(text, pos)) is not None and match.lastgroup in skips:
            length, heads, width = skips[match.lastgroup]
            pos = match.start() + 1
            if length is None:
                return without(text, pos)
            end = max(pos, min(match.end() - length, len(text) - width))
            if heads is not None and (other := heads(text, pos, end + width)):
                end = min(end, other.start())
            if end > len(text):
                return None
            pos = end
        return match

    return scan
