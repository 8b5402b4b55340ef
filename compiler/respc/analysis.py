"""The first half of the compiler: everything that can be known of a template, before anything is made of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.frontend import check_shape, lower_template, sound_part
from respc.lints import lint, lint_refused, refuses
from respc.source import duplicate_key_warnings

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.ir import ParserIR
    from respc.source import TemplateSource


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known of a template.

    Attributes:
        findings: errors and others, in the order of the rules.
        ir: the template, lowered; None where the interpreter refuses it.
    """

    findings: tuple[Diagnostic, ...]
    ir: ParserIR | None


def analyse(source: TemplateSource, *, only_refusals: bool = False) -> Analysis:
    """Check the shape of a template, lower what is sound of it, and let the rules look at that.

    Args:
        source: the template.
        only_refusals: whether findings matter only where the template is refused, which then has all of them.
    """
    refused = check_shape(source)
    findings = duplicate_key_warnings(source) + refused
    sound = sound_part(source, refused)
    if sound is None:
        return Analysis(findings, None)
    ir = lower_template(sound)
    if only_refusals and not refused and not refuses(ir, sound):
        return Analysis(findings, ir)
    findings += lint_refused(source, sound) + lint(ir, sound, whole=not refused)
    return Analysis(findings, None if refused else ir)


def check_source(source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find everything that can be known of a template, errors and others, in the order of the rules."""
    return analyse(source).findings
