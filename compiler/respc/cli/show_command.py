"""``respc show``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.tables import WIDTH_OF_FILES, print_table, table_text
from respc.cli.terminal import print_exactly, print_findings, unreadable, write_and_say

if TYPE_CHECKING:
    from respc.ir import ParserIR
    from respc.show import Machine

_FORMATS: Final = ("table", "mermaid", "svg", "html", "ir")


@click.command("show", short_help="Show the state machine of a template.")
@click.argument("source")
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="table", show_default=True)
@click.option("-o", "--output", "output", metavar="OUT", help="The file to write; by default it is printed.")
def show_command(source: str, shown_as: str, output: str | None) -> None:
    """Show the state machine of the response template in SOURCE.

    For every field: what opens and closes its regions, what the compiler made of that and why, how much text can be
    held back, and what the value becomes. The format ir is what the compiler itself works with: every node with its
    place, and the expressions of every state. SOURCE is a template in a .json file, a tokenizer_config.json with the
    key response_template, a folder that holds one, - for standard input, or the name of a ready-made parser (see
    `respc list`).
    """
    from respc.cli.inputs import files_of_source, require_another_file

    require_another_file(output, [("SOURCE", path) for path in files_of_source(source)])
    ir, name = _lowered(source)
    if shown_as == "ir":
        from respc.show.intermediate import intermediate

        _write(output, intermediate(ir))
        return
    from respc.show import machine_of

    machine = machine_of(ir, name)
    if shown_as == "table" and output in (None, "-"):
        from respc.show.table import table

        print_table(lambda encoding, width: table(machine, encoding, width))
    else:
        _write(output, _text(machine, shown_as))


def _write(output: str | None, text: str) -> None:
    """Write a file, or print."""
    if output is not None and output != "-":
        write_and_say(output, text)
    else:
        print_exactly(text)


def _lowered(source: str) -> tuple[ParserIR, str]:
    """Read and lower a template; leaves with its findings where it is refused."""
    from respc.analysis import analyse
    from respc.cli.sources import read_source
    from respc.errors import TemplateError
    from respc.source import SourceFileError

    try:
        template = read_source(source)
    except SourceFileError as error:
        raise unreadable(error) from error
    except TemplateError as error:
        print_findings(error.diagnostics, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    analysis = analyse(template)
    if analysis.ir is None:
        errors = [finding for finding in analysis.findings if finding.severity.value == "error"]
        print_findings(errors, template.name, template.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE)
    return analysis.ir, template.name


def _text(machine: Machine, shown_as: str) -> str:
    if shown_as == "mermaid":
        from respc.show.mermaid import mermaid as write
    elif shown_as == "svg":
        from respc.show.svg import svg as write
    elif shown_as == "html":
        from respc.show.html import html as write
    else:
        from respc.show.table import table

        return table_text(table(machine, "utf-8", WIDTH_OF_FILES))
    return write(machine)
