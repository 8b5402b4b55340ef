"""Questions about the shape of a pattern's syntax tree."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from respc.patterns.facts import first_nodes
from respc.patterns.syntax import (
    Assertion,
    Choice,
    Group,
    LookAhead,
    Node,
    OneOf,
    Repeat,
    Sequence,
    Text,
    walk,
)
from respc.scan.spelling import is_gap, is_run

if TYPE_CHECKING:
    from collections.abc import Iterable


def alternatives_of(tree: Node) -> tuple[Node, ...]:
    """Give the branches of a pattern, apart where one depends on the start of the message or begins with a run."""
    match flat(tree):
        case Choice(branches):
            if (shared := _shared_special(branches)) is not None:
                return alternatives_of(shared)
            return tuple(inner for branch in branches for inner in alternatives_of(branch))
        case Group(item, None):
            return alternatives_of(item)
        case Sequence((Choice(branches), *rest)) if any(map(_stands_apart, branches)):
            # In their order, for of several that match the first counts.
            parts: list[Node] = []
            for apart, together in groupby(branches, _stands_apart):
                alike = tuple(together)
                parts += alike if apart else (choice_of(alike),)
            return tuple(flat(Sequence((part, *rest))) for part in parts)
        case Sequence((Repeat(item, 0, 1, False), *rest)) if rest and (_is_special(item) or is_run(rest[0])):
            return (flat(Sequence((item, *rest))), *alternatives_of(Sequence(tuple(rest))))
        case only:
            return (only,)


def _shared_special(branches: tuple[Node, ...]) -> Node | None:
    """Write branches as one, as `regex` reads them, where all begin with one choice that has the start in it.

    What that choice prefers then counts more than the order of the branches.
    """
    firsts: set[Node] = set()
    rests: list[Node] = []
    for branch in map(flat, branches):
        match branch:
            case Sequence((Choice(inner) as first, *rest)) if any(map(_is_special, inner)):
                firsts.add(first)
                rests.append(flat(Sequence(tuple(rest))))
            case _:
                return None
    return Sequence((*firsts, Choice(tuple(rests)))) if len(firsts) == 1 < len(branches) else None


def flat(node: Node) -> Node:
    """Take sequences inside a sequence apart, and a sequence of one item."""
    if not isinstance(node, Sequence):
        return node
    items: list[Node] = []
    for item in map(flat, node.items):
        items += item.items if isinstance(item, Sequence) else (item,)
    return items[0] if len(items) == 1 else Sequence(tuple(items))


def _stands_apart(branch: Node) -> bool:
    return _is_special(branch) or leading_run(branch) is not None


def _is_special(branch: Node) -> bool:
    return isinstance(branch, Assertion) or starts_message(branch)


def starts_message(branch: Node) -> bool:
    """Tell whether a branch matches nowhere but at the start of the message."""
    return is_start(_first_item(branch))


def _first_item(branch: Node) -> Node:
    while isinstance(branch, Sequence) and branch.items:
        branch = branch.items[0]
    return branch


def past_start(branch: Node) -> Node:
    """Give a branch without the start of the message, where it stands first."""
    if isinstance(branch, Sequence) and branch.items and is_start(branch.items[0]):
        return flat(Sequence(branch.items[1:]))
    return branch


def is_optional(node: Node) -> bool:
    """Tell whether a node may take nothing."""
    match node:
        case Repeat(item, low):
            return low == 0 or is_optional(item)
        case Sequence(items):
            return all(map(is_optional, items))
        case Choice(items):
            return any(map(is_optional, items))
        case Group(item) | LookAhead(item):
            return is_optional(item)
        case Assertion():
            return True
        case _:
            return False


def first_characters(node: Node) -> list[Text | OneOf]:
    """List what a node can begin with."""
    return [first for first in first_nodes(node, is_optional) if isinstance(first, Text | OneOf)]


def leading_run(branch: Node) -> Repeat | None:
    """Give the run without bound that a branch begins with; a lazy one only where it takes any character."""
    first = _first_item(branch)
    return first if isinstance(first, Repeat) and (is_run(first) or is_gap(first)) else None


def looks_ahead(node: Node) -> bool:
    """Tell whether a pattern looks at text behind its match."""
    return any(isinstance(inner, LookAhead) for inner in walk(node))


def choice_of(branches: Iterable[Node]) -> Node:
    """Give a choice of branches, or the only one."""
    first, *others = branches
    return Choice((first, *others)) if others else first


def leading_text(items: Iterable[Node]) -> str:
    """Give the text that a sequence begins with."""
    text = ""
    for item in items:
        if not isinstance(item, Text):
            break
        text += item.character
    return text


def items_of(branch: Node) -> tuple[Node, ...]:
    """Give what comes one after another in a branch."""
    return branch.items if isinstance(branch, Sequence) else (branch,)


def takes_nothing(branch: Node) -> bool:
    """Tell whether a branch only looks at text, and takes none."""
    return all(isinstance(item, LookAhead | Assertion) for item in items_of(branch))


def may_take_nothing(branch: Node) -> bool:
    """Tell whether a branch can match without taking text, whatever it looks at."""
    return all(isinstance(item, LookAhead) or is_optional(item) for item in items_of(branch))


def looks_after_run(branch: Node) -> bool:
    """Tell whether a branch takes text of no fixed length, and then looks ahead."""
    return looks_ahead(branch) and not all(
        isinstance(item, Text | OneOf | LookAhead | Assertion) for item in items_of(branch)
    )


def is_start(node: Node) -> bool:
    """Tell whether a node is the start of the message."""
    return isinstance(node, Assertion) and node.kind == "start"


def spread(branch: Node) -> tuple[Node, ...]:
    """Take a branch apart so that as many of its parts as possible begin with a text, in their order."""
    match branch:
        case Choice(branches) if first_text(branch) is None:
            return tuple(inner for each in branches for inner in spread(each))
        case Sequence((Choice() as choice, *rest)) if first_text(choice) is None:
            parts = [each for each in choice.branches if first_text(each) is not None]
            if len(parts) < len(choice.branches):
                return (branch,)
            groups: dict[str, list[Node]] = {}
            for each in parts:
                groups.setdefault(first_text(each) or "", []).append(each)
            return tuple(flat(Sequence((choice_of(each), *rest))) for each in groups.values())
        case Sequence((Repeat(item, 0, 1, False), *rest)) if rest:
            without = flat(Sequence(tuple(rest)))
            return (*spread(flat(Sequence((item, *rest)))), *spread(without))
        case _:
            return (branch,)


def first_text(node: Node) -> str | None:
    """Give the character that a node begins with, if it is always the same and `re` sees that."""
    match node:
        case Text(character):
            return character
        case Sequence((first, *_)):
            return first_text(first)
        case Choice(branches):
            firsts = {first_text(each) for each in branches}
            return firsts.pop() if len(firsts) == 1 else None
        case Group(item, None):
            return first_text(item)
        case Repeat(Text() as item, low) if low:
            return first_text(item)
        case _:
            return None


_MOST_APART = 2
"""How many times as large as together branches may become where they are taken apart."""


def apart_by_first(branches: tuple[Node, ...]) -> list[tuple[Node, ...]]:
    """Group branches by the character that they begin with, where each has one; leave them together otherwise.

    `re` sees by itself where such groups can begin; for the others, there are gates.
    """
    parts = [part for branch in branches for part in spread(branch)]
    if sum(map(_size, parts)) > _MOST_APART * sum(map(_size, branches)):
        return [branches]  # what is written over and over would hide what it says
    groups: dict[str, list[Node]] = {}
    for part in parts:
        first = None if leading_run(part) is not None else first_text(part)
        if first is None:
            return [branches] if branches else []
        groups.setdefault(first, []).append(part)
    return [tuple(group) for group in groups.values()]


def _size(node: Node) -> int:
    return sum(1 for _ in walk(node))
