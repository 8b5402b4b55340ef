"""The writing of objects: properties that are there or not, and what stands between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.grammars.nodes import EMPTY, Literal, Node, Repeat, choice, optional, sequence

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """How an object is written, apart from its values."""

    brackets: tuple[str, str]
    key_quotes: tuple[str, str]
    item_separator: str
    key_separator: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A property as it is written: its key, with what stands behind that, and its values."""

    key: str
    value: Node
    is_required: bool

    def begin(self, *rest: Node) -> Node:
        """Write it with nothing in front of it."""
        return sequence(Literal(self.key), self.value, *rest)

    def behind(self, separator: str) -> Node:
        """Write it behind another one, if it is there."""
        written = sequence(Literal(separator + self.key), self.value)
        return written if self.is_required else optional(written)


def written_pairs(
    pairs: list[Pair], separator: str, more: Node | None, shared: Callable[[Node], Node]
) -> Node:
    """Write properties in their order, those that are not required or not.

    Args:
        pairs: the properties that are declared.
        separator: what stands between two of them.
        more: a property that is not declared; None where there is none.
        shared: makes a rule of what is written in several places.
    """
    # In front of the first property that is required nothing need be written, and behind it something is.
    first = next((number for number, pair in enumerate(pairs) if pair.is_required), len(pairs))
    rest = [each.behind(separator) for each in pairs[first + 1 :]]
    if more is not None:
        rest.append(Repeat(sequence(Literal(separator), more)))
    alone: Node | None = None
    """What is written where nothing was written yet: None for nothing."""
    if first < len(pairs):
        alone = pairs[first].begin(*rest)
        further = sequence(pairs[first].behind(separator), *rest) if first else EMPTY
    else:
        alone = None if more is None else sequence(more, *rest)
        further = sequence(*rest)
    for pair in reversed(pairs[:first]):
        if further != EMPTY and alone is not None:
            further = shared(further)
        begun = pair.begin(further)
        alone = begun if alone is None else choice(begun, alone)
        further = sequence(pair.behind(separator), further)
    if alone is None:
        return EMPTY
    return alone if first < len(pairs) else optional(alone)
