"""The extension beside a module, as ``respc compile`` speaks of it."""

from __future__ import annotations

from pathlib import Path

import click

from respc.cli.exit_codes import FAILED
from respc.cli.terminal import file_failure


def require_name_for_extension(output: str) -> None:
    """Refuse an OUT beside which no extension can lie."""
    from respc.native.naming import why_no_module

    if output == "-":
        raise click.UsageError("--native builds a file beside OUT: name one with -o")
    if (problem := why_no_module(Path(output))) is not None:
        raise click.UsageError(f"--native: {problem}")


def build_and_say(output: str, source: str) -> None:
    """Build the extension of a module that was written; say on standard error what came of it.

    Where none can be built, the module does the same, only slower: a warning says so. But what was asked for is not
    there, and the exit code tells.
    """
    from respc.diagnostics import visible
    from respc.native import NativeError, build_extension, extension_beside

    extension = extension_beside(Path(output))
    try:
        built = build_extension(source, Path(output))
    except NativeError as error:
        click.echo(
            f"warning: no extension was built, {visible(output)} is imported as Python: {error}", err=True
        )
        warn_of_another_extension(output, source)
        raise click.exceptions.Exit(FAILED) from error
    except OSError as error:
        raise file_failure(str(extension), error) from error
    click.echo(f"{visible(str(extension))}: {'written' if built else 'unchanged'}", err=True)


def warn_of_another_extension(output: str, source: str) -> None:
    """Say where Python would import an extension in place of the module that was written, and it is of another one."""
    from respc.diagnostics import visible
    from respc.native.naming import extension_beside, is_built_of

    extension = extension_beside(Path(output))
    if extension.is_file() and not is_built_of(extension, source):
        click.echo(
            f"warning: {visible(str(extension))}: Python imports it in place of {visible(output)}, and it was built "
            "of something else: build it anew with --native, or remove it",
            err=True,
        )


def is_stale(output: str, source: str) -> bool:
    """Tell whether the extension beside a module is missing or of something else, and say so."""
    from respc.diagnostics import visible
    from respc.native import extension_beside, is_built_of

    extension = extension_beside(Path(output))
    if is_built_of(extension, source):
        return False
    why = "was built of something else" if extension.is_file() else "is missing"
    click.echo(f"{visible(str(extension))}: {why}", err=True)
    return True
