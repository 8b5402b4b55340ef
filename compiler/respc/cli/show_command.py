"""``respc show``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.tables import print_table, table_text
from respc.cli.terminal import print_exactly, print_findings, unreadable, write_and_say

if TYPE_CHECKING:
    from respc.show import Machine

_FORMATS: Final = ("table", "mermaid", "svg", "html")


@click.command("show")
@click.argument("source")
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="table", show_default=True)
@click.option("-o", "--output", "output", metavar="OUT", help="The file to write; by default it is printed.")
def show_command(source: str, shown_as: str, output: str | None) -> None:
    """Show the state machine of the response template in SOURCE.

    For every field: what opens and closes its regions, what the compiler made of that and why, how much text can be
    held back, and what the value becomes. SOURCE is a template in a .json file, a tokenizer_config.json with the key
    response_template, a folder that holds one, - for standard input, or the name of a ready-made parser (see `respc
    list`).
    """
    from respc.cli.inputs import files_of_source, require_another_file

    require_another_file(output, [("SOURCE", path) for path in files_of_source(source)])
    machine = _machine(source)
    if output is not None and output != "-":
        write_and_say(output, _text(machine, shown_as))
    elif shown_as == "table":
        from respc.show.table import table

        print_table(lambda encoding: table(machine, encoding))
    else:
        print_exactly(_text(machine, shown_as))


def _machine(source: str) -> Machine:
    """Read and lower a template; leaves with its findings where it is refused."""
    from respc.analysis import analyse
    from respc.cli.sources import read_source
    from respc.errors import TemplateError
    from respc.show import machine_of
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
    return machine_of(analysis.ir, template.name)


def _text(machine: Machine, shown_as: str) -> str:
    if shown_as == "mermaid":
        from respc.show.mermaid import mermaid as write
    elif shown_as == "svg":
        from respc.show.svg import svg as write
    elif shown_as == "html":
        from respc.show.html import html as write
    else:
        from respc.show.table import table

        return table_text(table(machine))
    return write(machine)
