"""Where a parser can be, and what ends each such state: two regular expressions.

``ends`` has the delimiters as the template wrote them; an empty named group behind each says what it does. ``begun``
has every beginning of one, with the end of the text behind it. While more text may come, both are searched at once: the
leftmost counts, and at one place what has begun, for it may become a longer delimiter. Once the text is complete,
``ends`` alone is searched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, Protocol, TypeAlias, cast

from respc_runtime.character_classes import BLANKS, spelled
from respc_runtime.errors import ParserStateError

if TYPE_CHECKING:
    from respc_runtime.stream import Stream

CLOSE: Final = "close"
"""The group of a delimiter that ends a region and opens none."""


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
CloseRegion: TypeAlias = Callable[["Stream[Any, Any]", str], Any]


class Run(NamedTuple):
    """What wakes text that is held back in a run of characters, for no other text decides anything.

    Attributes:
        search: finds it in the chunks that came since.
        width: how many characters before them it has to see as well.
    """

    search: Callable[[str], Any]
    width: int = 0


def run_until(pattern: str, width: int = 0) -> Run:
    """Make a run that goes on until something comes that a pattern matches."""
    return Run(compiled(pattern).search, width)


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


STATE_ATTRIBUTES: Final = (
    "captures",
    "chunk",
    "close",
    "direct",
    "last",
    "later",
    "quick",
    "runs",
    "scan",
    "stable",
    "waits",
)
"""Named outside of the class: one that is compiled to machine code has no slots to be asked for."""


class State:
    """Where a parser can be: outside of all regions, or in a region of some field.

    Args:
        ends: the delimiters; the group behind each is the field that it opens, or `CLOSE`.
        begun: their beginnings, tried before ``ends``. A group behind one names the run that the text ends in.
        runs: those runs.
        hidden: what has begun as well, though the interpreter does not hold it back: for stable states alone.
        waits: the groups of the delimiters that wait for one more character where they end the text, as patterns do
            in the interpreter.
        captures: for each delimiter with named groups, by the groups of ``ends`` their names in the template.
        certain: delimiters that more text cannot change, though one might seem to have begun, tried first of all.
        eager: those that the interpreter takes as well, though more text could change them.
        hides: whether a whole delimiter hides what has begun before it, as it does in the interpreter.
        newline: the group of a delimiter that matches nothing before a newline that ends the text.
        behind_blanks: the groups of the delimiters that take the blanks before them along, and what has begun of them.
        first: the characters at which a delimiter can begin, as a class, where `re` does not see them by itself.
        guards: what stands in the expressions before each run that a delimiter begins with, so that it is not tried
            from every place inside it.
        skips: how to go on after a beginning that led nowhere, by the group that stands behind it in ``ends``.
        later: the state to go on in where nothing stands at the start of the message; what may stand only there is
            looked for nowhere else.
        chunk: the event for text, to be copied; None outside of all regions.
        close: makes the value of a body, and puts it into the message.
        direct: whether text without the first character of a delimiter needs no search.
        make: what compiles the expressions; that of `regex` for classes of characters that only it has.
    """

    __slots__ = STATE_ATTRIBUTES

    scan: Search
    last: Search
    stable: Search
    chunk: Any
    close: CloseRegion
    quick: bool
    later: State

    def __init__(
        self,
        ends: str,
        begun: str = "",
        runs: Mapping[str, Run] | None = None,
        *,
        waits: Iterable[str] = (),
        captures: Mapping[str, Mapping[str, str]] | None = None,
        hidden: str = "",
        certain: str = "",
        eager: str = "",
        hides: bool = False,
        newline: str = "",
        behind_blanks: tuple[list[str], str] | None = None,
        first: str = "",
        guards: tuple[str, ...] = (),
        skips: Mapping[str, Skip] | None = None,
        later: State | None = None,
        chunk: Any = None,
        close: CloseRegion | None = None,
        direct: bool = True,
        make: Callable[[str], Any] | None = None,
    ) -> None:
        self.runs: Mapping[Any, Run] = runs or {}
        self.waits = frozenset(waits)
        self.captures: Mapping[Any, Mapping[str, str]] = captures or {}
        self.chunk = chunk
        self.close = close or nothing_open
        self.direct = direct
        self.quick = False
        self.later = later or self
        make_pattern = compiled if make is None else make

        def search(*parts: str) -> Search:
            pattern = "|".join(part for part in parts if part)
            found: Search = make_pattern(pattern).search
            if first:
                found = at_first(compiled(first).search, make_pattern(pattern).match)
            elif guards:
                for guard in guards:
                    pattern = pattern.replace(guard, "")
                found = not_from_inside(found, make_pattern(pattern).match)
            if skips is not None:
                without = make_pattern(pattern.replace(ONCE, "(?!)")).search if ONCE in pattern else found
                found = skipping(found, skips, without)
            at_end = parts == (ends,)
            if newline:
                found = before_newline(found, newline if at_end else "")
            if behind_blanks is None:
                return found
            groups, has_begun = behind_blanks
            return with_blanks(found, frozenset(groups), None if at_end else compiled(has_begun).match)

        def match(*parts: str) -> Search:
            found: Search = make_pattern("|".join(part for part in parts if part)).match
            return found if skips is None else not_skipped(found, skips)

        if later is not None and not hides and not newline:
            # Only what stands at the start is special: past that, `later` goes on.
            self.last = match(ends)
            self.stable = match(certain, begun, hidden, ends)
            self.scan = match(certain, eager, begun, ends)
            return
        self.last = search(ends)
        self.stable = (
            search(certain, begun, hidden, ends)
            if certain or begun or hidden or newline or behind_blanks
            else self.last
        )
        if hides:
            self.scan = hiding(self.last, search(begun or "(?!)"))
        else:
            self.scan = search(certain, eager, begun, ends) if eager or hidden else self.stable

    def changed(self, **attributes: Any) -> State:
        """Give a state with other attributes."""
        state = State.__new__(type(self))
        for name in STATE_ATTRIBUTES:
            setattr(state, name, attributes.get(name, getattr(self, name)))
        if self.later is self:
            state.later = state
        return state


def nothing_open(stream: Stream[Any, Any], body: str) -> NoReturn:
    """Stand in where there is no region to close."""
    raise AssertionError(f"no region is open to take {body!r:.80}")


def compiled(pattern: str) -> re.Pattern[str]:
    r"""Compile an expression of a template: ``.`` matches a newline too, and ``\s`` what it matches for `regex`."""
    return re.compile(spelled(pattern), re.DOTALL)


BLANK_RUN: Final = run_until(r"[^\s]")
"""A run of blanks."""


class Place(NamedTuple):
    """A delimiter, or the beginning of one, at a place that a state made out itself; as `Found`.

    Attributes:
        lastgroup: what it does.
        first: where it begins,
        after: and the place after it.
        found: what has its groups, if it has any.
    """

    lastgroup: str | None
    first: int
    after: int
    found: Any = None

    def start(self) -> int:
        """Give the place where it begins."""
        return self.first

    def end(self) -> int:
        """Give the place after it."""
        return self.after

    def __getitem__(self, group: Any, /) -> Any:
        """Give what a named group took."""
        return self.found[group]


def before_newline(search: Search, group: str) -> Search:
    """Let a newline that ends the text be where a delimiter stands that takes nothing; ``group``: what it does."""

    def scan(text: str, pos: int) -> Found | None:
        found = search(text, pos)
        if pos == len(text) or text[-1] != "\n":
            return found
        if found is not None and (group or found.start() < len(text) - 1):
            return found
        # While more may come, nothing else counts there either.
        last: Any = Place(group or None, len(text) - 1, len(text) - 1)
        return cast("Found", last)

    return scan


def with_blanks(search: Search, groups: frozenset[str], begun: Search | None) -> Search:
    """Let delimiters take the blanks before them along.

    Args:
        search: finds them without the blanks.
        groups: those that do so.
        begun: matches their beginnings; None where the text is complete.
    """

    def scan(text: str, pos: int) -> Found | None:
        found = search(text, pos)
        place = len(text) if found is None else found.start()
        if place == pos or text[place - 1] not in BLANKS or (found is None and begun is None):
            return found
        if (
            found is not None
            and found.lastgroup not in groups
            and (begun is None or begun(text, place) is None)
        ):
            return found
        start = place
        while start > pos and text[start - 1] in BLANKS:
            start -= 1
        what, after = (BLANKS_BEFORE, place) if found is None else (found.lastgroup, found.end())
        moved: Any = Place(what, start, after, found)
        return cast("Found", moved)

    return scan


def at_first(find: Search, match: Search) -> Search:
    """Look only where a delimiter can begin."""

    def scan(text: str, pos: int) -> Found | None:
        while (place := find(text, pos)) is not None:
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


def hiding(last: Search, begun: Search) -> Search:
    """Let a whole delimiter hide what has begun before it."""

    def scan(text: str, pos: int) -> Found | None:
        return last(text, pos) or begun(text, pos)

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


class Refusing(State):
    """What a parser that takes no more is in."""

    def __init__(self, error: Callable[[], Exception]) -> None:
        def refuse(text: str, pos: int) -> NoReturn:
            raise error()

        super().__init__("")
        self.scan = self.stable = self.last = refuse


FAILED: Final = Refusing(ParserStateError.failed)
FINALIZED: Final = Refusing(ParserStateError.finalized)


class States:
    """All states of a parser.

    Args:
        start: at the start of the message.
        following: what a delimiter leads to, by its group.
        implicit: the region that takes the text that no other claims, if there is one.
        aliases: groups that mean the same as others.
        context: how many characters before a place the delimiters look at; None for all.
        whole: whether a complete text can be searched for whole delimiters alone, without holding any back first.
    """

    __slots__ = ("all", "context", "following", "implicit", "start", "whole")

    def __init__(
        self,
        start: State,
        following: Mapping[str, State],
        implicit: State | None = None,
        *,
        aliases: Mapping[str, str] | None = None,
        context: int | None = 0,
        whole: bool = True,
    ) -> None:
        self.start = start
        self.following: dict[Any, State] = {**following}
        for alias, group in (aliases or {}).items():
            self.following[alias] = following[group]
        self.implicit = implicit
        self.context = context
        self.whole = whole
        known = [FAILED, FINALIZED, start, start.later, *following.values()]
        self.all = tuple(known if implicit is None else [*known, implicit])
        for state in self.all:
            state.quick = context == 0 and state.later is state and not isinstance(state, Refusing)

    def stable(self) -> States:
        """Give the states whose outcome does not depend on how a text is cut into chunks."""

        def stably(state: State) -> State:
            return state.changed(scan=state.stable, waits=frozenset[str]())

        start = stably(self.start)
        if self.start.later is not self.start:
            start.later = stably(self.start.later)
        return States(
            start,
            {group: stably(state) for group, state in self.following.items()},
            None if self.implicit is None else stably(self.implicit),
            context=self.context,
            whole=self.whole,
        )
