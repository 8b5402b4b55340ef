"""``respc compile``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from respc.cli.exit_codes import DONE
from respc.cli.terminal import Failure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.cli.compile_run import Target

_OF_SOURCES: Final = (
    "output",
    "standalone",
    "native",
    "events",
    "stable",
    "strict_bodies",
    "closers_in_strings",
    "without",
)
"""The options that a module of pyproject.toml has there, and not on the command line."""


@click.command("compile", short_help="Make a Python module of a template.")
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@click.option("-o", "--output", metavar="OUT", help="The module to write, or a folder for it; - prints it.")
@click.option(
    "--check", is_flag=True, help="Write nothing; exit 1 if OUT is missing, or, with a diff, stale."
)
@click.option("--standalone", is_flag=True, help="Put the used parts of the runtime into the module.")
@click.option(
    "--native",
    is_flag=True,
    help="Make OUT standalone, and build a C extension of it beside; needs mypyc and a C compiler.",
)
@click.option(
    "--events",
    type=click.Choice(["default", "serving"]),
    default="default",
    help="The form of ResponseParser's events: the interpreter's, or that of serving engines.",
)
@click.option(
    "--stable/--no-stable",
    default=None,
    help="Let ResponseParser's outcome not depend on how the text is cut; on with serving events.",
)
@click.option(
    "--strict-bodies",
    is_flag=True,
    help="Refuse a body of tags or lines that is not that and nothing else, as parsers with serving events do.",
)
@click.option(
    "--closers-in-strings",
    is_flag=True,
    help="Take a closer in a string of a JSON body for a part of that, if a later one ends it.",
)
@click.option("--without", multiple=True, metavar="PASS", help="Switch an optimisation off; may be repeated.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Leave these diagnostics out.")
@click.option("--error", multiple=True, metavar="CODES", help="Make these errors.")
@click.pass_context
def compile_command(
    context: click.Context,
    sources: tuple[str, ...],
    output: str | None,
    check: bool,
    standalone: bool,
    native: bool,
    events: str,
    stable: bool | None,
    strict_bodies: bool,
    closers_in_strings: bool,
    without: tuple[str, ...],
    ignore: tuple[str, ...],
    error: tuple[str, ...],
) -> None:
    """Compile the response template in SOURCE to a Python module.

    SOURCE is a template in a .json file, a tokenizer_config.json with the key response_template, a folder that holds
    one, - for standard input, or the name of a ready-made parser (see `respc list`). In a folder OUT a module is named
    after its SOURCE, and several SOURCEs can be compiled. Without SOURCE, the modules of [tool.respc] in pyproject.toml
    are. CODES are as for `respc check`.
    """
    from respc.cli.compile_targets import checked_options, targets_of_project, targets_of_sources
    from respc.cli.policies import policy_from_options
    from respc.cli.project_config import read_project

    if sources:
        if output is None:
            raise click.UsageError("Missing option '-o' / '--output'.", context)
        if check and output == "-":
            raise click.UsageError("--check compares with a file: give one with -o")
        options = checked_options(
            standalone=standalone or native,
            events=events,
            stable=stable,
            strict_bodies=strict_bodies,
            closers_in_strings=closers_in_strings,
            without=without,
        )
        policy = policy_from_options(ignore, error)
        targets = targets_of_sources(sources, output, options, policy, native=native)
    else:
        _require_sources_for_options(context)
        project = read_project()
        policy = policy_from_options(ignore or project.ignore, error or project.error)
        targets = targets_of_project(project, policy)
    raise click.exceptions.Exit(_make_all(targets, check=check))


def _require_sources_for_options(context: click.Context) -> None:
    """Refuse options that would do nothing: a module of a project has its own."""
    for name in _OF_SOURCES:
        if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT:
            option = next(each.opts[0] for each in context.command.params if each.name == name)
            raise click.UsageError(f"{option} is for a SOURCE: give one")


def _make_all(targets: Sequence[Target], *, check: bool) -> int:
    """Make all modules, also after one that cannot be made, and give the exit code of the worst."""
    from respc.cli.compile_run import make

    worst = DONE
    for target in targets:
        try:
            make(target, check=check)
        except Failure as failure:
            failure.show()
            worst = max(worst, failure.exit_code)
        except click.exceptions.Exit as left:
            worst = max(worst, left.exit_code)
    return worst
