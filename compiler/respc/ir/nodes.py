"""The nodes of the intermediate representation: frozen, and each knows where in the template it came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.patterns import PatternFacts
    from respc.patterns.steps import Steps
    from respc.source.spans import Span


@dataclass(frozen=True, slots=True)
class Origin:
    """Where in the template a node came from: a JSON pointer, and line and column where there is a text."""

    pointer: str
    span: Span | None = None


class Edge(Enum):
    """Whether a match that ends where the known text ends has to wait for more."""

    COMMITS = "commits"
    WAITS = "waits"


@dataclass(frozen=True, slots=True)
class PatternSearch:
    """The delimiter is searched with `regex`."""


@dataclass(frozen=True, slots=True)
class LiteralSearch:
    """The delimiter is searched as plain texts, listed in order of preference at one place."""

    literals: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StepSearch:
    """The delimiter is searched by code that takes one step after another."""

    steps: Steps


@dataclass(frozen=True, slots=True)
class Delimiter:
    """An opener or a closer.

    Attributes:
        pattern: the regular expression that decides what matches.
        declared: the literals it was written as, None for a pattern.
        groups: the names of its capture groups, sorted.
        edge: whether a match at the end of the known text waits.
        facts: what is known of the pattern.
        search: how it is found.
        first: the characters at which it can begin, where a pass found that worth knowing.
        run: characters of which a run can begin it, if the run ends the known text,
        newline: and whether a newline can, if it ends the known text.
    """

    origin: Origin
    pattern: str
    declared: tuple[str, ...] | None
    groups: tuple[str, ...]
    edge: Edge
    facts: PatternFacts
    search: PatternSearch | LiteralSearch | StepSearch = PatternSearch()
    first: frozenset[str] | None = None
    run: frozenset[str] = frozenset()
    newline: bool = False


@dataclass(frozen=True, slots=True)
class Anchor:
    """The start anchor: after its last match in the prefix, the current message begins."""

    origin: Origin
    pattern: str
    facts: PatternFacts
    search: PatternSearch | LiteralSearch | StepSearch = PatternSearch()


@dataclass(frozen=True, slots=True)
class Fault:
    """Something the interpreter finds out only when it gets there; the parser raises the same then.

    ``slug`` names the diagnostic that says so at compile time, ``at`` is the JSON pointer of what is wrong inside the
    arguments, ``characters`` the place in a string that it is.
    """

    raises: type[Exception]
    reason: str
    slug: str = "content-arg-wrong-type"
    at: str = ""
    characters: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """What a body is read as: the name of a content parser, and its arguments as that parser understands them."""

    origin: Origin
    parser: str
    arguments: Any


@dataclass(frozen=True, slots=True)
class Constant:
    """Part of a transform without a placeholder."""

    value: Any


@dataclass(frozen=True, slots=True)
class ContentValue:
    """The placeholder of the parsed content, and the keys to descend by."""

    path: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Captured:
    """The placeholder of a named group. ``sure``: the group takes part in every match of the opener."""

    path: str
    name: str
    keys: tuple[str, ...]
    sure: bool


@dataclass(frozen=True, slots=True)
class ElementValue:
    """The placeholder of a key of one element; ``or_captured``: a named group stands in where the key is missing."""

    path: str
    name: str
    keys: tuple[str, ...]
    or_captured: bool


@dataclass(frozen=True, slots=True)
class Undefined:
    """A placeholder that nothing can define."""

    path: str
    available: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObjectOf:
    """An object of a transform."""

    items: tuple[tuple[str, Transform], ...]


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of a transform."""

    items: tuple[Transform, ...]


Transform: TypeAlias = Constant | ContentValue | Captured | ElementValue | Undefined | ObjectOf | ListOf


@dataclass(frozen=True, slots=True)
class Region:
    """A field: where its regions are and what their bodies become.

    Attributes:
        opener: None for the implicit field.
        closer: None where a region runs to the end.
        join: what repeated values are joined by, None for no joining.
        each: whether the transform applies to the elements of a list.
    """

    origin: Origin
    name: str
    opener: Delimiter | None
    closer: Delimiter | None
    content: Content
    transform: Transform | None
    each: bool
    repeats: bool
    join: str | None
    required: bool

    @property
    def may_not_advance(self) -> bool:
        """Tell whether opener and closer may both match empty at one place, where the interpreter never ends."""
        return (
            self.opener is not None
            and self.closer is not None
            and self.opener.facts.can_be_empty
            and self.closer.facts.can_be_empty
        )


@dataclass(frozen=True, slots=True)
class Watch:
    """A delimiter that is looked for: a field's opener, or its closer."""

    field: str
    opens: bool


@dataclass(frozen=True, slots=True)
class Head:
    """The text that a delimiter, or some alternatives of its pattern, begin with.

    Attributes:
        watch: the number of the delimiter among those of the state.
        alternatives: the numbers of the alternatives; none where the text is all of the delimiter.
        after_blanks: whether blanks before it belong to the delimiter.
        hidden: whether it is never held back half written.
    """

    text: str
    watch: int
    alternatives: tuple[int, ...] = ()
    after_blanks: bool = False
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class State:
    """Where a parser can be: outside every explicit region, or inside one.

    Attributes:
        region: the name of the open explicit region, None outside.
        watches: what ends this state, openers first and by name.
        one_search: whether one search for all of them is the same as one for each,
        heads: or, where they are no plain texts, one search for what they begin with.
        direct: whether text without a possible first character of a delimiter goes straight out,
        held_run: but for a run of these characters that ends it,
        held_newline: and but for a newline that ends it.
    """

    region: str | None
    watches: tuple[Watch, ...]
    one_search: bool = False
    heads: tuple[Head, ...] = ()
    direct: bool = False
    held_run: frozenset[str] = frozenset()
    held_newline: bool = False


@dataclass(frozen=True, slots=True)
class ParserIR:
    """A whole template.

    Attributes:
        defaults: the keys put into every message.
        regions: in the template's order.
        implicit: the name of the field that takes the text that no region claims.
        states: outside first, then the explicit regions by name.
        left_context: how many characters of consumed text must be kept for patterns to look at; None for all.
        whole_text: whether a whole text can be parsed without a stream.
        serving: whether the events are those for serving engines.
        stable: whether the outcome may not depend on how the text is cut.
    """

    anchor: Anchor
    defaults: dict[str, Any] = field(hash=False)
    regions: tuple[Region, ...]
    implicit: str | None
    states: tuple[State, ...]
    left_context: int | None = None
    whole_text: bool = False
    serving: bool = False
    stable: bool = False
    _by_name: dict[str, Region] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_name", {region.name: region for region in self.regions})

    def region(self, name: str) -> Region:
        """Give the region of a field."""
        return self._by_name[name]

    def delimiters(self, state: State) -> list[tuple[Watch, Delimiter]]:
        """Give what a state watches, with the delimiters themselves."""
        found: list[tuple[Watch, Delimiter]] = []
        for watch in state.watches:
            region = self._by_name[watch.field]
            delimiter = region.opener if watch.opens else region.closer
            if delimiter is not None:
                found.append((watch, delimiter))
        return found

    def map_delimiters(self, change: Callable[[Delimiter], Delimiter]) -> ParserIR:
        """Change every opener and closer."""
        return replace(
            self,
            regions=tuple(
                replace(
                    region,
                    opener=None if region.opener is None else change(region.opener),
                    closer=None if region.closer is None else change(region.closer),
                )
                for region in self.regions
            ),
        )

    def map_states(self, change: Callable[[State], State]) -> ParserIR:
        """Change every state."""
        return replace(self, states=tuple(map(change, self.states)))
