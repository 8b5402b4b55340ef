"""The way of chunks in which no delimiter can begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import literal
from respc.codegen.plan import DirectPlan
from respc.patterns.parse import whitespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir import ParserIR, State


def plan_direct(ir: ParserIR, state_names: dict[str | None, str]) -> DirectPlan | None:
    """Plan the way of chunks without the first character of a delimiter; None where no state has one."""
    direct = [state for state in ir.states if state.direct]
    if not direct:
        return None
    first = {
        character
        for state in direct
        for _, delimiter in ir.delimiters(state)
        for character in delimiter.first or ()
    }
    open_states = [
        name for state in direct for name in _names(ir, state, state_names) if name != state_names[None]
    ]
    outside = ir.states[0]
    tests = tuple(f"{literal(character)} not in text" for character in sorted(first))
    return DirectPlan(
        tests=tests,
        states_test=_unless_all(open_states, state_names),
        end_tests=tuple(_end_tests(ir, direct, state_names)),
        lets_out=bool(open_states),
        drops=ir.implicit is None and outside.direct and not outside.held_run and not outside.held_newline,
    )


def _end_tests(ir: ParserIR, direct: list[State], state_names: dict[str | None, str]) -> Iterator[str]:
    """Write for each kind of end that states with an open region hold back, that a chunk has none."""
    ends: dict[tuple[frozenset[str], bool], list[str]] = {}
    for state in direct:
        if state.held_run or state.held_newline:
            names = [name for name in _names(ir, state, state_names) if name != state_names[None]]
            ends.setdefault((state.held_run, state.held_newline), []).extend(names)
    for (run, _), names in ends.items():
        if not run:
            is_held, is_free = 'text[-1] == "\\n"', 'text[-1] != "\\n"'
        elif run == whitespace():
            is_held, is_free = "text[-1].isspace()", "not text[-1].isspace()"
        else:
            members = literal("".join(sorted(run)))
            is_held, is_free = f"text[-1] in {members}", f"text[-1] not in {members}"
        if names:
            states_test = _unless_all(names, state_names)
            yield is_free if states_test is None else f"not ({is_held} and {states_test})"


def _names(ir: ParserIR, state: State, state_names: dict[str | None, str]) -> list[str]:
    """Name the states of a parser that are one state of the IR: outside, and inside the implicit field."""
    fields = [None, ir.implicit] if state.region is None and ir.implicit is not None else [state.region]
    return [state_names[field] for field in fields]


def _unless_all(opened: list[str], state_names: dict[str | None, str]) -> str | None:
    """Write the test for some states with an open region; None where it is all of them."""
    return None if len(opened) == len(state_names) - 1 else _is_one_of(opened)


def _is_one_of(names: list[str]) -> str:
    return f"self._state == {names[0]}" if len(names) == 1 else f"self._state in ({', '.join(names)})"
