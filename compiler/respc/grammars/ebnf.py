"""Grammars as EBNF, as llama.cpp and xgrammar read it."""

from __future__ import annotations

import re
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
)

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9-]")


def ebnf(grammar: Grammar) -> str:
    """Write a grammar whose start is the rule `root`."""
    return _Writer(grammar).text()


class _Writer:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._texts: dict[FreeText, str] = {}
        self._rules: list[str] = []

    def text(self) -> str:
        """Write all rules."""
        rules = [("root", self._grammar.start), *self._grammar.rules.items()]
        written = [f"{name} ::= {self._node(node)}" for name, node in rules]
        return "\n".join((*written, *self._rules)) + "\n"

    def _node(self, node: Node) -> str:
        match node:
            case Literal(text):
                return _quoted(text)
            case Characters(ranges, negated):
                return _class(ranges, negated=negated)
            case Sequence(items):
                return " ".join(map(self._item, items)) or '""'
            case Choice(branches):
                return " | ".join(map(self._node, branches))
            case Repeat(item, low, high):
                return self._item(item, repeated=True) + _times(low, high)
            case FreeText():
                return self._free_text(node)
            case Reference(name):
                return name

    def _item(self, node: Node, *, repeated: bool = False) -> str:
        written = self._node(node)
        several = isinstance(node, Choice) or (repeated and isinstance(node, Repeat | Sequence))
        return f"({written})" if several else written

    def _free_text(self, node: FreeText) -> str:
        if node not in self._texts:
            name = f"text{len(self._texts)}"
            self._texts[node] = f"{name}-0"
            for number, state in enumerate(TextAutomaton(node).states):
                branches = [
                    _class(move.characters.ranges, negated=move.characters.negated)
                    + (f" {name}-{move.then}" if move.then is not None else "")
                    + (f" {_quoted(move.rest)}" if move.rest else "")
                    for move in state.moves
                ]
                branches += ['""'] if state.may_stop else []
                self._rules.append(f"{name}-{number} ::= {' | '.join(branches)}")
        return self._texts[node]


def _times(low: int, high: int | None) -> str:
    match low, high:
        case 0, None:
            return "*"
        case 1, None:
            return "+"
        case 0, 1:
            return "?"
        case _, None:
            return f"{{{low},}}"
        case _:
            return ("" if low == 1 else f"{{{low}}}") if low == high else f"{{{low},{high}}}"


def _quoted(text: str) -> str:
    return '"' + "".join(_escaped(each, '"') for each in text) + '"'


def _class(ranges: Iterable[tuple[str, str]], *, negated: bool) -> str:
    members = "".join(
        _escaped(first, "]^-") + ("" if first == last else f"-{_escaped(last, ']^-')}") for first, last in ranges
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
