"""``respc compile``."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from respc.cli.exit_codes import FAILED, REFUSED_OR_STALE

if TYPE_CHECKING:
    from respc.driver import Compilation


@click.command("compile")
@click.argument("source")
@click.option(
    "-o", "--output", "output", required=True, metavar="OUT", help="The module to write; - prints it."
)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 with a diff if OUT is missing or stale.")
@click.option("--standalone", is_flag=True, help="Put the used parts of the runtime into the module.")
@click.option("--without", multiple=True, metavar="PASS", help="Switch an optimisation off; may be repeated.")
def compile_command(
    source: str, output: str, check: bool, standalone: bool, without: tuple[str, ...]
) -> None:
    """Compile the response template in SOURCE to a Python module.

    SOURCE is a template in a .json file, a tokenizer_config.json with the key response_template, a folder that holds
    one, or - for standard input.
    """
    if check and output == "-":
        raise click.UsageError("--check compares with a file: give one with -o")
    compilation = _compile(source, standalone, without)
    if output == "-":
        _print(compilation.source)
    elif check:
        _check(output, compilation.source)
    else:
        _write(output, compilation.source)


def _compile(source: str, standalone: bool, without: tuple[str, ...]) -> Compilation:
    """Compile, with findings on standard error; leaves with the right exit code if there is nothing to give."""
    from respc.cli.terminal import print_findings
    from respc.driver import compile_source
    from respc.errors import InternalError, TemplateError
    from respc.passes import PASSES
    from respc.source import SourceFileError, read_template

    for name in without:
        if name not in PASSES:
            raise click.BadParameter(
                f"no pass {name!r}; there are {', '.join(PASSES)}", param_hint="'--without'"
            )
    passes = [name for name in PASSES if name not in without]
    try:
        template = read_template(source)
        compilation = compile_source(template, standalone=standalone, passes=passes)
    except SourceFileError as error:
        raise _Failure(str(error)) from error
    except TemplateError as error:
        print_findings(error.diagnostics, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    except InternalError as error:
        raise _Failure(
            f"{error}\nThis is a fault of respc, nothing was written: please report it."
        ) from error
    print_findings(compilation.diagnostics, template.name, template.text)
    return compilation


def _print(text: str) -> None:
    try:
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise  # click ends quietly when nobody reads on
    except OSError as error:
        raise _Failure(f"standard output: {error.strerror or error}") from error


def _check(output: str, text: str) -> None:
    from respc.cli.files import difference

    try:
        diff = difference(output, text)
    except OSError as error:
        raise _Failure(f"{output}: {error.strerror or error}") from error
    if diff:
        click.echo(diff, nl=False)
        raise click.exceptions.Exit(REFUSED_OR_STALE)


def _write(output: str, text: str) -> None:
    from respc.cli.files import write_if_changed
    from respc.diagnostics import visible

    try:
        changed = write_if_changed(output, text)
    except OSError as error:
        raise _Failure(f"{visible(output)}: {error.strerror or error}") from error
    click.echo(f"{visible(output)}: {'written' if changed else 'unchanged'}", err=True)


class _Failure(click.ClickException):
    """What has nothing to do with the template: a file that cannot be read or written, or a fault of the compiler."""

    exit_code = FAILED
