"""The texts that a pattern begins with, as far as it is text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.patterns.classes import is_any
from respc.patterns.syntax import (
    Assertion,
    Atomic,
    Choice,
    Group,
    LookAhead,
    LookBehind,
    OneOf,
    Repeat,
    Sequence,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.patterns.syntax import Node

_MOST_BEGINNINGS: Final = 32


class Beginnings:
    """The texts that what was read so far of a pattern begins with.

    Attributes:
        whole: those that are all of it.
        cut: those that something else than text follows.
    """

    __slots__ = ("cut", "whole")

    def __init__(self, whole: Iterable[str] = ("",), cut: Iterable[str] = ()) -> None:
        self.whole = list(dict.fromkeys(whole))[:_MOST_BEGINNINGS]
        self.cut = list(dict.fromkeys(cut))[:_MOST_BEGINNINGS]

    def then(self, node: Node) -> Beginnings:
        """Read on."""
        match node:
            case Text(character):
                return Beginnings((text + character for text in self.whole), self.cut)
            case Sequence(items):
                read = self
                for item in items:
                    read = read.then(item)
                return read
            case Choice(branches):
                ways = [self.then(branch) for branch in branches]
            case Group(item) | Atomic(item):
                return self.then(item)
            case Repeat(item, 0, 1):
                ways = [self.then(item), self]
            case LookAhead() | LookBehind() | Assertion():
                return self
            case _ if _is_blank(node) and self.whole == [""]:
                return self
            case _:
                return Beginnings((), [*self.cut, *self.whole])
        whole = [text for way in ways for text in way.whole]
        return Beginnings(whole, [text for way in ways for text in way.cut])

    @property
    def texts(self) -> tuple[str, ...]:
        """List all, but for nothing."""
        return tuple(sorted({text for text in (*self.whole, *self.cut) if text}))


def texts_before_all(node: Node) -> set[str]:
    r"""List the texts behind which a pattern takes all that follows: they stand before a last ``[\s\S]*``."""
    match node:
        case Choice(branches):
            return {text for branch in branches for text in texts_before_all(branch)}
        case Group(item) | Atomic(item):
            return texts_before_all(item)
        case Sequence((*before, last)) if _takes_all(last):
            return set(Beginnings().then(Sequence(tuple(before))).whole) - {""}
        case Sequence((only,)):
            return texts_before_all(only)
        case _:
            return set()


def _takes_all(node: Node) -> bool:
    return (
        isinstance(node, Repeat)
        and isinstance(node.item, OneOf)
        and (node.low, node.high, node.lazy) == (0, None, False)
        and is_any(node.item)
    )


def _is_blank(node: Node) -> bool:
    item = node.item if isinstance(node, Repeat) else node
    return (isinstance(item, OneOf) and item.is_blanks) or (
        isinstance(item, Text) and item.character.isspace()
    )
