"""``respc check``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from respc.cli.check_output import FORMATS, show, show_differences, show_statistics
from respc.cli.check_run import Checker, check_all, fix_all
from respc.cli.engine_names import ENGINE_NAMES
from respc.cli.exit_codes import DONE, FAILED, REFUSED_OR_STALE
from respc.cli.project_config import ProjectConfig, read_project

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.cli.check_run import Checked


@click.command("check", short_help="Find what is wrong with a template, and fix it.")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("--format", "shown_as", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option(
    "--for", "engine_name", type=click.Choice(ENGINE_NAMES), help="Check it for a serving engine, too."
)
@click.option("--strict", is_flag=True, help="Exit 1 if there are warnings, too.")
@click.option("--select", multiple=True, metavar="CODES", help="Look for these alone.")
@click.option("--extend-select", multiple=True, metavar="CODES", help="Look for these, too.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these out.")
@click.option("--error", multiple=True, metavar="CODES", help="Make these errors.")
@click.option("--fix", is_flag=True, help="Make the fixes that leave every message as it is, in the file.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix or --diff: those that change messages, too.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and write nothing.")
@click.option("--statistics", is_flag=True, help="Print how often each code was found.")
@click.option("--quiet", "-q", is_flag=True, help="Print the findings, and nothing about them.")
@click.option("--isolated", is_flag=True, help="Do not read [tool.respc] in pyproject.toml.")
def check_command(
    sources: tuple[str, ...],
    shown_as: str,
    engine_name: str | None,
    strict: bool,
    select: tuple[str, ...],
    extend_select: tuple[str, ...],
    ignore: tuple[str, ...],
    error: tuple[str, ...],
    fix: bool,
    unsafe_fixes: bool,
    diff: bool,
    statistics: bool,
    quiet: bool,
    isolated: bool,
) -> None:
    """Find what is wrong with response templates, and say how to fix it.

    Each SOURCE is a template in a .json file, a tokenizer_config.json with the key response_template, a folder that
    holds one, - for standard input, or the name of a ready-made parser (see `respc list`). Without one, those of
    [tool.respc] in pyproject.toml are checked.

    CODES are codes (RT520), slugs (text-overwritten), beginnings of codes (RT5), severities (note) or ALL, with commas
    between them, and the options may be repeated.
    """
    from respc.cli.policies import policy_from_options

    project = ProjectConfig() if isolated else read_project()
    sources = sources or project.sources
    _require_what_goes_together(sources, shown_as, fix=fix, diff=diff, statistics=statistics)
    policy = policy_from_options(
        ignore or project.ignore,
        error or project.error,
        select=select or project.select,
        extend_select=extend_select or project.extend_select,
    )
    checker = Checker(engine_name or _engine_of(project), policy, project, unsafe_fixes)
    checked, failed = check_all(sources, checker)
    if fix:
        failed = fix_all(checked, checker, quiet=quiet) or failed
    if diff:
        show_differences(checked, checker, quiet=quiet)
    elif statistics:
        show_statistics(checked, shown_as, checker)
    else:
        show(checked, shown_as, checker, quiet=quiet)
    raise click.exceptions.Exit(FAILED if failed else _exit_code(checked, strict or project.strict))


def _require_what_goes_together(
    sources: Sequence[str], shown_as: str, *, fix: bool, diff: bool, statistics: bool
) -> None:
    from respc.cli.sources import is_family_name
    from respc.source import is_standard_input

    if not sources:
        raise click.UsageError("give a SOURCE, or name `sources` in [tool.respc] of pyproject.toml")
    if fix and any(map(is_standard_input, sources)):
        raise click.UsageError("--fix rewrites files: use --diff with standard input")
    if fix and any(map(is_family_name, sources)):
        raise click.UsageError("--fix rewrites files: use --diff with a ready-made template")
    if diff and (fix or statistics or shown_as != "text"):
        raise click.UsageError(
            "--diff shows a diff, and nothing else: leave --fix, --format and --statistics out"
        )
    if statistics and shown_as not in ("text", "json"):
        raise click.UsageError("--statistics has the formats text and json")


def _engine_of(project: ProjectConfig) -> str | None:
    if project.engine is not None and project.engine not in ENGINE_NAMES:
        raise click.UsageError(
            f"pyproject.toml: there is no engine {project.engine!r}: give {' or '.join(ENGINE_NAMES)}"
        )
    return project.engine


def _exit_code(checked: Sequence[Checked], strict: bool) -> int:
    counting = {"error", "warning"} if strict else {"error"}
    found = any(finding.severity.value in counting for each in checked for finding in each.findings)
    return REFUSED_OR_STALE if found else DONE
