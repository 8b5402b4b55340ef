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
    parts_of,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_SAMPLES: Final = 16
_MOST_STEPS: Final = 2_000
_LONGEST: Final = 400
_DEEPEST: Final = 100
"""Parts inside or after each other that have several texts: each takes a few frames of Python's stack."""

_LETTERS_FIRST: Final = "ax1 \n-.<>{}\"'/=:,"
_BLANKS_FIRST: Final = " \nax1-.<>{}\"'/=:,"


class _Sampler:
    """Makes samples in order: alternatives as they stand, optional parts with and without."""

    def __init__(self, groups: Mapping[str, str], members: str) -> None:
        self._groups = groups
        self._members = members
        self._steps = 0

    def of(self, node: Node, depth: int = 0) -> Iterator[str]:
        self._steps += 1
        if self._steps > _MOST_STEPS or depth > _DEEPEST:
            return
        match node:
            case Text() | OneOf():
                yield self._character(node)
            case Sequence(items):
                yield from self._joined(items, depth)
            case Choice(branches):
                for branch in branches:
                    yield from islice(self.of(branch, depth + 1), _MOST_SAMPLES)
            case Repeat(item, low, high):
                yield from self._repeated(item, low, high, depth + 1)
            case Group(item, name):
                if name is not None and name in self._groups:
                    yield self._groups[name]
                else:
                    yield from self.of(item, depth + 1)
            case Atomic(item):
                yield from self.of(item, depth + 1)
            case LookAhead(item, negative):
                # What it looks for stands behind the match: a good text to try the pattern on.
                yield from self.of(item, depth + 1) if not negative else iter(("",))
            case LookBehind(item):
                yield from self.of(item, depth + 1)
            case Assertion() | Reference() | Opaque():
                yield ""

    def _joined(self, items: tuple[Node, ...], depth: int) -> Iterator[str]:
        start = ""
        for number, item in enumerate(items):
            if len(start) > _LONGEST:
                return
            if isinstance(item, Text | OneOf):
                start += self._character(item)
                continue
            for head in islice(self.of(item, depth + 1), _MOST_SAMPLES):
                for tail in islice(self._joined(items[number + 1 :], depth + 1), _MOST_SAMPLES):
                    if len(start) + len(head) + len(tail) <= _LONGEST:
                        yield start + head + tail
            return
        if len(start) <= _LONGEST:
            yield start

    def _repeated(self, item: Node, low: int, high: int | None, depth: int) -> Iterator[str]:
        most = low + 1 if high is None else min(high, low + 1)
        for times in range(most, low - 1, -1):
            if times == 0:
                yield ""
            for once in islice(self.of(item, depth), _MOST_SAMPLES) if times else ():
                if len(once) * times <= _LONGEST:
                    yield once * times

    def _character(self, node: Text | OneOf) -> str:
        return node.character if isinstance(node, Text) else self._member(node)

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


def plain_characters(node: Node) -> str:
    """List the plain characters of a pattern, in order."""
    return "".join(inner.character for inner in walk(node) if isinstance(inner, Text))


def endless_beginning(tree: Node) -> str | None:
    """Give a text that leads into the first part of a pattern that repeats without bound; None if there is none."""
    for before, part, _, _ in parts_of(tree):
        if isinstance(part, Repeat) and part.high is None:
            shortest = (min(samples(item), key=len, default="") for item in before)
            return "".join(shortest) + next(iter(samples(part.item)), "")
    return None
