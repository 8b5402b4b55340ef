"""Where every key and value of a JSON document stands in its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.source.pointers import child_pointer, pointer_keys

if TYPE_CHECKING:
    from respc.source.spans import SourceText, Span


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a value and, for a member of an object, of its key (quotes included)."""

    key: Span | None
    value: Span


class PlaceNode:
    """Offsets of one value, its key and its children; ``key_start`` is -1 where there is no key."""

    __slots__ = ("children", "end", "key_end", "key_start", "start")

    def __init__(self, key_start: int, key_end: int, start: int, end: int) -> None:
        self.key_start = key_start
        self.key_end = key_end
        self.start = start
        self.end = end
        self.children: dict[str, PlaceNode] | list[PlaceNode] | None = None

    def child(self, key: str) -> PlaceNode | None:
        """Return the child at one step of a JSON pointer, or None."""
        if isinstance(self.children, dict):
            return self.children.get(key)
        if isinstance(self.children, list) and _is_index(key, len(self.children)):
            return self.children[int(key)]
        return None


def _is_index(key: str, count: int) -> bool:
    if not (key.isascii() and key.isdigit()) or (key[0] == "0" and key != "0"):
        return False
    return len(key) <= len(str(count)) and int(key) < count


class Places(Mapping[str, Place]):
    """The places of a document by JSON pointer.

    A tree of offsets underneath: pointers and spans are made when asked for, because a pointer for every
    value would cost the square of the document where keys are long.
    """

    __slots__ = ("_root", "_source")

    def __init__(self, root: PlaceNode, source: SourceText) -> None:
        self._root = root
        self._source = source

    def __getitem__(self, pointer: str) -> Place:
        return self._place(self._node(pointer))

    def __iter__(self) -> Iterator[str]:
        waiting: list[tuple[str, PlaceNode]] = [("", self._root)]
        while waiting:
            pointer, node = waiting.pop()
            yield pointer
            if isinstance(node.children, dict):
                named = [(child_pointer(pointer, key), child) for key, child in node.children.items()]
            else:
                children = enumerate(node.children or ())
                named = [(child_pointer(pointer, index), child) for index, child in children]
            waiting.extend(reversed(named))

    def __len__(self) -> int:
        count, waiting = 0, [self._root]
        while waiting:
            count += 1
            children = waiting.pop().children
            waiting.extend(children.values() if isinstance(children, dict) else children or ())
        return count

    def nearest(self, pointer: str) -> Place:
        """Return the place at ``pointer``, or of what would enclose it where there is no such value."""
        node = self._root
        for key in pointer_keys(pointer):
            child = node.child(key)
            if child is None:
                break
            node = child
        return self._place(node)

    def value_offsets(self, pointer: str) -> tuple[int, int]:
        """Return the offsets in the text where the value at ``pointer`` starts and ends; KeyError if none."""
        node = self._node(pointer)
        return node.start, node.end

    def _node(self, pointer: str) -> PlaceNode:
        try:
            keys = pointer_keys(pointer)
        except ValueError:
            raise KeyError(pointer) from None
        node = self._root
        for key in keys:
            child = node.child(key)
            if child is None:
                raise KeyError(pointer)
            node = child
        return node

    def _place(self, node: PlaceNode) -> Place:
        key = None if node.key_start < 0 else self._source.span(node.key_start, node.key_end)
        return Place(key, self._source.span(node.start, node.end))
