"""The whole compiler on one screen."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from respc.codegen.format import format_source, is_too_large
from respc.codegen.module_writer import ModuleWriter
from respc.codegen.plan import HeaderPlan
from respc.codegen.planning import plan_module
from respc.codegen.render import render_module
from respc.codegen.verify import verify_source
from respc.diagnostics import LIBRARY_POLICY, Diagnostic, Policy, Severity, diagnose
from respc.errors import refusal
from respc.frontend import check_shape, lower_template, sound_part
from respc.lints import lint
from respc.passes import PIPELINE, run_passes
from respc.source import TemplateSource, duplicate_key_warnings
from respc_runtime.abi import ABI

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.ir import ParserIR


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
    source: TemplateSource,
    *,
    standalone: bool = False,
    passes: Iterable[str] | None = None,
    formatted: bool = True,
    policy: Policy = LIBRARY_POLICY,
) -> Compilation:
    """Compile a template.

    Args:
        source: the template as read.
        standalone: whether the module carries the parts of the runtime that it uses.
        passes: the optimisations to run; None for all of them.
        formatted: whether black formats the module.
        policy: which findings count, and how much.

    Raises:
        TemplateError: the template is refused; has every finding.
        ValueError: there is no pass of a name.
    """
    with _one_at_a_time:
        return _compile(source, standalone, passes, formatted, policy)


def check_source(source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find everything that can be known of a template, errors and others, in the order of the rules."""
    return _check(source)[0]


def _check(source: TemplateSource) -> tuple[tuple[Diagnostic, ...], ParserIR | None]:
    """Find what there is to find, and lower the template if nothing refuses it."""
    refused = check_shape(source)
    sound = sound_part(source, refused)
    ir = None if sound is None else lower_template(sound)
    findings = duplicate_key_warnings(source) + refused
    if sound is not None and ir is not None:
        findings += lint(ir, sound, whole=not refused)
    return findings, None if refused else ir


def _compile(
    source: TemplateSource,
    standalone: bool,
    passes: Iterable[str] | None,
    formatted: bool,
    policy: Policy,
) -> Compilation:
    found, ir = _check(source)
    findings = policy.applied_to(found)
    if ir is None or any(finding.severity is Severity.ERROR for finding in findings):
        raise refusal(findings, source.name, source.text)

    ir = run_passes(ir, PIPELINE if passes is None else passes)

    writer = ModuleWriter()
    plan = plan_module(ir, HeaderPlan(_title(source), source.digest, ABI), writer)
    text = render_module(plan, writer, standalone=standalone)
    verify_source(text, plan.header.title)
    if formatted and is_too_large(text):
        large = diagnose("not-formatted", "the module is too large to be formatted with black")
        findings += policy.applied_to((large,))
    elif formatted:
        text = format_source(text)
    return Compilation(text, findings, plan.header.title, source.digest)


def _title(source: TemplateSource) -> str:
    """Name the template by its file alone, so that a module does not depend on the folder it was made in."""
    name = source.name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return ascii(name)[1:-1][:80] or "template"
