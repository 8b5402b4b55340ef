"""What follows from a pattern's syntax tree. Every fact errs on the safe side where the tree is opaque."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product, repeat
from typing import TYPE_CHECKING

from respc.patterns.classes import is_any, listed
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
    children,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_MOST_ALTERNATIVES = 64
_LONGEST_TEXT = 1_000


@dataclass(frozen=True, slots=True)
class PatternFacts:
    """What is known of a pattern.

    Attributes:
        can_be_empty: whether a match can have no width; true when not known.
        first: the characters at which a match, whole or partial, can begin; None when not known or too many to list.
        left_context: how many characters before a match it may look at; None without bound.
        looks_ahead: whether it may look at text behind its match.
        literals: the texts it matches in order of preference, if it matches nothing else and looks at nothing else.
        sure_groups: named groups that take part in every match.
        reach: how many characters from its start on an attempt to match may look at; None without bound.
        takes_rest: whether every match goes on to the end of the text, and does so whatever comes.
    """

    can_be_empty: bool
    first: frozenset[str] | None
    left_context: int | None
    looks_ahead: bool
    literals: tuple[str, ...] | None
    sure_groups: frozenset[str]
    reach: int | None = None
    takes_rest: bool = False

    @property
    def plain_texts(self) -> tuple[str, ...] | None:
        """Give the literals, if none is empty and none holds U+0000, with which the interpreter probes matches."""
        if self.literals is None or any(not text or "\0" in text for text in self.literals):
            return None
        return self.literals


def pattern_facts(tree: Node) -> PatternFacts:
    """Work out what is known of a pattern from its syntax tree."""
    empty = _can_be_empty(tree)
    looks_ahead = any(isinstance(node, LookAhead | Opaque) for node in walk(tree))
    return PatternFacts(
        can_be_empty=empty,
        first=None if empty else _first(tree),
        left_context=_left_context(tree),
        looks_ahead=looks_ahead,
        literals=_literals(tree),
        sure_groups=_sure_groups(tree),
        reach=_reach(tree),
        takes_rest=_takes_rest(tree) and not looks_ahead,
    )


def literal_facts(literals: tuple[str, ...]) -> PatternFacts:
    """Give the facts of an alternation of literals, none of which is empty."""
    return PatternFacts(
        can_be_empty=False,
        first=frozenset(text[0] for text in literals),
        left_context=0,
        looks_ahead=False,
        literals=literals,
        sure_groups=frozenset(),
    )


def _can_be_empty(node: Node) -> bool:
    match node:
        case Text() | OneOf():
            return False
        case Sequence(items):
            return all(map(_can_be_empty, items))
        case Choice(branches):
            return any(map(_can_be_empty, branches))
        case Repeat(item, low):
            return low == 0 or _can_be_empty(item)
        case Atomic(item) | Group(item, _):
            return _can_be_empty(item)
        case LookAhead() | LookBehind() | Assertion() | Reference() | Opaque():
            return True


def _first(tree: Node) -> frozenset[str] | None:
    """List the characters at which a match can begin, those that a look-ahead reads from the same place included:
    a partial match is reported there even where the whole pattern could never match."""
    return listed(first_nodes(tree, _can_be_empty))


def first_nodes(node: Node, may_be_empty: Callable[[Node], bool]) -> Iterator[Node]:
    """Find what a node can begin with: characters and classes, and what is not known.

    Args:
        node: the node.
        may_be_empty: whether something can take nothing, so that a sequence can begin with what follows it.
    """
    match node:
        case Sequence(items):
            for item in items:
                yield from first_nodes(item, may_be_empty)
                if not may_be_empty(item):
                    break
        case Text() | OneOf() | Reference() | Opaque():
            yield node
        case LookBehind() | Assertion():
            pass
        case _:
            for child in children(node):
                yield from first_nodes(child, may_be_empty)


def _left_context(node: Node) -> int | None:
    match node:
        case Text() | OneOf() | Reference():
            return 0
        case Sequence(parts) | Choice(parts):
            contexts = [_left_context(part) for part in parts]
            return None if None in contexts else max((c for c in contexts if c is not None), default=0)
        case Repeat(item) | Atomic(item) | Group(item, _) | LookAhead(item):
            return _left_context(item)
        case LookBehind(item):
            width, context = longest(item), _left_context(item)
            return None if width is None or context is None else width + context
        case Assertion(looks_back):
            return looks_back
        case Opaque():
            return None


def _reach(node: Node) -> int | None:
    match node:
        case Text() | OneOf():
            return 1
        case Assertion():
            return 2  # a newline, and that nothing comes after it
        case Reference() | Opaque():
            return None
        case Repeat(high=None):
            return None
        case _:
            reaches = [_reach(child) for child in children(node)]
            known = [reach for reach in reaches if reach is not None]
            times = node.high if isinstance(node, Repeat) and node.high is not None else 1
            return times * sum(known) if len(known) == len(reaches) else None


def longest(node: Node, *, seen: bool = False) -> int | None:
    """Give the length of the longest match of a node, or of the text that it takes or looks ahead at, if that is asked.

    None if it has no bound, or is not known.
    """
    match node:
        case Text() | OneOf():
            return 1
        case Sequence(items) | Choice(items):
            lengths = [longest(item, seen=seen) for item in items]
            known = [length for length in lengths if length is not None]
            if len(known) < len(lengths):
                return None
            return sum(known) if isinstance(node, Sequence) else max(known, default=0)
        case Repeat(item, _, high):
            length = longest(item, seen=seen)
            return None if high is None or length is None else high * length
        case Atomic(item) | Group(item, _):
            return longest(item, seen=seen)
        case LookAhead(item) if seen:
            return longest(item, seen=seen)
        case LookAhead() | LookBehind() | Assertion():
            return 0
        case Reference() | Opaque():
            return None


def _takes_rest(node: Node) -> bool:
    match node:
        case Sequence(items) if items:
            return _takes_rest(items[-1])
        case Choice(branches):
            return all(map(_takes_rest, branches))
        case Group(item):
            return _takes_rest(item)
        case Repeat(OneOf() as item, _, None, lazy=False):
            return is_any(item)
        case _:
            return False


def _literals(node: Node) -> tuple[str, ...] | None:
    """List the texts of a pattern that is a choice of plain texts, in order of preference."""
    match node:
        case Text(character):
            return (character,)
        case Sequence(items):
            return _joined(map(_literals, items))
        case Choice(branches):
            return _literals_of_branches(branches)
        case Repeat(item, low, high) if low == high:
            # The item is read once: nested repeats would otherwise take time exponential in their depth.
            return _joined(repeat(_literals(item), low)) if low <= _MOST_ALTERNATIVES else None
        case Group(item, None):
            return _literals(item)
        case _:
            return None


def _joined(parts: Iterable[tuple[str, ...] | None]) -> tuple[str, ...] | None:
    texts: tuple[str, ...] = ("",)
    for tails in parts:
        if tails is None or len(texts) * len(tails) > _MOST_ALTERNATIVES:
            return None
        texts = tuple(head + tail for head, tail in product(texts, tails))
        if max(map(len, texts), default=0) > _LONGEST_TEXT:
            return None
    return texts


def _literals_of_branches(branches: tuple[Node, ...]) -> tuple[str, ...] | None:
    texts: list[str] = []
    for branch in branches:
        more = _literals(branch)
        if more is None or len(texts) + len(more) > _MOST_ALTERNATIVES:
            return None
        texts += more
    return tuple(dict.fromkeys(texts))


def _sure_groups(node: Node) -> frozenset[str]:
    match node:
        case Sequence(items):
            return frozenset[str]().union(*map(_sure_groups, items))
        case Choice(branches):
            return frozenset[str].intersection(*map(_sure_groups, branches))
        case Repeat(item, low) if low > 0:
            return _sure_groups(item)
        case Atomic(item):
            return _sure_groups(item)
        case Group(item, name):
            return _sure_groups(item) | (frozenset[str]() if name is None else {name})
        case _:
            return frozenset()
