"""How ``respc check`` shows what it found."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import click

from respc.cli.check_run import show_fixes
from respc.cli.terminal import count, output_failure, print_exactly, print_findings, require_output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.cli.check_run import Checked, Checker
    from respc.diagnostics import Diagnostic
    from respc.diagnostics.render.reported import Reported

FORMATS: Final = ("text", "concise", "json", "github", "sarif")
_OF_PROGRAMS: Final = ("json", "sarif")


def show(checked: Sequence[Checked], shown_as: str, checker: Checker, *, quiet: bool) -> None:
    """Print all findings on standard output, and for people how many there are on standard error."""
    if shown_as == "text":
        _show_text(checked, checker)
        if not quiet:
            _show_counts(checked)
            _show_fixable(checked, checker)
        return
    if shown_as in _OF_PROGRAMS:
        reported = [
            _reported(finding, each, checker.project.documentation)
            for each in checked
            for finding in each.findings
        ]
        print_exactly(json.dumps(_document(reported, shown_as), indent=2, ensure_ascii=True) + "\n")
        return
    print_exactly("".join(f"{line}\n" for each in checked for line in _lines(each, shown_as, checker)))


def show_statistics(checked: Sequence[Checked], shown_as: str, checker: Checker) -> None:
    """Print how often each code was found, the most frequent first."""
    findings = [finding for each in checked for finding in each.findings]
    numbers = Counter(finding.code for finding in findings)
    fixable = {finding.code for finding in findings if finding.is_fixed(unsafe=checker.unsafe_fixes)}
    ordered = sorted(numbers, key=lambda code: (-numbers[code], code.code))
    if shown_as == "json":
        rows = [
            {"code": code.code, "slug": code.slug, "count": numbers[code], "fixable": code in fixable}
            for code in ordered
        ]
        print_exactly(json.dumps(rows, indent=2) + "\n")
        return
    width = len(str(max(numbers.values(), default=0)))
    lines = [
        f"{numbers[code]:>{width}}  {code.code}  {'[*]' if code in fixable else '[ ]'}  {code.slug}\n"
        for code in ordered
    ]
    print_exactly("".join(lines))


def show_differences(checked: Sequence[Checked], checker: Checker, *, quiet: bool) -> None:
    """Print what the fixes would change; on standard error, what they are and why there are none."""
    from respc.cli.files import text_difference

    for each in checked:
        fixed = checker.fixed(each)
        if fixed is None or each.text is None:
            print_findings(each.findings, each.name, each.text)
            continue
        if not quiet:
            show_fixes(each.name, fixed, "would be fixed")
        print_exactly(text_difference(each.text.text, fixed.text, each.name, f"{each.name} (fixed)"))
    if not quiet:
        _show_counts(checked)
        _show_fixable(checked, checker)


def _document(reported: list[Reported], shown_as: str) -> Any:
    if shown_as == "json":
        from respc.diagnostics.render.records import record

        return [record(each) for each in reported]
    import respc
    from respc.diagnostics.render.sarif import sarif_log

    return sarif_log(reported, respc.__version__)


def _reported(finding: Diagnostic, checked: Checked, documentation: str | None) -> Reported:
    from respc.diagnostics.explanations import link_to
    from respc.diagnostics.render.reported import Reported
    from respc.source import placed_edits

    template = checked.template
    edits = None if finding.fix is None or template is None else placed_edits(finding.fix, template)
    return Reported(finding, checked.name, link_to(finding.code, documentation), edits)


def _lines(checked: Checked, shown_as: str, checker: Checker) -> list[str]:
    if shown_as == "github":
        from respc.diagnostics.render.github import annotation

        return [annotation(finding, checked.name) for finding in checked.findings]
    from respc.diagnostics.render.concise import concise_line

    unsafe = checker.unsafe_fixes
    return [concise_line(finding, checked.name, unsafe_fixes=unsafe) for finding in checked.findings]


def _show_text(checked: Sequence[Checked], checker: Checker) -> None:
    require_output()
    try:
        for number, each in enumerate(each for each in checked if each.findings):
            if number:
                click.echo()
            print_findings(
                each.findings, each.name, each.text, to_stderr=False, unsafe_fixes=checker.unsafe_fixes
            )
    except BrokenPipeError:
        raise  # click ends quietly when nobody reads on
    except OSError as error:
        raise output_failure(error) from error


def _show_counts(checked: Sequence[Checked]) -> None:
    from respc.diagnostics import visible

    for each in checked:
        click.echo(f"{visible(each.name)}: {_summary(each.findings)}", err=True)


def _summary(findings: Sequence[Diagnostic]) -> str:
    severities = [finding.severity.value for finding in findings]
    counts = [(word, severities.count(word)) for word in ("error", "warning", "note")]
    return ", ".join(count(number, word) for word, number in counts if number) or "nothing found"


def _show_fixable(checked: Sequence[Checked], checker: Checker) -> None:
    """Say how many findings have a fix, where any has."""
    fixes = [finding.fix for each in checked for finding in each.findings if finding.fix is not None]
    safe = sum(fix.is_safe for fix in fixes)
    unsafe = len(fixes) - safe
    if not fixes:
        return
    if checker.unsafe_fixes:
        told = f"[*] {len(fixes)} fixable with `--fix --unsafe-fixes`"
    elif not safe:
        told = f"no safe fixes: {unsafe} fixable with `--fix --unsafe-fixes`, which change messages"
    else:
        more = f"; {unsafe} more with `--unsafe-fixes`, which change messages" if unsafe else ""
        told = f"[*] {safe} fixable with `--fix`{more}"
    click.echo(told, err=True)
