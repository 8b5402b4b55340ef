"""What ``respc compile`` does with one module: compiling, comparing, writing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.outputs import PRINTED
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


@dataclass(frozen=True, slots=True)
class Target:
    """A module to compile.

    Attributes:
        source: the template.
        output: the file, or "-".
        options: how.
        native: whether an extension is built beside it.
        policy: which findings count.
        makes_folder: whether a folder was named for it, which is made if it is not there.
    """

    source: str
    output: str
    options: Options
    native: bool
    policy: Policy
    makes_folder: bool = False


def make(target: Target, *, check: bool) -> None:
    """Compile a module and write it, or compare it with the file; leaves with the right exit code if it is not so."""
    from respc.cli.native_modules import build_and_say, warn_of_another_extension

    output = target.output
    text = _compile(target).source
    if output == PRINTED:
        print_exactly(text)
        return
    text = _as_other_version_made(output, text)
    if check:
        _check(output, text, native=target.native)
    else:
        if target.makes_folder:
            _make_folder(Path(output).parent)
        write_and_say(output, text)
        finish = build_and_say if target.native else warn_of_another_extension
        finish(output, text)


def _compile(target: Target) -> Compilation:
    """Compile, with findings on standard error; leaves with the right exit code if there is nothing to give."""
    from respc.cli.sources import read_source
    from respc.driver import compile_source
    from respc.errors import InternalError, TemplateError
    from respc.source import SourceFileError

    try:
        template = read_source(target.source)
        compilation = compile_source(template, target.options, policy=target.policy)
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
    """Print errors and warnings; notes are only counted, but for those that `check` shows on request alone."""
    from respc.diagnostics import ON_REQUEST, Severity, visible

    shown = [each for each in findings if each.severity is not Severity.NOTE or each.code in ON_REQUEST]
    print_findings(shown, name, text)
    if notes := len(findings) - len(shown):
        click.echo(f"{visible(name)}: {count(notes, 'note')}, which `respc check` shows", err=True)


def _as_other_version_made(output: str, text: str) -> str:
    """Give what the file has, if the version that made it is all that differs: an upgrade alone makes nothing stale."""
    from respc.codegen.header import VERSION_LINE

    version = re.compile(rf"^{re.escape(VERSION_LINE)}[0-9A-Za-z.+]{{1,40}}$", re.MULTILINE)
    try:
        present = Path(output).read_bytes().decode("utf-8")
    except (OSError, ValueError):
        return text  # whoever writes or compares says what is wrong with it
    found = version.search(present)
    if found is not None and version.sub(found[0], text, count=1) == present:
        return present
    return text


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(exist_ok=True)  # not those above it: a path that is mistyped makes no tree of folders
    except OSError as error:
        raise file_failure(str(folder), error) from error


def _check(output: str, text: str, *, native: bool) -> None:
    from respc.cli.files import difference
    from respc.cli.native_modules import is_stale
    from respc.diagnostics import visible

    try:
        diff = difference(output, text)
    except FileNotFoundError:
        click.echo(f"{visible(output)}: missing; without --check it is written", err=True)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from None
    except OSError as error:
        raise file_failure(output, error) from error
    if diff:
        print_exactly(diff)
    if (native and is_stale(output, text)) or diff:
        raise click.exceptions.Exit(REFUSED_OR_STALE)
