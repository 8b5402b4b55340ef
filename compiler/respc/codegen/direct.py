"""The way of chunks in which no delimiter can begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import literal
from respc.codegen.plan import DirectPlan, HeldEndPlan
from respc.patterns.parse import whitespace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import ParserIR, State


def plan_direct(ir: ParserIR, state_names: dict[str | None, str], writer: ModuleWriter) -> DirectPlan | None:
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
        held_ends=tuple(_held_ends(ir, direct, state_names, tests, writer)),
        lets_out=bool(open_states),
        drops=ir.implicit is None and outside.direct and not outside.held_run and not outside.held_newline,
    )


def _held_ends(
    ir: ParserIR,
    direct: list[State],
    state_names: dict[str | None, str],
    tests: tuple[str, ...],
    writer: ModuleWriter,
) -> Iterator[HeldEndPlan]:
    """Plan which ends of text the states with an open region hold back, for each kind of end."""
    ends: dict[tuple[frozenset[str], bool], list[State]] = {}
    for state in direct:
        if state.held_run or state.held_newline:
            ends.setdefault((state.held_run, state.held_newline), []).append(state)
    for (run, _), states in ends.items():
        names = [name for state in states for name in _names(ir, state, state_names)]
        opened = [name for name in names if name != state_names[None]]
        wake = "None"
        if not run:
            test, end = 'text[-1] == "\\n"', 'len(text) - text.endswith("\\n")'
        elif run == whitespace():
            test, end = "text[-1].isspace()", f"len(text.rstrip({writer.runtime('BLANKS')}))"
            wake = writer.runtime("BLANKS_END")
        else:
            members = literal("".join(sorted(run)))
            test, end = f"text[-1] in {members}", f"len(text.rstrip({members}))"
        if opened:
            conditions = [] if len(names) == len(state_names) else [_is_among(names, state_names)]
            yield HeldEndPlan(
                test, _unless_all(opened, state_names), " and ".join([*conditions, *tests]), end, wake
            )


def _names(ir: ParserIR, state: State, state_names: dict[str | None, str]) -> list[str]:
    """Name the states of a parser that are one state of the IR: outside, and inside the implicit field."""
    fields = [None, ir.implicit] if state.region is None and ir.implicit is not None else [state.region]
    return [state_names[field] for field in fields]


def _unless_all(opened: list[str], state_names: dict[str | None, str]) -> str | None:
    """Write the test for some states with an open region; None where it is all of them."""
    return None if len(opened) == len(state_names) - 1 else _is_one_of(opened)


def _is_one_of(names: list[str], state: str = "self._state") -> str:
    return f"{state} == {names[0]}" if len(names) == 1 else f"{state} in ({', '.join(names)})"


def _is_among(names: list[str], state_names: dict[str | None, str]) -> str:
    """Write the shortest test of ``state`` for some states: they are numbered in order."""
    first = list(state_names.values())[: len(names)]
    return f"state <= {names[-1]}" if len(names) > 1 and names == first else _is_one_of(names, "state")
