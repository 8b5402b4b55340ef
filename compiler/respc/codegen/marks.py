"""What a serving module says of its delimiters: what openers begin with, what ends a turn, where strings are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.codegen.forms import calls_of
from respc.codegen.literals import display_dict, literal
from respc.contents import parser_of
from respc.patterns import parse_pattern
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
from respc_runtime.string_closers import JSON_QUOTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import ParserIR
    from respc.patterns.syntax import Node

_MOST_BEGINNINGS: Final = 32


class _Beginnings:
    """The texts that what was read so far of a pattern begins with.

    Attributes:
        whole: those that are all of it.
        cut: those that something else than text follows.
    """

    __slots__ = ("cut", "whole")

    def __init__(self, whole: Iterable[str] = ("",), cut: Iterable[str] = ()) -> None:
        self.whole = list(dict.fromkeys(whole))[:_MOST_BEGINNINGS]
        self.cut = list(dict.fromkeys(cut))[:_MOST_BEGINNINGS]

    def then(self, node: Node) -> _Beginnings:
        """Read on."""
        match node:
            case Text(character):
                return _Beginnings((text + character for text in self.whole), self.cut)
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
                return _Beginnings((), [*self.cut, *self.whole])
        whole = [text for way in ways for text in way.whole]
        return _Beginnings(whole, [text for way in ways for text in way.cut])

    @property
    def texts(self) -> tuple[str, ...]:
        """List all, but for nothing."""
        return tuple(sorted({text for text in (*self.whole, *self.cut) if text}))


def marks_code(ir: ParserIR) -> str:
    """Write what the openers of each field begin with."""
    marks = {
        region.name: _Beginnings().then(parse_pattern(region.opener.pattern)).texts
        for region in ir.regions
        if region.opener is not None
    }
    return literal({field: texts for field, texts in marks.items() if texts})


def quotes_code(ir: ParserIR, writer: ModuleWriter) -> str:
    """Write which fields' bodies have strings, and what stands around these."""
    quotes = {
        region.name: parser_of(region.content).quotes(region.content.arguments) for region in ir.regions
    }
    return display_dict(
        (literal(field), writer.runtime("JSON_QUOTES") if pairs == JSON_QUOTES else literal(pairs))
        for field, pairs in quotes.items()
        if pairs and ir.region(field).opener is not None and ir.region(field).closer is not None
    )


def open_ended_code(ir: ParserIR) -> str:
    """Write the fields of calls whose bodies can be read though they are cut off."""
    fields = calls_of(ir)
    return literal(tuple(region.name for region in fields if not parser_of(region.content).shows_end))


def ends_of_turn_code(ir: ParserIR) -> str:
    r"""Write the texts behind which the message is over: in closers they stand before ``[\s\S]*``."""
    ends: set[str] = set()
    for region in ir.regions:
        if region.closer is not None:
            ends.update(_before_any_text(parse_pattern(region.closer.pattern)))
    return literal(tuple(sorted(ends)))


def _before_any_text(node: Node) -> set[str]:
    """List the texts before a last run of any characters."""
    match node:
        case Choice(branches):
            return {text for branch in branches for text in _before_any_text(branch)}
        case Group(item) | Atomic(item):
            return _before_any_text(item)
        case Sequence((*before, last)) if _takes_all(last):
            return set(_Beginnings().then(Sequence(tuple(before))).whole) - {""}
        case Sequence((*_, last)):
            return (
                _before_any_text(last) if isinstance(last, Group | Choice) and len(node.items) == 1 else set()
            )
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
