"""Grammars as EBNF, as llama.cpp and xgrammar read it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from respc.grammars.automaton import TextAutomaton
from respc.grammars.nodes import (
    Characters,
    Choice,
    FreeText,
    Grammar,
    Literal,
    Node,
    Reference,
    Repeat,
    Sequence,
    text_name,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


_CACHED: Final = 4_096


def ebnf(grammar: Grammar) -> str:
    """Write a grammar whose start is the rule `root`."""
    lines: list[str] = []
    texts: dict[FreeText, None] = {}
    for name, node in (("root", grammar.start), *grammar.rules.items()):
        written = _written(node)
        lines.append(f"{name} ::= {written.source}")
        texts |= dict.fromkeys(written.texts)
    return "\n".join((*lines, *(line for text in texts for line in _lines(text)))) + "\n"


@dataclass(frozen=True, slots=True)
class _Written:
    """A rule as it is written, and the free texts that it refers to."""

    source: str
    texts: tuple[FreeText, ...]


# Requests come with the same tools again and again, and free texts are the same for all of a format.
@lru_cache(maxsize=_CACHED)
def _written(node: Node) -> _Written:
    writer = _Writer()
    return _Written(writer.node(node), tuple(writer.texts))


class _Writer:
    def __init__(self) -> None:
        self.texts: dict[FreeText, None] = {}

    def node(self, node: Node) -> str:
        """Write a node as it stands in a rule."""
        match node:
            case Literal(text):
                return _quoted(text)
            case Characters(ranges, negated):
                return _class(ranges, negated=negated)
            case Sequence(items):
                return " ".join(map(self._item, items)) or '""'
            case Choice(branches):
                return " | ".join(map(self.node, branches))
            case Repeat(item, low, high):
                return self._item(item, repeated=True) + times(low, high)
            case FreeText():
                self.texts[node] = None
                return f"{text_name(node)}-0"
            case Reference(name):
                return name

    def _item(self, node: Node, *, repeated: bool = False) -> str:
        written = self.node(node)
        several = isinstance(node, Choice) or (repeated and isinstance(node, Repeat | Sequence))
        return f"({written})" if several else written


@lru_cache(maxsize=_CACHED)
def _lines(text: FreeText) -> tuple[str, ...]:
    """Write the rules of a free text, one for each state of its automaton."""
    name = text_name(text)
    lines: list[str] = []
    for number, state in enumerate(TextAutomaton(text).states):
        branches = [
            _class(move.characters.ranges, negated=move.characters.negated)
            + (f" {name}-{move.then}" if move.then is not None else "")
            + (f" {_quoted(move.rest)}" if move.rest else "")
            for move in state.moves
        ]
        branches += ['""'] if state.may_stop else []
        lines.append(f"{name}-{number} ::= {' | '.join(branches)}")
    return tuple(lines)


def _quoted(text: str) -> str:
    return '"' + "".join(_escaped(each, '"') for each in text) + '"'


def _class(ranges: Iterable[tuple[str, str]], *, negated: bool) -> str:
    members = "".join(
        _escaped(first, "]^-") + ("" if first == last else f"-{_escaped(last, ']^-')}")
        for first, last in ranges
    )
    return f"[{'^' if negated else ''}{members}]"


def _escaped(character: str, marks: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    if character in marks:
        # Not all of these may stand behind a backslash.
        return f"\\{character}" if character in '"]' else f"\\x{ord(character):02x}"
    if character < " " or character == "\x7f":
        return f"\\x{ord(character):02x}"
    return character
