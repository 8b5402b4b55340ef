"""Let text straight out that has no character of those that tell of delimiters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.ir import ParserIR, State

_MOST_TESTS = 4


def direct_chunks(ir: ParserIR, stable: bool) -> ParserIR:
    """Mark the states in which a chunk needs no search unless it has one of a few characters in it.

    One test serves all marked states, so that it need not ask which one it is in: the states in which most of the text
    is come first, and others do not add characters that every text is full of. If text outside of regions is looked at
    for those, no state is marked: it is as quick to search all chunks.
    """
    tests: set[str] = set()
    states: list[State] = []
    for state in ir.states:
        first = None if state.scan is None else state.scan.first
        if first is None or state.scan is None or state.scan.held is None:
            states.append(state)
            continue
        if not tests and _is_everywhere(first):
            return ir
        common = any(character.isalnum() or character.isspace() for character in first - tests)
        if len(tests | first) > _MOST_TESTS or (common and tests):
            states.append(state)
            continue
        tests |= first
        states.append(replace(state, direct=first))
    return replace(ir, states=tuple(states))


def _is_everywhere(first: frozenset[str]) -> bool:
    """Tell whether every text is full of some characters: what parts words and lines, or several small letters."""
    return not first.isdisjoint(" \n") or sum(map(str.islower, first)) > 1
