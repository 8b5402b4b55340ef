"""Let text straight out that has none of the marks that tell of delimiters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.scan.marks import is_everywhere

if TYPE_CHECKING:
    from respc.ir import ParserIR, State

_MOST_TESTS = 5


def direct_chunks(ir: ParserIR, stable: bool) -> ParserIR:
    """Tell the states in which a chunk needs no search unless it has one of a few marks in it.

    One test serves all such states, so that it need not ask which one it is in: the states in which most of the text
    is come first, and others do not add marks that every text is full of. If text outside of regions is looked at
    for those, there is no such state: it is as quick to search all chunks.
    """
    tests: set[str] = set()
    states: list[State] = []
    for state in ir.states:
        first = None if state.scan is None else state.scan.first
        if first is None or state.scan is None or state.scan.held is None:
            states.append(state)
            continue
        if not tests and is_everywhere(first):
            return ir
        common = any(len(mark) == 1 and (mark.isalnum() or mark.isspace()) for mark in first - tests)
        if len(tests | first) > _MOST_TESTS or (common and tests):
            states.append(state)
            continue
        tests |= first
        states.append(replace(state, direct=first))
    return replace(ir, states=tuple(states))
