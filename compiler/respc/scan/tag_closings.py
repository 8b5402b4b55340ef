"""What ends the value of a tag: how it is found without looking at each character of a long value by an expression."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.language import text_of
from respc.scan.shapes import choice_of, flat

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Closing:
    """What ends a value, with the blanks before it that are no part of the value.

    Attributes:
        text: what it is behind those blanks, if that is one text.
        trim: the blanks: ``blanks``, ``newline`` (one at most) or nothing.
        heads: what each alternative begins with behind the blanks, None where the whole is found as well by itself.
    """

    text: str | None
    trim: str
    heads: Node | None


def closing_of(nodes: tuple[Node, ...]) -> Closing | None:
    """Tell how what ends a value is found, or give None where it begins with no certain character.

    The first place of a head is looked for, and there the whole is tried, with the blanks before it, then without. That
    is where `regex` finds it: a match that begins earlier begins with blanks, which go up to a head, and no head
    begins with a blank.
    """
    alternatives = list(_alternatives(nodes))
    found = [_without_trim(items) for items in alternatives]
    trims = {trim for trim, _ in found if trim}
    trim = next(iter(trims), "")
    heads = [head for _, items in found for head in _heads(items)]
    if len(trims) > 1 or not heads or not all(heads):
        return None
    if trim and any(not isinstance(head[0], Text) or head[0].character.isspace() for head in heads):
        return None
    text = text_of(flat(Sequence(found[0][1]))) if len(found) == 1 else None
    if not trim and not any(isinstance(items[0], LookAhead) for items in alternatives):
        return Closing(text, "", None)
    return Closing(text, trim, choice_of(dict.fromkeys(flat(Sequence(head)) for head in heads)))


def without_options(node: Node) -> Node:
    """Leave out what a node may begin with or not, in each of its alternatives."""
    match node:
        case Sequence((first, *rest)):
            if isinstance(first, Repeat) and not first.low:
                return without_options(Sequence(tuple(rest)))
            return Sequence((without_options(first), *rest))
        case Choice(branches):
            return Choice(tuple(map(without_options, branches)))
        case Group(item, name):
            return Group(without_options(item), name)
        case Repeat(_, 0):
            return Sequence(())
        case _:
            return node


def begins_with_run(node: Node) -> bool:
    """Tell whether an alternative begins with a run without bound, in which it would be searched anew everywhere."""
    match node:
        case Sequence((first, *_)):
            return begins_with_run(first)
        case Choice(branches):
            return any(map(begins_with_run, branches))
        case Group(item) | LookAhead(item):
            return begins_with_run(item)
        case Repeat(Text() | OneOf(), _, None):
            return True
        case _:
            return False


def _alternatives(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Take apart the alternatives that nodes begin with, behind blanks too."""
    match nodes:
        case (Sequence(items), *rest):
            yield from _alternatives((*items, *rest))
        case (Group(item), *rest):
            yield from _alternatives((item, *rest))
        case (Choice(branches), *rest):
            for branch in branches:
                yield from _alternatives((branch, *rest))
        case (first, *rest) if _trim(first):
            for items in _alternatives(tuple(rest)):
                yield (first, *items)
        case _:
            yield nodes


def _without_trim(nodes: tuple[Node, ...]) -> tuple[str, tuple[Node, ...]]:
    trim = _trim(nodes[0]) if nodes else ""
    return trim, nodes[1:] if trim else nodes


def _trim(node: Node) -> str:
    match node:
        case Repeat(OneOf() as one, 0, None, False) if one.is_blanks:
            return "blanks"
        case Repeat(Text("\n"), 0, 1, False):
            return "newline"
        case _:
            return ""


def _heads(nodes: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    """Give the characters that nodes begin with, whatever is taken of them or looked at; nothing if that varies."""
    if nodes and isinstance(nodes[0], LookAhead):
        if nodes[0].negative:
            yield ()
            return
        for items in _alternatives((nodes[0].item,)):
            yield from _heads(items)
        return
    yield tuple(takewhile(lambda node: isinstance(node, Text | OneOf), nodes))
