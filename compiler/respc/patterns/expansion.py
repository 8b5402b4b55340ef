"""From a pattern's syntax tree to plain sequences of steps, one for each way through it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeAlias

from respc.patterns.classes import is_any, only_member
from respc.patterns.parse import escaped_member
from respc.patterns.steps import (
    Ahead,
    AheadEnd,
    AtEnd,
    AtStart,
    Echo,
    Gap,
    GroupEnd,
    GroupStart,
    Here,
    Run,
    Step,
    Value,
)
from respc.patterns.syntax import (
    Assertion,
    Choice,
    Group,
    LookAhead,
    Node,
    OneOf,
    Reference,
    Repeat,
    Sequence,
    Text,
    children,
)

_MOST_ALTERNATIVES = 12
_LONGEST_SEQUENCE = 2_000
"""Ways are written anew with each item, which takes time that grows with the square of their number."""

Piece: TypeAlias = Step | Repeat | AheadEnd


def expand(node: Node) -> list[tuple[Piece, ...]] | None:
    """Write a pattern as a list of plain sequences, in order of preference."""
    match node:
        case Text(character):
            return [(Here(character),)]
        case OneOf():
            return [(Run(node, 1, 1),)] if node.source else None
        case Sequence(items):
            return _expand_sequence(items)
        case Choice(branches):
            parts = [expand(branch) for branch in branches]
            return _bounded([way for part in parts for way in part or []]) if None not in parts else None
        case Repeat():
            return _expand_repeat(node)
        case Group(item, name):
            inner = expand(item)
            if inner is None or name is None:
                return inner
            return [(GroupStart(name), *way, GroupEnd(name)) for way in inner]
        case Reference(name):
            return [(Echo(name),)]
        case LookAhead(item, negative=False):
            inner = expand(item)
            return None if inner is None else [(Ahead(), *way, AheadEnd()) for way in inner]
        case Assertion(kind="start"):
            return [(AtStart(),)]
        case Assertion(kind="end" | "last line end" as kind):
            return [(AtEnd(before_newline=kind == "last line end"),)]
        case _:
            return None


def has_lazy_option(node: Node) -> bool:
    """Tell whether a part of a pattern may be there, but is left out where that fits."""
    if isinstance(node, Repeat) and node.lazy and (node.low, node.high) == (0, 1):
        return True
    return any(map(has_lazy_option, children(node)))


def with_short_runs(node: Node) -> Node:
    """Write every optional character as a run of its class, which may be certain where a choice is not."""
    match node:
        case Repeat(Sequence((item,)), 0, 1):
            return with_short_runs(replace(node, item=item))
        case Repeat(Text(character), 0, 1, lazy):
            return Repeat(OneOf(frozenset(character), members=escaped_member(character)), 0, 1, lazy)
        case Sequence(items):
            return Sequence(tuple(map(with_short_runs, items)))
        case Choice(branches):
            return Choice(tuple(map(with_short_runs, branches)))
        case Repeat(item) | Group(item) | LookAhead(item):
            return replace(node, item=with_short_runs(item))
        case _:
            return node


def _expand_sequence(items: tuple[Node, ...]) -> list[tuple[Piece, ...]] | None:
    if len(items) > _LONGEST_SEQUENCE:
        return None
    ways: list[tuple[Piece, ...]] = [()]
    for item in items:
        more = expand(item)
        if more is None:
            return None
        bounded = _bounded([way + tail for way in ways for tail in more])
        if bounded is None:
            return None
        ways = bounded
    return ways


def _expand_repeat(node: Repeat) -> list[tuple[Piece, ...]] | None:
    item = node.item
    members = item if isinstance(item, OneOf) else None
    if isinstance(item, Text):
        members = OneOf(frozenset(item.character), members=escaped_member(item.character))
    if node.low == 0 and node.high == 1 and not isinstance(item, OneOf):
        inner = expand(item)
        if inner is None:
            return None
        return _bounded([(), *inner] if node.lazy else [*inner, ()])
    if members is None or members.source is None:
        return None
    if node.lazy and node.high is None and is_any(members):
        return [(node,)]
    return [(Run(members, node.low, node.high, node.lazy),)]


def _bounded(ways: list[tuple[Piece, ...]]) -> list[tuple[Piece, ...]] | None:
    return ways if len(ways) <= _MOST_ALTERNATIVES else None


def merge(pieces: tuple[Piece, ...]) -> tuple[Step, ...] | None:
    """Join single characters to texts, and lazy gaps to the text that ends them."""
    steps: list[Step] = []
    waiting: list[Piece] = []  # a lazy gap, and what came after it until a text ends it
    for position, piece in enumerate(pieces):
        last = steps[-1] if steps else None
        if isinstance(piece, AheadEnd):
            if position != len(pieces) - 1:
                return None
        elif isinstance(piece, Repeat) or (waiting and not isinstance(piece, Here)):
            waiting.append(piece)
        elif isinstance(piece, Here) and waiting:
            ended = _ended_gap(waiting, piece.text, last)
            if ended is None:
                return None
            if isinstance(ended, Value):
                steps.pop()
            steps.append(ended)
            waiting = []
        elif isinstance(piece, Here) and isinstance(last, Here | Gap | Value):
            steps[-1] = replace(last, text=last.text + piece.text)
        else:
            steps.append(piece)
    return None if waiting else tuple(steps)


def _ended_gap(waiting: list[Piece], text: str, last: Step | None) -> Gap | Value | None:
    """Make a step of a lazy gap and the text that ends it; None for one that is more than that."""
    match waiting:
        case [Repeat(low=low)]:
            return Gap(low, text)
        case [Repeat(low=0), GroupEnd(name)] if last == GroupStart(name):
            return Value(name, text, None)
        case [Repeat(low=0), GroupEnd(name), Run(members, 0, high) as trims] if last == GroupStart(name):
            trimmed = (members.is_blanks and high is None) or (only_member(members) and high == 1)
            return Value(name, text, trims) if trimmed and not trims.lazy else None
        case _:
            return None
