"""How the expressions of a state become its searches."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from respc_runtime.beginnings import either, first_character, spelled_beginnings
from respc_runtime.searches import (
    BLANKS_BEFORE,
    LINGERS,
    ONCE,
    Find,
    Search,
    at_first,
    before_newline,
    by_length,
    compiled,
    hiding,
    not_from_inside,
    not_skipped,
    past_runs,
    skipping,
    with_blanks,
    with_lingering,
)
from respc_runtime.states import BLANK_RUN, Searches, run_until, runs_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.states import Delimiters


_END: Final = r"\Z"


class Expressions:
    """Makes the searches of a state of what a module says of its delimiters."""

    __slots__ = ("_delimiters", "_make")

    def __init__(self, delimiters: Delimiters) -> None:
        self._delimiters = delimiters
        self._make: Callable[[str], Any] = compiled if delimiters.make is None else delimiters.make

    def searches(self) -> Searches:
        """Compile the expressions."""
        given = self._delimiters
        begun, longer, hidden, certain = map(
            spelled_beginnings, (given.begun, given.longer, given.hidden, given.certain)
        )
        ends, eager = given.ends, given.eager
        runs = runs_in(given.longer + given.hidden, given.runs)
        if given.is_start and not given.hides and not given.newline:
            # Only what stands at the start is special: past that, another state goes on.
            scan = self._match(certain, eager, longer, ends, begun)
            stable = self._match(certain, longer, hidden, ends, begun)
            return Searches(self._match(ends), scan, stable, scan, False, "", runs)
        last = scan = stable = self._search(ends, at_end=True)
        if given.behind_blanks is not None:
            runs = {BLANKS_BEFORE: BLANK_RUN, **runs}
        if certain or longer or begun or hidden or given.newline or given.behind_blanks is not None:
            scan = stable = self._search(certain, longer, hidden, ends, begun)
        if given.hides:
            scan = hiding(last, self._search(longer, ends))
        elif eager or hidden:
            scan = self._search(certain, eager, longer, ends, begun)
        for number, each in enumerate(given.lingering):
            group = None
            if len(each.text) > 1:
                group = f"{LINGERS}_{number}"
                runs[group] = run_until(re.escape(each.text), len(each.text) - 1)
            scan = with_lingering(scan, self._make(each.run).search, each, group)
        gate = self._gate()
        return Searches(last, scan, stable, gate or scan, gate is not None, _mark_of(given), runs)

    def _gate(self) -> Find | None:
        """Find the places at which something can begin; None where that is not looked for.

        An empty group behind one says that the text ends there, and something has begun.
        """
        given = self._delimiters
        if not given.first or given.newline or given.behind_blanks is not None:
            return None
        return self._places(at_end=False)

    def _places(self, *, at_end: bool) -> Find:
        first = self._delimiters.first
        return compiled(first if at_end else first.replace(_END, f"{_END}()")).search

    def _match(self, *parts: str) -> Search:
        """Look for expressions at one place alone."""
        skipped, skips = self._delimiters.skipped, self._delimiters.skips
        found: Search = self._make(either(*parts, skipped)).match
        return found if skips is None else not_skipped(found, skips)

    def _search(self, *parts: str, at_end: bool = False) -> Search:
        """Search for expressions; ``at_end`` says that the text is complete."""
        given = self._delimiters
        find = self._places(at_end=at_end) if given.first else None
        pattern = either(*parts, given.skipped)
        from_run = self._from_run(at_end=at_end)
        found = self._placed(pattern, find, from_run)
        if given.skips is not None:
            without = found
            if ONCE in pattern:
                without = self._placed(pattern.replace(ONCE, "(?!)"), find, from_run)
            found = skipping(found, given.skips, without)
            # In a short text, trying a run from every place inside it costs less than not to.
            found = self._placed(either(*parts), find, None, found)
        if given.newline:
            found = before_newline(found, given.newline if at_end else "")
        if given.behind_blanks is None:
            return found
        groups, has_begun = given.behind_blanks
        has_begun = spelled_beginnings(has_begun)
        return with_blanks(found, frozenset(groups), None if at_end else compiled(has_begun).match)

    def _from_run(self, *, at_end: bool) -> Search | None:
        """Match what begins with the run in which others can stand, if there is one."""
        leading = self._delimiters.leading
        if leading is None:
            return None
        begun = "" if at_end else spelled_beginnings(leading.begun)
        matched: Search = self._make(self._unguarded(either(begun, leading.whole))).match
        return matched

    def _placed(
        self, pattern: str, find: Find | None, from_run: Search | None, long: Search | None = None
    ) -> Search:
        """Search for an expression, but not where nothing can begin; long texts maybe in another way."""
        guards, leading = self._delimiters.guards, self._delimiters.leading
        made = self._make(pattern)
        if find is not None and not guards:
            return at_first(find, made.match, long)
        found: Search = made.search if find is None else at_first(find, made.match)
        if guards:
            match = self._make(self._unguarded(pattern)).match
            if from_run is None or leading is None:
                found = not_from_inside(found, match)
            else:
                found = past_runs(found, match, self._make(leading.run).match, from_run)
        return found if long is None else by_length(found, long)

    def _unguarded(self, pattern: str) -> str:
        for guard in self._delimiters.guards:
            pattern = pattern.replace(guard, "")
        return pattern


def _mark_of(given: Delimiters) -> str:
    """Give the mark of a state, as of `Searches`."""
    if given.behind_blanks is None or given.newline or given.lingering or given.make is not None:
        return ""
    parts = given.ends, given.begun, given.longer, given.hidden, given.certain, given.eager, given.skipped
    return first_character(either(*parts))
