"""The intermediate representation as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.ir.dump import dump
from respc.passes import PIPELINE, run_passes

if TYPE_CHECKING:
    from respc.ir import ParserIR


def intermediate(ir: ParserIR) -> str:
    """Write what the compiler makes of a template, with all passes.

    Args:
        ir: the template as lowered, before any pass.
    """
    return dump(run_passes(ir, PIPELINE))
