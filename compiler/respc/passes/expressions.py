"""Find the delimiters of a state by two regular expressions, where that is what the interpreter finds."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.scan import ScanPlan, plan_start, plan_state, watched_of

if TYPE_CHECKING:
    from respc.ir import ParserIR, State


def expressions(ir: ParserIR, stable: bool) -> ParserIR:
    """Give each state its expressions, unless `respc.scan` refuses it."""
    return ir.map_states(lambda state: _with_scan(ir, state, stable))


def _with_scan(ir: ParserIR, state: State, stable: bool) -> State:
    scan = plan_state(ir, state, stable=stable)
    if not isinstance(scan, ScanPlan):
        return state
    starting = scan if state.region is not None else plan_start(watched_of(ir, state), stable=stable)
    return replace(state, scan=scan, starting=starting if isinstance(starting, ScanPlan) else None)
