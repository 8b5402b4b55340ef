"""What a grammar allows, without an engine: its nodes as a pattern, and the runs of its automatons."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from respc.grammars.automaton import TextAutomaton
from respc.grammars.nodes import (
    Characters,
    Choice,
    FreeText,
    KnownChoice,
    Literal,
    Node,
    Reference,
    Repeat,
    Sequence,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


def pattern_of(node: Node, rules: Mapping[str, Node] | None = None) -> str:
    """Write a node without free texts as a pattern of Python; rules may not lead back to themselves."""
    match node:
        case Literal(text):
            return re.escape(text)
        case Characters(ranges, negated):
            members = "".join(f"{re.escape(first)}-{re.escape(last)}" for first, last in ranges)
            return f"[{'^' if negated else ''}{members}]"
        case Sequence(items):
            return "".join(pattern_of(item, rules) for item in items)
        case Choice(branches):
            return f"(?:{'|'.join(pattern_of(branch, rules) for branch in branches)})"
        case KnownChoice(known):
            return pattern_of(known, rules)
        case Repeat(item, low, high):
            return f"(?:{pattern_of(item, rules)}){{{low},{'' if high is None else high}}}"
        case Reference(name):
            return f"(?:{pattern_of((rules or {})[name], rules)})"
        case FreeText():
            raise AssertionError("a free text is no part of a pattern")


def accepts(text: FreeText, written: str) -> bool:
    """Run the automaton of a free text over a text."""
    states = TextAutomaton(text).states
    number: int | None = 0
    for place, character in enumerate(written):
        assert number is not None
        move = next(
            (
                each
                for each in states[number].moves
                if re.fullmatch(pattern_of(each.characters), character, re.DOTALL)
            ),
            None,
        )
        if move is None:
            return False
        if move.then is None:
            return written[place + 1 :] == move.rest
        number = move.then
    assert number is not None
    return states[number].may_stop
