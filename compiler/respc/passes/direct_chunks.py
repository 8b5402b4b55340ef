"""Let text without the first character of any delimiter straight out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc.ir import ParserIR, State

_MOST_TESTS = 3


def direct_chunks(ir: ParserIR) -> ParserIR:
    """Mark the states in which a chunk needs no search unless it has one of a few characters in it.

    One test serves all marked states, so that it need not ask which one it is in. Where patterns look at more than one
    character of consumed text there is no such path, since it does not keep that text.
    """
    if ir.left_context is None or ir.left_context > 1:
        return ir
    tests: set[str] = set()
    marked: set[str | None] = set()
    for state in ir.states:
        first = _first_characters(ir, state)
        if first is not None and len(tests | first) <= _MOST_TESTS:
            tests |= first
            marked.add(state.region)
    return ir.map_states(lambda state: replace(state, direct=state.region in marked))


def _first_characters(ir: ParserIR, state: State) -> frozenset[str] | None:
    first: set[str] = set()
    for _, delimiter in ir.delimiters(state):
        if delimiter.first is None:
            return None
        first |= delimiter.first
    return frozenset(first)
