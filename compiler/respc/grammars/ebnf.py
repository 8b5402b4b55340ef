"""Grammars as EBNF, as llama.cpp and xgrammar read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Final

from respc.grammars.automaton import TextAutomaton
from respc.grammars.dispatch import excluded_texts
from respc.grammars.nodes import (
    Characters,
    Choice,
    FreeText,
    KnownChoice,
    Literal,
    Node,
    Reference,
    Repeat,
    Rules,
    Sequence,
    text_name,
    times,
)
from respc.grammars.notations import Written
from respc.grammars.strings import SHORT_ESCAPES, UNICODE_ESCAPE

if TYPE_CHECKING:
    from collections.abc import Iterable

_CACHED: Final = 4_096
_OF_BRANCHES: Final = (Choice, KnownChoice)
_OF_SEVERAL: Final = (*_OF_BRANCHES, Repeat, Sequence)
_ESCAPED: Final = {
    **{character: f"\\x{character:02x}" for character in (*range(0x20), 0x7F)},
    ord("\n"): "\\n",
    ord("\r"): "\\r",
    ord("\t"): "\\t",
    ord("\\"): "\\\\",
}
_RARE_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_IN_QUOTES: Final = {**_ESCAPED, ord('"'): '\\"'}
# Not all of these may stand behind a backslash.
_IN_CLASS: Final = {**_ESCAPED, ord("]"): "\\]", ord("^"): "\\x5e", ord("-"): "\\x2d"}


class Ebnf:
    """The notation.

    Args:
        dispatch: whether free texts may be rules that only xgrammar has.
    """

    has_lexer = False

    def __init__(self, *, dispatch: bool = False) -> None:
        self.dispatch = dispatch

    def written(self, rules: Rules) -> Written:
        """Write rules."""
        writer = _Writer(self)
        lines = [f"{name} ::= {writer.node(node)}" for name, node in rules.nodes.items()]
        return Written("\n".join(lines), tuple(writer.texts))


class _Writer:
    def __init__(self, notation: Ebnf) -> None:
        self.texts: dict[str, None] = {}
        """The rules of free texts."""
        self._notation = notation

    def node(self, node: Node) -> str:
        """Write a node as it stands in a rule."""
        match node:
            case Literal():
                return _quoted(node.text)
            case Sequence():
                # Nearly each item but one is a literal.
                written = [
                    _quoted(item.text)
                    if type(item) is Literal
                    else f"({self.node(item)})"
                    if isinstance(item, _OF_BRANCHES)
                    else self.node(item)
                    for item in node.items
                ]
                return " ".join(written) or '""'
            case Repeat():
                return self._repeated(node.item) + times(node.low, node.high)
            case FreeText():
                text = _free_text(node, self._notation)
                self.texts[text.rules] = None
                return text.reference
            case KnownChoice():
                return _known(node, self._notation)
            case Choice():
                return " | ".join([self.node(branch) for branch in node.branches])
            case Reference():
                return node.name
            case Characters():
                return _class(node.ranges, negated=node.negated)

    def _repeated(self, node: Node) -> str:
        written = self.node(node)
        return f"({written})" if isinstance(node, _OF_SEVERAL) else written


@lru_cache(maxsize=_CACHED)
def _known(node: KnownChoice, notation: Ebnf) -> str:
    return _Writer(notation).node(node.choice)


@dataclass(frozen=True, slots=True)
class _WrittenText:
    """A free text as it is written.

    Attributes:
        reference: what stands in other rules.
        rules: its own.
    """

    reference: str
    rules: str


@lru_cache(maxsize=_CACHED)
def _free_text(text: FreeText, notation: Ebnf) -> _WrittenText:
    excluded = excluded_texts(text) if notation.dispatch else None
    if excluded is None:
        return _WrittenText(f"{text_name(text)}-0", "\n".join(_automaton_lines(text)))
    return _WrittenText(f"{text_name(text)}-whole", "\n".join(_dispatch_lines(text, excluded)))


def _automaton_lines(text: FreeText) -> tuple[str, ...]:
    """Write one rule for each state of the automaton."""
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


def _dispatch_lines(text: FreeText, excluded: tuple[str, ...]) -> tuple[str, ...]:
    """Write xgrammar's rule, which goes to another one at the beginning of an escape."""
    name = text_name(text)
    listed = f"excludes=({', '.join(map(_quoted, excluded))})"
    # What ends the text is in a rule of its own: the engine looks at each place where it could be.
    whole = f"{name}-whole ::= {name}" + (f" {_quoted(text.end)}" if text.end else "")
    if text.letters != "escaped":
        return whole, f"{name} ::= TagDispatch(loop_after_dispatch=false, {listed})"
    short = Characters(tuple((each, each) for each in sorted({*SHORT_ESCAPES, text.end[0]})))
    escape = _Writer(Ebnf()).node(Choice((short, Sequence((Literal("u"), UNICODE_ESCAPE)))))
    return (
        whole,
        f'{name} ::= TagDispatch(("\\\\", {name}-escape), loop_after_dispatch=true, {listed})',
        f"{name}-escape ::= {escape}",
    )


def _quoted(text: str) -> str:
    # JSON does the same, but for these.
    if text.isprintable() or not _RARE_CONTROL.search(text):
        return encode_basestring(text)
    return f'"{text.translate(_IN_QUOTES)}"'


@lru_cache(maxsize=_CACHED)
def _class(ranges: Iterable[tuple[str, str]], *, negated: bool) -> str:
    members = "".join(
        first.translate(_IN_CLASS) + ("" if first == last else f"-{last.translate(_IN_CLASS)}")
        for first, last in ranges
    )
    return f"[{'^' if negated else ''}{members}]"
