"""The whole compiler on one screen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING

from respc.analysis import analyse
from respc.codegen.format import format_source, is_too_large
from respc.codegen.module_writer import ModuleWriter
from respc.codegen.plan import HeaderPlan
from respc.codegen.planning import plan_module
from respc.codegen.render import render_module
from respc.codegen.verify import verify_source
from respc.diagnostics import LIBRARY_POLICY, Diagnostic, Policy, Severity, diagnose
from respc.errors import refusal
from respc.passes import PIPELINE, run_passes
from respc.stability import NEEDED_PASSES, check_stability

if TYPE_CHECKING:
    from collections.abc import Collection

    from respc.ir import ParserIR
    from respc.source import TemplateSource

EVENT_FORMS = ("default", "serving")
"""The forms of events: those of the interpreter, and those of the copies of it that serving engines have."""

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
    passes: Collection[str] | None = None,
    formatted: bool = True,
    policy: Policy = LIBRARY_POLICY,
    only_refusals: bool = False,
    events: str = "default",
    stable: bool | None = None,
) -> Compilation:
    """Compile a template.

    Args:
        source: the template as read.
        standalone: whether the module carries the parts of the runtime that it uses.
        passes: the optimisations to run; None for all of them.
        formatted: whether black formats the module.
        policy: which findings count, and how much.
        only_refusals: whether to look only for what refuses the template: nobody reads warnings of what is loaded.
        events: the form of the events, one of `EVENT_FORMS`.
        stable: whether the outcome may not depend on how the text is cut into chunks; None: if it is for serving.

    Raises:
        TemplateError: the template is refused; has every finding.
        ValueError: there is no pass, or no form of events, of a name; or a pass is left out that ``stable`` needs.
    """
    if events not in EVENT_FORMS:
        raise ValueError(f"unknown form of events {events!r}; there are {list(EVENT_FORMS)}")
    serving = events == "serving"
    stable = serving if stable is None else stable
    if stable and passes is not None and (missing := set(NEEDED_PASSES).difference(passes)):
        raise ValueError(f"a stable module needs the passes {sorted(missing)}")
    with _one_at_a_time:
        return _compile(source, standalone, passes, formatted, policy, only_refusals, serving, stable)


def _compile(
    source: TemplateSource,
    standalone: bool,
    passes: Collection[str] | None,
    formatted: bool,
    policy: Policy,
    only_refusals: bool,
    serving: bool,
    stable: bool,
) -> Compilation:
    analysis = analyse(source, only_refusals=only_refusals)
    findings = policy.applied_to(analysis.findings)
    if analysis.ir is None or _has_error(findings):
        raise refusal(findings, source.name, source.text)

    ir = replace(analysis.ir, serving=serving, stable=stable)
    ir = run_passes(ir, PIPELINE if passes is None else passes)
    if stable and (unstable := check_stability(ir, source)):
        raise refusal(findings + unstable, source.name, source.text)

    writer = ModuleWriter()
    plan = plan_module(ir, HeaderPlan(_title(source), source.digest, _abi(ir)), writer)
    text = render_module(plan, writer, standalone=standalone)
    verify_source(text, plan.header.title)
    if formatted and is_too_large(text):
        large = diagnose("not-formatted", "the module is too large to be formatted with black")
        findings += policy.applied_to((large,))
        if _has_error(findings):
            raise refusal(findings, source.name, source.text)
    elif formatted:
        text = format_source(text)
    return Compilation(text, findings, plan.header.title, source.digest)


def _has_error(findings: tuple[Diagnostic, ...]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _abi(ir: ParserIR) -> int:
    """Ask for the oldest runtime that has all that the module uses."""
    return 3 if ir.serving or ir.stable else 2


def _title(source: TemplateSource) -> str:
    """Name the template by its file alone, so that a module does not depend on the folder it was made in."""
    name = source.name.replace("\\", "/").rstrip("/").rpartition("/")[2]
    return ascii(name)[1:-1][:80] or "template"
