"""The nodes of the intermediate representation: frozen, and each knows where in the template it came from."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.patterns import PatternFacts
    from respc.scan import ScanPlan
    from respc.source.spans import Span


@dataclass(frozen=True, slots=True)
class Origin:
    """Where in the template a node came from: a JSON pointer, and line and column where there is a text."""

    pointer: str
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Delimiter:
    """An opener or a closer.

    Attributes:
        pattern: the regular expression that decides what matches.
        declared: the literals it was written as, None for a pattern.
        groups: the names of its capture groups, sorted.
        waits: whether a whole one that ends the known text waits for one more character: of literals only where one
            begins with another.
        facts: what is known of the pattern.
    """

    origin: Origin
    pattern: str
    declared: tuple[str, ...] | None
    groups: tuple[str, ...]
    waits: bool
    facts: PatternFacts


@dataclass(frozen=True, slots=True)
class Anchor:
    """The start anchor: after its last match in the prefix, the current message begins."""

    origin: Origin
    pattern: str
    facts: PatternFacts
    declared: tuple[str, ...] | None


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
class State:
    """Where a parser can be: outside every explicit region, or inside one.

    Attributes:
        region: the name of the open explicit region, None outside.
        watches: what ends this state, openers first and by name.
        scan: the expressions that find it; `regex` searches each delimiter where there are none.
        starting: the same for the start of the message, where other delimiters can stand.
        direct: the marks without which a text needs no search; None where every text needs one.
    """

    region: str | None
    watches: tuple[Watch, ...]
    scan: ScanPlan | None = None
    starting: ScanPlan | None = None
    direct: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class ParserIR:
    """A whole template.

    Attributes:
        defaults: the keys put into every message.
        regions: in the template's order.
        implicit: the name of the field that takes the text that no region claims.
        states: outside first, then the explicit regions by name.
        whole_text: whether a whole text can be parsed without a stream.
    """

    anchor: Anchor
    defaults: dict[str, Any] = field(hash=False)
    regions: tuple[Region, ...]
    implicit: str | None
    states: tuple[State, ...]
    whole_text: bool = False
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

    def map_states(self, change: Callable[[State], State]) -> ParserIR:
        """Change every state."""
        return replace(self, states=tuple(map(change, self.states)))
