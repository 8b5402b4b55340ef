"""Texts that a pattern matches, made from its syntax tree: to try it on, and to show in messages."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from respc.patterns.classes import has
from respc.patterns.syntax import (
    Assertion,
    Atomic,
    Choice,
    Group,
    LookAhead,
    LookBehind,
    Node,
    OneOf,
    Opaque,
    Reference,
    Repeat,
    Sequence,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_SAMPLES: Final = 16
_MOST_STEPS: Final = 2_000
_LONGEST: Final = 400
_LETTERS_FIRST: Final = "ax1 \n-.<>{}\"'/=:,"
_BLANKS_FIRST: Final = " \nax1-.<>{}\"'/=:,"


class _Sampler:
    """Makes samples in order: alternatives as they stand, optional parts with and without."""

    def __init__(self, groups: Mapping[str, str], members: str) -> None:
        self._groups = groups
        self._members = members
        self._steps = 0

    def of(self, node: Node) -> Iterator[str]:
        self._steps += 1
        if self._steps > _MOST_STEPS:
            return
        match node:
            case Text(character):
                yield character
            case OneOf():
                yield self._member(node)
            case Sequence(items):
                yield from self._joined(items)
            case Choice(branches):
                for branch in branches:
                    yield from islice(self.of(branch), _MOST_SAMPLES)
            case Repeat(item, low, high):
                yield from self._repeated(item, low, high)
            case Group(item, name):
                if name is not None and name in self._groups:
                    yield self._groups[name]
                else:
                    yield from self.of(item)
            case Atomic(item):
                yield from self.of(item)
            case LookAhead(item, negative):
                # What it looks for stands behind the match: a good text to try the pattern on.
                yield from self.of(item) if not negative else iter(("",))
            case LookBehind(item):
                yield from self.of(item)
            case Assertion() | Reference() | Opaque():
                yield ""

    def _joined(self, items: tuple[Node, ...]) -> Iterator[str]:
        if not items:
            yield ""
            return
        if len(items) > _LONGEST:
            return
        for head in islice(self.of(items[0]), _MOST_SAMPLES):
            for tail in islice(self._joined(items[1:]), _MOST_SAMPLES):
                if len(head) + len(tail) <= _LONGEST:
                    yield head + tail

    def _repeated(self, item: Node, low: int, high: int | None) -> Iterator[str]:
        most = low + 1 if high is None else min(high, low + 1)
        for times in range(most, low - 1, -1):
            if times == 0:
                yield ""
            for once in islice(self.of(item), _MOST_SAMPLES) if times else ():
                if len(once) * times <= _LONGEST:
                    yield once * times

    def _member(self, node: OneOf) -> str:
        listed = sorted(node.characters) if node.characters and not node.negated else []
        if node.source is None:
            return (listed or self._members)[0]
        tried = (each for each in (*self._members, *listed) if has(node, each))
        return next(tried, self._members[0])


def samples(tree: Node, groups: Mapping[str, str] | None = None) -> list[str]:
    """List a few different texts that a pattern should match, optional parts present in the first.

    The text that a look-ahead asks for is at its place. Where the tree is opaque, or a look-around asks for something
    else, a text may not match: try it.

    Args:
        tree: the pattern.
        groups: texts that named groups are to hold.
    """
    texts: dict[str, None] = {}
    for members in (_LETTERS_FIRST, _BLANKS_FIRST):
        texts |= dict.fromkeys(islice(_Sampler(groups or {}, members).of(tree), _MOST_SAMPLES // 2))
    return list(texts)


def endless_beginning(tree: Node) -> str | None:
    """Give a text that leads into the first part of a pattern that repeats without bound; None if there is none."""
    match tree:
        case Repeat(item, _, None):
            return next(iter(samples(item)), "")
        case Sequence(items):
            before = ""
            for item in items:
                inside = endless_beginning(item)
                if inside is not None:
                    return before + inside
                before += min(samples(item), key=len, default="")
            return None
        case Choice(branches):
            return next(
                (found for branch in branches if (found := endless_beginning(branch)) is not None), None
            )
        case Repeat(item) | Group(item) | Atomic(item) | LookAhead(item) | LookBehind(item):
            return endless_beginning(item)
        case _:
            return None
