"""The writing of objects: properties that are there or not, and what stands between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from respc.grammars.nodes import EMPTY, Choice, Node, Repeat, led, optional, sequence

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class ObjectLayout(NamedTuple):
    """How an object is written, apart from its values."""

    brackets: tuple[str, str]
    key_quotes: tuple[str, str]
    item_separator: str
    key_separator: str


class Pair(NamedTuple):
    """A property as it is written: its key, with what stands behind that, and its values."""

    key: str
    value: Node
    is_required: bool

    def behind(self, separator: str) -> Node:
        """Write it behind another one, if it is there."""
        written = led(separator + self.key, self.value)
        return written if self.is_required else optional(written)


def written_pairs(
    pairs: list[Pair], separator: str, more: Node | None, shared: Callable[[Node], Node]
) -> Sequence[Node]:
    """Write properties in their order, those that are not required or not.

    Args:
        pairs: the properties that are declared.
        separator: what stands between two of them.
        more: a property that is not declared; None where there is none.
        shared: makes a rule of what is written in several places.

    Returns:
        What comes one after another.
    """
    # In front of the first property that is required nothing need be written, and behind it something is.
    first = next((number for number, pair in enumerate(pairs) if pair.is_required), len(pairs))
    rest = [each.behind(separator) for each in pairs[first + 1 :]]
    if more is not None:
        rest.append(Repeat(led(separator, more)))
    if pairs and not first:
        return led(pairs[0].key, pairs[0].value), *rest
    begun: list[Node] = []
    """What can be written where nothing was written yet, the last of it first."""
    if first < len(pairs):
        begun.append(sequence(led(pairs[first].key, pairs[first].value), *rest))
        further = sequence(pairs[first].behind(separator), *rest)
    else:
        begun += [] if more is None else [sequence(more, *rest)]
        further = sequence(*rest)
    for number in reversed(range(first)):
        if further != EMPTY and begun:
            further = shared(further)
        begun.append(sequence(led(pairs[number].key, pairs[number].value), further))
        further = sequence(pairs[number].behind(separator), further) if number else EMPTY
    if not begun:
        return ()
    # Each begins with another key than all others.
    alone = begun[0] if len(begun) == 1 else Choice(tuple(reversed(begun)))
    return (alone if first < len(pairs) else optional(alone),)
