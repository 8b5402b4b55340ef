"""Where a parser can be, and what ends each such state: two regular expressions.

``ends`` has the delimiters as the template wrote them; an empty named group behind each says what it does. ``begun``
has every beginning of one, with the end of the text behind it; those that may have a whole one in them are apart, in
``longer``. Both are written in the notation of `respc_runtime.beginnings`. While more text may come, all are searched
at once: the leftmost counts, and at one place what may become a longer delimiter. Once the text is complete, ``ends``
alone is searched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn, TypeAlias

from respc_runtime.errors import ParserStateError
from respc_runtime.late_expressions import LateExpression

if TYPE_CHECKING:
    from respc_runtime.searches import LeadingRun, Lingering, Search, Skip
    from respc_runtime.stream import Stream

CLOSE: Final = "close"
"""The group of a delimiter that ends a region and opens none."""


CloseRegion: TypeAlias = Callable[[Any, str], Any]
"""Gives a body of a region its value, and puts that into the message of the parser that comes first."""


def region_chunk(field: str, *, dirty: bool = False) -> dict[str, Any]:
    """Make the event for text of a field's regions, to be copied; ``dirty``: the text is yet to be parsed."""
    return {"type": "region_chunk", "field": field, "text": "", "dirty": dirty}


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
    return Run(LateExpression(pattern).search, width)


IN_BLANKS: Final = "in_blanks"
BLANKS_END: Final = r"[^\s]"
"""What ends blanks."""

IN_REST: Final = "in_rest"
NOTHING: Final = "(?!)"
"""What ends the rest of a text, whatever it is."""

BLANK_RUN: Final = run_until(BLANKS_END)
"""A run of blanks."""

KNOWN_RUNS: Final[Mapping[str, Run]] = {IN_BLANKS: BLANK_RUN, IN_REST: run_until(NOTHING)}
"""Runs that need not be listed, by the groups of beginnings that end in one."""

_IN_RUN: Final = LateExpression(r"\(\?P<(in_\w+?)(_\d+)?>\)")


def runs_in(expressions: str, listed: Mapping[str, Run]) -> dict[Any, Run]:
    """Give the runs in which beginnings end, by their groups, which begin with ``in_``.

    A group that is not listed itself is one more of a kind that is: so ``in_name_2`` goes on as ``in_name`` does.
    """
    known = {**KNOWN_RUNS, **listed}
    groups = ((kind + number, kind) for kind, number in _IN_RUN.made.findall(expressions))
    return {**{group: known[kind] for group, kind in groups if kind in known}, **listed}


class Delimiters(NamedTuple):
    """What a module says of the delimiters of a state; see the arguments of `State`."""

    ends: str
    begun: str
    longer: str
    hidden: str
    certain: str
    eager: str
    skipped: str
    runs: Mapping[str, Run]
    hides: bool
    is_start: bool
    newline: str
    behind_blanks: tuple[list[str], str] | None
    first: str
    guards: tuple[str, ...]
    leading: LeadingRun | None
    lingering: tuple[Lingering, ...]
    skips: Mapping[str, Skip] | None
    make: Callable[[str], Any] | None


class Searches(NamedTuple):
    """What finds the delimiters of a state.

    Attributes:
        last: finds those of a complete text;
        scan: of one that is not, with what has begun;
        stable: the same, with an outcome that does not depend on how a text is cut into chunks.
        find: finds something wherever ``scan`` does in a whole chunk, and more; it is quick to tell where there is
            nothing.
        gated: whether ``find`` looks at the first characters of delimiters alone, and not as ``scan`` does.
        mark: where delimiters take the blanks before them along, a character without which a text can have nothing but
            blanks at its end: each of them begins with it; empty if there is none.
        runs: the runs of characters in which beginnings end, by their groups.
    """

    last: Search
    scan: Search
    stable: Search
    find: Callable[[str, int], Any]
    gated: bool
    mark: str
    runs: Mapping[Any, Run]

    def stably(self) -> Searches:
        """Give the searches of a state whose outcome does not depend on how a text is cut into chunks."""
        find = self.stable if self.find is self.scan else self.find
        return self._replace(scan=self.stable, find=find)


STATE_ATTRIBUTES: Final = (
    "captures",
    "chunk",
    "close",
    "direct",
    "hides",
    "later",
    "line_group",
    "quick",
    "waits",
)
"""Named outside of the class: one that is compiled to machine code has no slots to be asked for."""


