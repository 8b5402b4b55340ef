"""The rules that go beyond what the interpreter checks: what fails later, what is lost, what is slow, what is odd.

Each file has the rules of one theme, as functions of the lowered template. They run in the order of the table below,
and say nothing about a template that is good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.diagnostics.findings import Findings
from respc.lints.call_shape import check_calls, check_names
from respc.lints.chunk_cuts import check_chunk_cuts
from respc.lints.content_values import check_content_values
from respc.lints.endless import check_ends
from respc.lints.holding import check_holding
from respc.lints.kept_patterns import check_kept_patterns
from respc.lints.late_faults import check_late_faults
from respc.lints.lost_text import (
    check_closers_in_content,
    check_dropped_text,
    check_glued_pieces,
    check_lost_text,
    check_overwritten_regions,
)
from respc.lints.never_closed import check_never_closed
from respc.lints.pattern_spelling import check_spelling
from respc.lints.placeholders import check_placeholders, check_written_transforms
from respc.lints.portability import check_portability
from respc.lints.rivals import check_rivals
from respc.lints.silent_values import check_silent_values
from respc.lints.standalone_needs import check_standalone_needs
from respc.lints.tag_values import check_tag_values
from respc.lints.unclosed import check_calls_in_reasoning, check_unclosed_regions
from respc.lints.zero_width import check_zero_width

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.ir import ParserIR
    from respc.source import TemplateSource

_REFUSING: Final = (check_ends,)
"""What refuses a template that the interpreter loads."""

_OF_FIELDS: Final = (
    *_REFUSING,
    check_late_faults,
    check_placeholders,
    check_content_values,
    check_tag_values,
    check_silent_values,
    check_spelling,
    check_rivals,
    check_zero_width,
    check_holding,
    check_chunk_cuts,
    check_kept_patterns,
    check_standalone_needs,
    check_never_closed,
    check_overwritten_regions,
    check_closers_in_content,
    check_unclosed_regions,
    check_calls_in_reasoning,
    check_dropped_text,
    check_calls,
    check_names,
    check_portability,
)
"""What can be said of some fields without the others."""

_OF_TEMPLATES: Final = (check_lost_text, check_glued_pieces)


def refuses(ir: ParserIR, source: TemplateSource) -> bool:
    """Tell whether a rule refuses the template, without asking the others."""
    findings = Findings(source)
    for rule in _REFUSING:
        rule(ir, findings)
    return bool(findings.all())


def lint(ir: ParserIR, source: TemplateSource, *, whole: bool) -> tuple[Diagnostic, ...]:
    """Find what the rules find.

    Args:
        ir: the template, lowered.
        source: the template, with the places.
        whole: whether nothing was left out of it because it has errors: then there are rules for all fields together.
    """
    findings = Findings(source)
    for rule in (*_OF_FIELDS, *(_OF_TEMPLATES if whole else ())):
        rule(ir, findings)
    return findings.all()


def lint_refused(source: TemplateSource, sound: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find what can be said of the fields that are refused, which are not among the sound ones."""
    findings = Findings(source)
    names = [name for name in source.template["fields"] if name not in sound.template["fields"]]
    check_written_transforms(names, findings)
    return findings.all()
