"""Which delimiters cannot be made independent of how the text is cut into chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.diagnostics.findings import Findings
from respc.ir import PatternSearch, StepSearch
from respc.patterns import parse_pattern
from respc.patterns.reasons import why_kept
from respc.patterns.steps import Ahead, GroupEnd, GroupStart, Run

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.ir import Delimiter, ParserIR
    from respc.patterns.steps import Alternative
    from respc.source import TemplateSource

NEEDED_PASSES: Final = ("literal-delimiters", "literal-patterns", "pattern-steps")
"""What a stable module cannot do without: `regex` does not tell what more text could change."""


def check_stability(ir: ParserIR, source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find the delimiters of a template that a stable module cannot have.

    Args:
        ir: the template, after the passes.
        source: as it was written.
    """
    findings = Findings(source)
    for region in ir.regions:
        for delimiter in (region.opener, region.closer):
            if delimiter is None:
                continue
            if isinstance(delimiter.search, PatternSearch):
                kept = why_kept(parse_pattern(delimiter.pattern), stable=True)
                assert kept is not None, "what is stable is not left to `regex`"
                findings.add(
                    "unstable-delimiter",
                    f"this pattern cannot be made independent of how the text is cut, because {kept.because}",
                    delimiter.origin.pointer,
                    label="what more text could change of its match is not known",
                    help=f"{kept.mend}; or do without: `--no-stable`",
                )
            elif delimiter is region.closer and region.opener is None and _can_be_empty(delimiter):
                findings.add(
                    "unstable-delimiter",
                    f"the closer of `{region.name}` can match nothing, and what follows then waits for the next chunk",
                    delimiter.origin.pointer,
                    label="what it leads to depends on how the text is cut",
                    help="leave the closer out: an opener ends the text before it anyway; or do without: `--no-stable`",
                )
    return findings.all()


def _can_be_empty(delimiter: Delimiter) -> bool:
    """Tell whether a delimiter can match nothing, other than at the end of the text."""
    search = delimiter.search
    return isinstance(search, StepSearch) and any(map(_takes_nothing, search.steps.alternatives))


def _takes_nothing(alternative: Alternative) -> bool:
    for step in alternative.steps:
        if isinstance(step, Ahead):
            return True
        if not isinstance(step, GroupStart | GroupEnd) and not (isinstance(step, Run) and not step.low):
            return False
    return True