class State:
    """Where a parser can be: outside of all regions, or in a region of some field.

    A state has its searches once it is `ready`, which is when the first parser is made: a program may import parsers
    that it does not use. Until then it keeps where they come from: its delimiters, or the state that it was `changed`
    from, whose searches it shares. Searches are made as a whole before a state takes them, so that it does not matter
    how many threads make the first parser at once.

    Args:
        ends: the delimiters; the group behind each is the field that it opens, or `CLOSE`.
        begun: their beginnings.
        longer: beginnings that a whole delimiter may begin as well, tried before ``ends``. A group behind one names the
            run of characters that the text ends in.
        runs: the kinds of those runs, but for `KNOWN_RUNS`; see `runs_in`.
        hidden: what has begun as well, though the interpreter does not hold it back: for stable states alone.
        waits: the groups of the delimiters that wait for one more character where they end the text, as patterns do
            in the interpreter.
        captures: for each delimiter with named groups, by the groups of ``ends`` their names in the template.
        certain: delimiters that more text cannot change, though one might seem to have begun, tried first of all.
        eager: those that the interpreter takes as well, though more text could change them.
        hides: whether a whole delimiter hides what has begun before it, as it does in the interpreter.
        newline: the group of a delimiter that matches nothing before a newline that ends the text.
        behind_blanks: the groups of the delimiters that take the blanks before them along, and what has begun of them.
        first: what stands at each place where a delimiter can begin, its first few characters, where `re` does not
            look for them by itself; where the text ends within them, one has begun.
        guards: what stands in the expressions before each run that a delimiter begins with, so that it is not tried
            from every place inside it.
        leading: the run that delimiters begin with and in which others can stand, so that it is looked at once where
            it leads nowhere; None where there is none.
        lingering: lazy runs that the interpreter holds back though they have ended.
        skipped: beginnings whose run of characters led nowhere, tried last,
        skips: and how to go on after each, by the group that stands behind it.
        later: the state to go on in where nothing stands at the start of the message; what may stand only there is
            looked for nowhere else.
        chunk: the event for text, to be copied; None outside of all regions.
        close: makes the value of a body, and puts it into the message.
        direct: whether a chunk may go straight out in which `feed` sees that there is nothing.
        make: what compiles the expressions; that of `regex` for classes of characters that only it has.
    """

    __slots__ = (
        *STATE_ATTRIBUTES,
        "_is_stable",
        "_source",
        "find",
        "gated",
        "last",
        "mark",
        "runs",
        "scan",
        "searches",
    )

    # As of `Searches`, for they are asked for with every chunk.
    last: Search
    scan: Search
    find: Callable[[str, int], Any]
    gated: bool
    mark: str
    runs: Mapping[Any, Run]
    searches: Searches
    hides: bool
    chunk: Any
    close: CloseRegion
    quick: bool
    later: State
    line_group: str | None
    """The group of the delimiter that a line of text is, empty where it is none; None until somebody has asked."""
    _source: Delimiters | State | None
    """Where the searches come from; None once they are there."""
    _is_stable: bool

    def __init__(
        self,
        ends: str,
        begun: str = "",
        *,
        longer: str = "",
        runs: Mapping[str, Run] | None = None,
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
        leading: LeadingRun | None = None,
        lingering: tuple[Lingering, ...] = (),
        skipped: str = "",
        skips: Mapping[str, Skip] | None = None,
        later: State | None = None,
        chunk: Any = None,
        close: CloseRegion | None = None,
        direct: bool = True,
        make: Callable[[str], Any] | None = None,
    ) -> None:
        self.waits = frozenset(waits)
        self.captures: Mapping[Any, Mapping[str, str]] = captures or {}
        self.chunk = chunk
        self.close = close or nothing_open
        self.direct = direct
        self.quick = False
        self.hides = hides
        self.later = later or self
        self.line_group: str | None = None
        self._is_stable = False
        self._source = Delimiters(
            ends=ends,
            begun=begun,
            longer=longer,
            hidden=hidden,
            certain=certain,
            eager=eager,
            skipped=skipped,
            runs=runs or {},
            hides=hides,
            is_start=later is not None,
            newline=newline,
            behind_blanks=behind_blanks,
            first=first,
            guards=guards,
            leading=leading,
            lingering=lingering,
            skips=skips,
            make=make,
        )

    def ready(self) -> State:
        """Make the searches unless they are there, and give the state."""
        if (source := self._source) is not None:
            if isinstance(source, State):
                searches = source.ready().searches
                self._search_by(searches.stably() if self._is_stable else searches)
            else:
                from respc_runtime.expressions import Expressions

                self._search_by(Expressions(source).searches())
        return self

    def _search_by(self, searches: Searches) -> None:
        self.searches = searches
        self.last = searches.last
        self.scan = searches.scan
        self.find = searches.find
        self.gated = searches.gated
        self.mark = searches.mark
        self.runs = searches.runs
        self._source = None  # at last: another thread may look at it now

    def changed(self, *, stably: bool = False, **attributes: Any) -> State:
        """Give a state with other attributes, which searches as this one does.

        Args:
            stably: whether the outcome of its searches shall not depend on how a text is cut into chunks.
            attributes: the others.
        """
        state = State.__new__(type(self))
        for name in STATE_ATTRIBUTES:
            setattr(state, name, attributes.get(name, getattr(self, name)))
        if self.later is self:
            state.later = state
        state._source, state._is_stable = self, stably
        return state


def nothing_open(stream: Stream[Any, Any], body: str) -> NoReturn:
    """Stand in where there is no region to close."""
    raise AssertionError(f"no region is open to take {body!r:.80}")


class Refusing(State):
    """What a parser that takes no more is in."""

    def __init__(self, error: Callable[[], Exception]) -> None:
        def refuse(text: str, pos: int) -> NoReturn:
            raise error()

        super().__init__("")
        self._search_by(Searches(refuse, refuse, refuse, refuse, False, "", {}))


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

    Attributes:
        are_ready: whether the searches are made; every parser begins by asking, so it is a plain attribute.
    """

    __slots__ = ("_all", "are_ready", "context", "following", "implicit", "start", "whole")

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
        self.are_ready = False
        self.following: dict[Any, State] = {**following}
        for alias, group in (aliases or {}).items():
            self.following[alias] = following[group]
        self.implicit = implicit
        self.context = context
        self.whole = whole
        known = [FAILED, FINALIZED, start, start.later, *following.values()]
        self._all = tuple(known if implicit is None else [*known, implicit])
        for state in self._all:
            state.quick = context == 0 and state.later is state and not isinstance(state, Refusing)

    @property
    def all(self) -> tuple[State, ...]:
        """All states, in an order that stays."""
        self.make_ready()
        return self._all

    def make_ready(self) -> None:
        """Make all searches, unless they are there."""
        for state in self._all:
            state.ready()
        self.are_ready = True

    def stable(self) -> States:
        """Give the states whose outcome does not depend on how a text is cut into chunks."""

        def stably(state: State) -> State:
            return state.changed(stably=True, waits=frozenset[str]())

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
