"""How the expressions of a state become its searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc_runtime.beginnings import either, spelled_beginnings
from respc_runtime.searches import (
    ONCE,
    Find,
    Search,
    at_first,
    before_newline,
    by_length,
    compiled,
    not_from_inside,
    not_skipped,
    past_runs,
    skipping,
    with_blanks,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from respc_runtime.searches import LeadingRun, Skip


_END: Final = r"\Z"


class Expressions:
    """Makes searches of the expressions of a state.

    Args:
        make: compiles an expression.
        first: what stands at each place where a delimiter can begin; empty where that is not looked for.
        guards: what stands in the expressions before each run that a delimiter begins with.
        leading: the run that delimiters begin with and in which others can stand; None where there is none.
        skipped: tried after all other expressions.
        skips: how to go on after those.
        newline: the group of a delimiter that matches nothing before a newline that ends the text.
        behind_blanks: the delimiters that take the blanks before them along, and what has begun of them.
    """

    __slots__ = ("_behind_blanks", "_first", "_guards", "_leading", "_make", "_newline", "_skipped", "_skips")

    def __init__(
        self,
        make: Callable[[str], Any],
        first: str,
        guards: tuple[str, ...],
        leading: LeadingRun | None,
        skipped: str,
        skips: Mapping[str, Skip] | None,
        newline: str,
        behind_blanks: tuple[list[str], str] | None,
    ) -> None:
        self._make = make
        self._first = first
        self._guards = guards
        self._leading = leading
        self._skipped = skipped
        self._skips = skips
        self._newline = newline
        self._behind_blanks = behind_blanks

    @property
    def gate(self) -> Find | None:
        """Find the places at which something can begin; None where that is not looked for.

        An empty group behind one says that the text ends there, and something has begun.
        """
        if not self._first or self._newline or self._behind_blanks is not None:
            return None
        return self._places(at_end=False)

    def _places(self, *, at_end: bool) -> Find:
        return compiled(self._first if at_end else self._first.replace(_END, f"{_END}()")).search

    def match(self, *parts: str) -> Search:
        """Look for expressions at one place alone."""
        found: Search = self._make(either(*parts, self._skipped)).match
        return found if self._skips is None else not_skipped(found, self._skips)

    def search(self, *parts: str, at_end: bool = False) -> Search:
        """Search for expressions; ``at_end`` says that the text is complete."""
        find: Find | None = None
        if self._first:
            find = self._places(at_end=at_end)
        pattern = either(*parts, self._skipped)
        from_run = self._from_run(at_end=at_end)
        found = self._placed(pattern, find, from_run)
        if self._skips is not None:
            without = found
            if ONCE in pattern:
                without = self._placed(pattern.replace(ONCE, "(?!)"), find, from_run)
            found = skipping(found, self._skips, without)
            # In a short text, trying a run from every place inside it costs less than not to.
            found = self._placed(either(*parts), find, None, found)
        if self._newline:
            found = before_newline(found, self._newline if at_end else "")
        if self._behind_blanks is None:
            return found
        groups, has_begun = self._behind_blanks
        has_begun = spelled_beginnings(has_begun)
        return with_blanks(found, frozenset(groups), None if at_end else compiled(has_begun).match)

    def _from_run(self, *, at_end: bool) -> Search | None:
        """Match what begins with the run in which others can stand, if there is one."""
        if self._leading is None:
            return None
        begun = "" if at_end else spelled_beginnings(self._leading.begun)
        matched: Search = self._make(self._unguarded(either(begun, self._leading.whole))).match
        return matched

    def _placed(
        self, pattern: str, find: Find | None, from_run: Search | None, long: Search | None = None
    ) -> Search:
        """Search for an expression, but not where nothing can begin; long texts maybe in another way."""
        made = self._make(pattern)
        if find is not None and not self._guards:
            return at_first(find, made.match, long)
        found: Search = made.search if find is None else at_first(find, made.match)
        if self._guards:
            match = self._make(self._unguarded(pattern)).match
            if from_run is None or self._leading is None:
                found = not_from_inside(found, match)
            else:
                found = past_runs(found, match, self._make(self._leading.run).match, from_run)
        return found if long is None else by_length(found, long)

    def _unguarded(self, pattern: str) -> str:
        for guard in self._guards:
            pattern = pattern.replace(guard, "")
        return pattern
