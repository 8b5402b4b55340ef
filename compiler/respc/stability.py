"""Which delimiters a stable module cannot have: more text could change what is taken of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.frontend.findings import Findings
from respc.patterns import parse_pattern
from respc.scan.reasons import mended
from respc.scan import Refused, plan_scan
from respc.scan.stable import unstable_delimiters
from respc.passes.expressions import watched_of

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
    refused = _refused(ir)
    for delimiter, because in unstable_delimiters(ir):
        if because == "can match nothing":
            findings.add(
                "unstable-delimiter",
                "this closer of the implicit field can match nothing, and what follows then waits for the next chunk",
                delimiter.origin.pointer,
                label="what it leads to depends on how the text is cut",
                help="leave the closer out: an opener ends the text before it anyway; or do without: `--no-stable`",
            )
            continue
        if not because and delimiter.origin.pointer not in refused:
            continue  # another one of the same state is to blame
        because, mend = mended(
            parse_pattern(delimiter.pattern), because or refused[delimiter.origin.pointer], lazy_runs=True
        )
        findings.add(
            "unstable-delimiter",
            f"this delimiter cannot be made independent of how the text is cut, because {because}",
            delimiter.origin.pointer,
            label="what more text could change of its match is not known",
            help=f"{mend}; or do without: `--no-stable`",
        )
    return findings.all()


def _refused(ir: ParserIR) -> dict[str, str]:
    """Give the reasons of the delimiters for which a state has no expressions, by their places."""
    reasons: dict[str, str] = {}
    for state in ir.states:
        watched = watched_of(ir, state)
        for at_start in (False, True):
            plan = plan_scan(watched, at_start=at_start, stable=True)
            if isinstance(plan, Refused):
                blamed = next((each for each in watched if each.group == plan.group), watched[0])
                reasons[blamed.delimiter.origin.pointer] = plan.because
    return reasons
