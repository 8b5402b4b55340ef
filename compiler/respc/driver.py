"""The whole compiler on one screen."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from respc.analysis import analyse
from respc.codegen.format import format_source, is_too_large
from respc.codegen.header import plan_header
from respc.codegen.module_writer import ModuleWriter
from respc.codegen.planning import plan_module
from respc.codegen.render import render_header, render_module
from respc.codegen.verify import verify_source
from respc.diagnostics import LIBRARY_POLICY, Diagnostic, Policy, Severity, diagnose
from respc.errors import refusal
from respc.families import family_with_template
from respc.options import DEFAULT_OPTIONS, Options
from respc.passes import run_passes
from respc.stability import check_stability

if TYPE_CHECKING:
    from respc.codegen.plan import HeaderPlan
    from respc.source import TemplateSource

# CPython 3.11 loses count when two threads make syntax trees at once: "AST constructor recursion depth mismatch".
_one_at_a_time = Lock()


@dataclass(frozen=True, slots=True)
class Compilation:
    """A compiled template.

    Attributes:
        source: the module's text.
        diagnostics: warnings and notes; a template with errors is refused instead.
        title: what the module calls its template.
        digest: the template's sha256.
    """

    source: str
    diagnostics: tuple[Diagnostic, ...]
    title: str
    digest: str


def compile_source(
    source: TemplateSource, options: Options = DEFAULT_OPTIONS, *, policy: Policy = LIBRARY_POLICY
) -> Compilation:
    """Compile a template.

    Args:
        source: the template as read.
        options: what is asked for.
        policy: which findings count, and how much.

    Raises:
        TemplateError: the template is refused; has every finding.
    """
    with _one_at_a_time:
        return _compile(source, options, policy)


def _compile(source: TemplateSource, options: Options, policy: Policy) -> Compilation:
    if options.standalone:  # what it needs beside the standard library is news then
        policy = policy.also("standalone-regex")
    analysis = analyse(source, only_refusals=options.only_refusals)
    findings = policy.applied_to(analysis.findings)
    if analysis.ir is None or _has_error(findings):
        raise refusal(findings, source.name, source.text)

    ir = run_passes(analysis.ir, options.passes, stable=options.stable)
    if options.stable and (unstable := check_stability(ir, source)):
        raise refusal(findings + unstable, source.name, source.text)

    writer = ModuleWriter(standalone=options.standalone)
    plan = plan_module(ir, _header(source, options), options, writer)
    header = render_header(plan.header, standalone=options.standalone)
    text = render_module(plan, standalone=options.standalone)
    verify_source(header + text, plan.header.title)
    if options.formatted and is_too_large(text):
        large = diagnose("not-formatted", "the module is too large to be formatted with black")
        findings += policy.applied_to((large,))
        if _has_error(findings):
            raise refusal(findings, source.name, source.text)
    elif options.formatted:
        text = format_source(text)  # before it has the header, which would keep black from it
    return Compilation(header + text, findings, plan.header.title, source.digest)


def _has_error(findings: tuple[Diagnostic, ...]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _header(source: TemplateSource, options: Options) -> HeaderPlan:
    """Name the template by its file alone, so that a module does not depend on the folder that it was made in."""
    file = source.name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return plan_header(file, source.digest, options, family=family_with_template(file, source.digest))
