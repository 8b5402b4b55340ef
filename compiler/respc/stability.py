"""Which delimiters a stable module cannot have: more text could change what is taken of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics.findings import Findings
from respc.patterns import parse_pattern
from respc.scan.reasons import CAN_MATCH_NOTHING, obstacle_in
from respc.scan.refusals import blamed_delimiters, unstable_delimiters

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.ir import ParserIR
    from respc.source import TemplateSource


def check_stability(ir: ParserIR, source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find the delimiters of a template that a stable module cannot have.

    Args:
        ir: the template, after the passes.
        source: as it was written.
    """
    findings = Findings(source)
    blamed = {each.delimiter.origin.pointer: each.because for each in blamed_delimiters(ir, stable=True)}
    unstable = list(unstable_delimiters(ir))
    # What meets another delimiter may not do so once that one takes something.
    matching_nothing = {each.origin.pointer for each, because in unstable if because == CAN_MATCH_NOTHING}
    for delimiter, because in unstable:
        pointer = delimiter.origin.pointer
        if because == CAN_MATCH_NOTHING:
            findings.add(
                "unstable-delimiter",
                "this closer of the implicit field can match nothing, and what follows then waits for the next chunk",
                pointer,
                label="what it leads to depends on how the text is cut",
                help="leave the closer out: an opener ends the text before it anyway; or do without: `--no-stable`",
            )
        elif pointer not in matching_nothing and (because or pointer in blamed):
            if matching_nothing and "another" in blamed.get(pointer, ""):
                continue
            obstacle = obstacle_in(
                parse_pattern(delimiter.pattern), because or blamed[pointer], lazy_runs=True
            )
            findings.add(
                "unstable-delimiter",
                f"this delimiter cannot be made independent of how the text is cut, because {obstacle.because}",
                pointer,
                label="what more text could change of its match is not known",
                help=f"{obstacle.instead}; or do without: `--no-stable`",
            )
    return findings.all()
