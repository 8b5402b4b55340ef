"""Let text without the first character of any delimiter straight out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.ir import StepSearch

if TYPE_CHECKING:
    from respc.ir import Delimiter, ParserIR, State

_MOST_TESTS = 3


def direct_chunks(ir: ParserIR) -> ParserIR:
    """Mark the states in which a chunk needs no search unless it has one of a few characters in it.

    One test serves all marked states, so that it need not ask which one it is in. Where patterns look at more than one
    character of consumed text there is no such path, since it does not keep that text.
    """
    if ir.left_context is None or ir.left_context > 1:
        return ir
    tests: set[str] = set()
    states: list[State] = []
    for state in ir.states:
        marked = _mark(ir, state)
        first = _first_characters(ir, state)
        if marked is not None and len(tests | first) <= _MOST_TESTS:
            tests |= first
            states.append(marked)
        else:
            states.append(state)
    return replace(ir, states=tuple(states))


def _mark(ir: ParserIR, state: State) -> State | None:
    """Mark a state, unless more has to be held back than a delimiter that has begun, or the end of the text."""
    runs: set[frozenset[str]] = set()
    newline = False
    for watch, delimiter in ir.delimiters(state):
        if delimiter.first is None or (not watch.opens and _matches_at_start_alone(delimiter)):
            return None
        runs |= {delimiter.run} if delimiter.run else set()
        newline |= delimiter.newline
    run = min(runs, default=frozenset[str]())
    if len(runs) > 1 or (newline and run and "\n" not in run) or not all(map(str.isspace, run)):
        return None
    return replace(state, direct=True, held_run=run, held_newline=newline and not run)


def _first_characters(ir: ParserIR, state: State) -> set[str]:
    return {character for _, delimiter in ir.delimiters(state) for character in delimiter.first or ()}


def _matches_at_start_alone(delimiter: Delimiter) -> bool:
    """Tell whether a delimiter has so few first characters only because most of the text is past them."""
    search = delimiter.search
    return isinstance(search, StepSearch) and any(
        alternative.anchored for alternative in search.steps.alternatives
    )
