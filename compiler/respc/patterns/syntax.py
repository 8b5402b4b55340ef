"""The syntax tree of a pattern: the part of the `regex` module's language that the compiler can reason about.

Whatever it has no node for is `Opaque`, about which nothing may be assumed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Text:
    """One character, matched as it is."""

    character: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """One character of a class.

    ``characters`` is the class, None if it is too large to list or not known; ``negated`` turns it round. ``members``
    is what the class would say between brackets, None if the compiler cannot write it.
    """

    characters: frozenset[str] | None
    negated: bool = False
    members: str | None = None

    @property
    def is_blanks(self) -> bool:
        r"""Tell whether the class is ``\s``."""
        return self.members == r"\s" and not self.negated

    @property
    def source(self) -> str | None:
        """Give the class as a pattern."""
        if self.members is None:
            return None
        if not self.members:
            return r"[\s\S]" if self.negated else None
        return f"[{'^' if self.negated else ''}{self.members}]"


@dataclass(frozen=True, slots=True)
class Sequence:
    """Items one after another."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of the branches that leads to a match."""

    branches: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """``item`` at least ``low`` times, at most ``high`` (None: without bound)."""

    item: Node
    low: int
    high: int | None
    lazy: bool = False


@dataclass(frozen=True, slots=True)
class Atomic:
    """An item that keeps its first way to match; possessive repeats too."""

    item: Node


@dataclass(frozen=True, slots=True)
class Group:
    """A capture group."""

    item: Node
    name: str | None


@dataclass(frozen=True, slots=True)
class LookAhead:
    """A condition on the text that follows; ``negative``: that it is not there."""

    item: Node
    negative: bool = False


@dataclass(frozen=True, slots=True)
class LookBehind:
    """A condition on the text before."""

    item: Node


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition on a place: the start or end of the text or of a line, the edge of a word."""

    looks_back: int
    """How many characters before the place it may look at."""
    kind: str = ""
    """What it is: ``start`` or ``end`` of the text, ``last line end`` (also before a final newline), ``word edge`` (as
    `\\b` is), or another."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a named group took, once more."""

    name: str


@dataclass(frozen=True, slots=True)
class Opaque:
    """Something that the compiler does not reason about: recursion, fuzzy matching and the like."""

    what: str


Node: TypeAlias = (
    Text
    | OneOf
    | Sequence
    | Choice
    | Repeat
    | Atomic
    | Group
    | LookAhead
    | LookBehind
    | Assertion
    | Reference
    | Opaque
)


def children(node: Node) -> tuple[Node, ...]:
    """Give the nodes right inside a node."""
    match node:
        case Sequence(parts) | Choice(parts):
            return parts
        case Repeat(item) | Atomic(item) | Group(item) | LookAhead(item) | LookBehind(item):
            return (item,)
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Iterate over a node and all that is in it."""
    yield node
    for child in children(node):
        yield from walk(child)


def parts_of(
    node: Node, before: tuple[Node, ...] = (), rest: tuple[Node, ...] = (), passed: bool = False
) -> Iterator[tuple[tuple[Node, ...], Choice | Repeat, tuple[Node, ...], bool]]:
    """Find the choices and repeats, what comes before and after each, and whether there is a way past it."""
    match node:
        case Sequence(items):
            for position, item in enumerate(items):
                if not isinstance(item, Text | OneOf):
                    yield from parts_of(
                        item, (*before, *items[:position]), (*items[position + 1 :], *rest), passed
                    )
        case Choice(items):
            yield before, node, rest, passed
            for item in items:
                yield from parts_of(item, before, rest, True)
        case Repeat(item, low):
            yield before, node, rest, passed
            yield from parts_of(item, before, rest, passed or low == 0)
        case Atomic(item) | Group(item) | LookAhead(item) | LookBehind(item):
            yield from parts_of(item, before, rest, passed)
        case _:
            pass
