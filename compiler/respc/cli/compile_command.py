"""``respc compile``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.terminal import (
    Failure,
    count,
    file_failure,
    print_exactly,
    print_findings,
    unreadable,
    write_and_say,
)

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic, Policy
    from respc.driver import Compilation
    from respc.options import Options
    from respc.source import SourceText


@click.command("compile")
@click.argument("source")
@click.option(
    "-o", "--output", "output", required=True, metavar="OUT", help="The module to write; - prints it."
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with a diff if OUT is missing or stale.")
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
@click.option("--ignore", multiple=True, metavar="CODE", help="Leave a diagnostic out; may be repeated.")
@click.option("--error", multiple=True, metavar="CODE", help="Make a diagnostic an error; may be repeated.")
def compile_command(
    source: str,
    output: str,
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
    one, - for standard input, or the name of a ready-made parser (see `respc list`).
    """
    from respc.cli.inputs import files_of_source, require_another_file
    from respc.cli.native_modules import (
        build_and_say,
        require_name_for_extension,
        warn_of_another_extension,
    )
    from respc.cli.policies import policy_from_options

    if check and output == "-":
        raise click.UsageError("--check compares with a file: give one with -o")
    if native:
        require_name_for_extension(output)
    require_another_file(output, [("SOURCE", path) for path in files_of_source(source)])
    standalone = standalone or native
    care = {"strict_bodies": strict_bodies, "closers_in_strings": closers_in_strings}
    options = _options(standalone, events, stable, without, care)
    compilation = _compile(source, options, policy_from_options(ignore, error))
    if output == "-":
        print_exactly(compilation.source)
    elif check:
        _check(output, compilation.source, native=native)
    else:
        write_and_say(output, compilation.source)
        finish = build_and_say if native else warn_of_another_extension
        finish(output, compilation.source)


def _options(
    standalone: bool, events: str, stable: bool | None, without: tuple[str, ...], care: dict[str, bool]
) -> Options:
    """Check what was asked for that does not go together."""
    from respc.options import NEEDED_FOR_STABILITY, Options
    from respc.passes import PASSES

    for name in without:
        if name not in PASSES:
            raise click.BadParameter(
                f"no pass {name!r}; there are {', '.join(PASSES)}", param_hint="'--without'"
            )
    passes = [name for name in PASSES if name not in without]
    if stable is None:
        stable = events == "serving"
    if stable and (needed := sorted(set(NEEDED_FOR_STABILITY) & set(without))):
        raise click.UsageError(f"--stable needs {', '.join(needed)}: give --no-stable too")
    return Options.of(standalone=standalone, passes=passes, events=events, stable=stable, **care)


def _compile(source: str, options: Options, policy: Policy) -> Compilation:
    """Compile, with findings on standard error; leaves with the right exit code if there is nothing to give."""
    from respc.cli.sources import read_source
    from respc.driver import compile_source
    from respc.errors import InternalError, TemplateError
    from respc.source import SourceFileError

    try:
        template = read_source(source)
        compilation = compile_source(template, options, policy=policy)
    except SourceFileError as error:
        raise unreadable(error) from error
    except TemplateError as error:
        _show(error.diagnostics, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    except InternalError as error:
        raise Failure(f"{error}\nThis is a fault of respc, nothing was written: please report it.") from error
    _show(compilation.diagnostics, template.name, template.text)
    return compilation


def _show(findings: tuple[Diagnostic, ...], name: str, text: SourceText | None) -> None:
    """Print errors and warnings; notes are for those who ask, and only counted."""
    from respc.diagnostics import Severity, visible

    serious = [finding for finding in findings if finding.severity is not Severity.NOTE]
    print_findings(serious, name, text)
    if notes := len(findings) - len(serious):
        click.echo(f"{visible(name)}: {count(notes, 'note')}, which `respc check` shows", err=True)


def _check(output: str, text: str, *, native: bool) -> None:
    from respc.cli.files import difference
    from respc.cli.native_modules import is_stale

    try:
        diff = difference(output, text)
    except OSError as error:
        raise file_failure(output, error) from error
    if diff:
        print_exactly(diff)
    if (native and is_stale(output, text)) or diff:
        raise click.exceptions.Exit(REFUSED_OR_STALE)
