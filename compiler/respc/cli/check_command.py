"""``respc check``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

import click

from respc.cli.engine_names import ENGINE_NAMES
from respc.cli.exit_codes import DONE, FAILED, REFUSED_OR_STALE
from respc.cli.terminal import (
    Failure,
    count,
    output_failure,
    print_exactly,
    print_findings,
    require_output,
    unreadable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from respc.diagnostics import Diagnostic, Policy
    from respc.mending import Mended
    from respc.source import SourceText, TemplateSource

_FORMATS: Final = ("text", "concise", "json", "github")
_Find: TypeAlias = "Callable[[TemplateSource], tuple[Diagnostic, ...]]"
"""Finds what counts in a template."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """One source: what was found in it, and the template, unless there is none."""

    name: str
    findings: tuple[Diagnostic, ...]
    text: SourceText | None
    template: TemplateSource | None


@click.command("check")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="text", show_default=True)
@click.option(
    "--for", "engine_name", type=click.Choice(ENGINE_NAMES), help="Check it for a serving engine, too."
)
@click.option("--strict", is_flag=True, help="Exit 1 if there are warnings, too.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Leave a diagnostic out; may be repeated.")
@click.option("--error", multiple=True, metavar="CODE", help="Make a diagnostic an error; may be repeated.")
@click.option("--fix", is_flag=True, help="Make the mends that need no decision, in the file.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
def check_command(
    sources: tuple[str, ...],
    shown_as: str,
    engine_name: str | None,
    strict: bool,
    ignore: tuple[str, ...],
    error: tuple[str, ...],
    fix: bool,
    diff: bool,
) -> None:
    """Find what is wrong with response templates, and say how to mend it.

    Each SOURCE is a template in a .json file, a tokenizer_config.json with the key response_template, a folder that
    holds one, - for standard input, or the name of a ready-made parser (see `respc list`).
    """
    from respc.cli.policies import policy_from_options
    from respc.cli.sources import is_family_name
    from respc.source import is_standard_input

    if fix and any(map(is_standard_input, sources)):
        raise click.UsageError("--fix rewrites files: use --diff with standard input")
    if fix and any(map(is_family_name, sources)):
        raise click.UsageError("--fix rewrites files: use --diff with a ready-made template")
    if diff and (fix or shown_as != "text"):
        raise click.UsageError("--diff shows a diff, and nothing else: leave --fix and --format out")
    policy = policy_from_options(ignore, error)
    find = _finding(engine_name, policy)
    failed = False
    checked: list[_Checked] = []
    for source in sources:
        try:
            checked.append(_check(source, find, policy))
        except Failure as failure:
            failure.show()
            failed = True
    if fix:
        for number, each in enumerate(checked):
            try:
                checked[number] = _mend(each, find)
            except Failure as failure:
                failure.show()
                failed = True
    if diff:
        _show_differences(checked, find)
    else:
        _show(checked, shown_as)
    raise click.exceptions.Exit(FAILED if failed else _exit_code(checked, strict))


def _finding(engine_name: str | None, policy: Policy) -> _Find:
    """Choose the rules, for an engine or for none."""
    if engine_name is None:
        from respc.analysis import check_source

        return lambda template: policy.applied_to(check_source(template))
    from respc.engines import check_for_engine, engine_named

    engine = engine_named(engine_name)
    return lambda template: policy.applied_to(check_for_engine(template, engine))


def _check(source: str, find: _Find, policy: Policy) -> _Checked:
    from respc.cli.sources import read_source
    from respc.errors import TemplateError
    from respc.source import SourceFileError

    try:
        template = read_source(source)
    except SourceFileError as error:
        raise unreadable(error) from error
    except TemplateError as error:
        return _Checked(error.name, policy.applied_to(error.diagnostics), error.text, None)
    return _Checked(template.name, _by_place(find(template)), template.text, template)


def _by_place(findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Put findings in the order of the file."""
    return tuple(
        sorted(findings, key=lambda each: (0, 0) if each.span is None else (each.span.line, each.span.column))
    )


def _mend(checked: _Checked, find: _Find) -> _Checked:
    """Make the fixes in the file, and give what is found after them; Failure where it cannot be written."""
    from respc.cli.files import write_if_changed
    from respc.cli.terminal import file_failure

    mended = _mended(checked, find)
    if mended is None or not mended.made:
        return checked
    try:
        write_if_changed(checked.name, mended.text)
    except OSError as error:
        raise file_failure(checked.name, error) from error
    _show_mends(checked.name, mended, "mended")
    return _Checked(checked.name, _by_place(find(mended.source)), mended.source.text, mended.source)


def _show_differences(checked: Sequence[_Checked], find: _Find) -> None:
    """Print what the fixes would change; on standard error, what they are and why there are none."""
    from respc.cli.files import text_difference

    for each in checked:
        mended = _mended(each, find)
        if mended is None or each.text is None:
            print_findings(each.findings, each.name, each.text)
            continue
        _show_mends(each.name, mended, "would be mended")
        print_exactly(text_difference(each.text.text, mended.text, each.name, f"{each.name} (mended)"))
    _show_counts(checked)


def _mended(checked: _Checked, find: _Find) -> Mended | None:
    """Make the fixes in the text of a template; None where there is none to mend."""
    from respc.mending import mend

    if checked.template is None:
        return None
    return mend(checked.template, find)


def _show_mends(name: str, mended: Mended, done: str) -> None:
    from respc.diagnostics import visible

    for made in mended.made:
        if made.fix is not None:
            where = f"{name}: {made.code.code} {made.code.slug} at {made.pointer}"
            click.echo(visible(f"{where}: {done}"), err=True)
            click.echo(visible(f"  changes: {made.fix.changes}"), err=True)


def _show(checked: Sequence[_Checked], shown_as: str) -> None:
    if shown_as == "text":
        _show_text(checked)
        return
    findings = [(finding, each.name) for each in checked for finding in each.findings]
    if shown_as == "json":
        import json

        from respc.diagnostics.render.records import record

        records = [record(finding, name) for finding, name in findings]
        print_exactly(json.dumps(records, indent=2, ensure_ascii=True) + "\n")
        return
    if shown_as == "github":
        from respc.diagnostics.render.github import annotation as line_of
    else:
        from respc.diagnostics.render.concise import concise_line as line_of
    print_exactly("".join(f"{line_of(finding, name)}\n" for finding, name in findings))


def _show_text(checked: Sequence[_Checked]) -> None:
    require_output()
    try:
        for number, each in enumerate(each for each in checked if each.findings):
            if number:
                click.echo()
            print_findings(each.findings, each.name, each.text, to_stderr=False)
    except BrokenPipeError:
        raise  # click ends quietly when nobody reads on
    except OSError as error:
        raise output_failure(error) from error
    _show_counts(checked)


def _show_counts(checked: Sequence[_Checked]) -> None:
    from respc.diagnostics import visible

    for each in checked:
        click.echo(f"{visible(each.name)}: {_summary(each.findings)}", err=True)


def _summary(findings: Sequence[Diagnostic]) -> str:
    severities = [finding.severity.value for finding in findings]
    counts = [(word, severities.count(word)) for word in ("error", "warning", "note")]
    return ", ".join(count(number, word) for word, number in counts if number) or "nothing found"


def _exit_code(checked: Sequence[_Checked], strict: bool) -> int:
    counting = {"error", "warning"} if strict else {"error"}
    found = any(finding.severity.value in counting for each in checked for finding in each.findings)
    return REFUSED_OR_STALE if found else DONE
