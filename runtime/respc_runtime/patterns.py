"""States whose delimiters stay with the `regex` module: each is searched by itself, as the interpreter does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from respc_runtime.character_classes import reads_alike
from respc_runtime.places import Place
from respc_runtime.regex_package import regex
from respc_runtime.searches import Search, compiled
from respc_runtime.states import IN_REST, KNOWN_RUNS, CloseRegion, Searches, State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from respc_runtime.searches import Found


def compile_pattern(pattern: str) -> Any:
    """Compile a pattern of a response template: Unicode, and ``.`` matches a newline too."""
    return regex.compile(pattern, regex.DOTALL)


class Expression(NamedTuple):
    """What searches for an expression, and what matches it at a place."""

    search: Search
    match: Search


def words_pattern(pattern: str) -> Expression:
    """Compile an expression with classes of characters that `re` and `regex` read differently, such as words.

    Most text has no character about which they differ, and `re` is faster; `regex` searches the rest.
    """
    quick = compiled(pattern)

    def either(of_re: Search, name: str) -> Search:
        exact: list[Search] = []

        def scan(text: str, pos: int) -> Found | None:
            if text.isascii() or reads_alike(text, pos):
                return of_re(text, pos)
            if not exact:
                exact.append(getattr(compile_pattern(pattern), name))
            return exact[0](text, pos)

        return scan

    return Expression(either(quick.search, "search"), either(quick.match, "match"))


class Pattern:
    """A delimiter that `regex` searches.

    Args:
        group: what it does.
        pattern: as in the template.
        declared: whether it was written as literals: a whole one counts at once,
        waits: unless it ends with the text and another literal begins with it.
        first: the only character at which a match can begin, if there is one.
        reach: how many characters from its start on a match can look at, if that has a bound.
        takes_rest: whether a match goes on to the end of the text, whatever comes.
    """

    __slots__ = ("declared", "first", "group", "pattern", "reach", "takes_rest", "waits")

    def __init__(
        self,
        group: str,
        pattern: str,
        *,
        declared: bool = False,
        waits: bool = False,
        first: str = "",
        reach: int | None = None,
        takes_rest: bool = False,
    ) -> None:
        self.group = group
        self.pattern = compile_pattern(pattern)
        self.declared = declared
        self.waits = waits or not declared
        self.first = first
        self.reach = reach
        self.takes_rest = takes_rest

    def search(self, text: str, pos: int, *, at_end: bool) -> Any:
        """Search from the first character at which a match can begin; for a partial one too while more may come."""
        if self.first and (pos := text.find(self.first, pos)) < 0:
            return None
        return self.pattern.search(text, pos) if at_end else self.pattern.search(text, pos, partial=True)

    def counts(self, text: str, match: Any) -> bool:
        """Tell whether a match counts while more text may come: it has to stay the same with one more character."""
        edge = len(text)
        start, end = match.span()
        if match.partial or (end == edge and self.waits):
            return False
        if self.declared or (self.reach is not None and start + self.reach < edge):
            return True
        # U+0000 is neither a newline nor the end: a match that leans on `$` or on a look-ahead does not survive it.
        probe = self.pattern.match(text + "\0", start)
        return probe is not None and probe.span() == (start, end) and probe.groupdict() == match.groupdict()


class PatternState(State):
    """A state whose delimiters `regex` searches one by one.

    Args:
        patterns: the delimiters, in the order that decides a tie.
        captures: for each delimiter with named groups, those groups by themselves.
        later: as of `State`, as the others.
        chunk: the event for text.
        close: makes the value of a body.
        direct: whether a chunk may go straight out in which `feed` sees that there is nothing.
    """

    __slots__ = ()

    def __init__(
        self,
        patterns: Sequence[Pattern],
        *,
        captures: Mapping[str, Mapping[str, str]] | None = None,
        later: State | None = None,
        chunk: Any = None,
        close: CloseRegion | None = None,
        direct: bool = True,
    ) -> None:
        super().__init__("(?!)", captures=captures, later=later, chunk=chunk, close=close, direct=direct)
        scan = in_turn(patterns, at_end=False)
        runs = {IN_REST: KNOWN_RUNS[IN_REST]}
        self._search_by(Searches(in_turn(patterns, at_end=True), scan, scan, scan, False, "", runs))


def in_turn(patterns: Sequence[Pattern], *, at_end: bool) -> Search:
    """Search for the delimiter that counts: the smallest start, then the longest, then the first in order.

    It counts only if it starts before every place where a delimiter may have begun.
    """
    # What was found further on in a text still stands there when the text before it is passed.
    known: dict[int, tuple[str, int, Any]] = {}

    def found(number: int, text: str, pos: int) -> Any:
        searched, since, match = known.get(number, ("", 0, None))
        if (
            searched is not text
            or pos < since
            or (match is not None and (match.partial or match.start() < pos))
        ):
            match = patterns[number].search(text, pos, at_end=at_end)
            known[number] = text, pos, match
        return match

    def begun(text: str, pos: int) -> dict[int, int]:
        """Give the patterns in whose beginnings the text is known to end, and a place before which none begins.

        `regex` tells of a beginning only where nothing is whole. Searched for again, it may stand further on.
        """
        return {
            number: match.start()
            for number, (searched, since, match) in known.items()
            if searched is text and since <= pos and match is not None and match.partial
        }

    def scan(text: str, pos: int) -> Found | None:
        held = len(text) + 1
        run = None
        best: Place | None = None
        last = begun(text, pos) if known else {}
        for number in (*(number for number in range(len(patterns)) if number not in last), *last):
            if best is not None and number in last and best.first < last[number]:
                continue
            pattern = patterns[number]
            match = found(number, text, pos)
            if match is None:
                continue
            start, end = match.span()
            if not at_end and not pattern.counts(text, match):
                if start < held:
                    held, run = start, None
                if start == held and pattern.takes_rest and not match.partial:
                    run = IN_REST  # that decides nothing any more
            elif best is None or (start, -end) < (best.first, -best.after):
                best = Place(pattern.group, start, end, match)
        if best is not None and best.first < held:
            return best
        known.clear()  # nothing more of this text is asked
        return Place(run, held, held) if held <= len(text) else None

    return scan
