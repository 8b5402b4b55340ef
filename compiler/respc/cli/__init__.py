"""The command line: one file a command, each of which imports what it needs when it runs."""

from __future__ import annotations

from typing import Any, Final

import click

from respc.cli.bench_command import bench_command
from respc.cli.check_command import check_command
from respc.cli.compile_command import compile_command
from respc.cli.engine_template_command import engine_template_command
from respc.cli.exit_codes import INTERRUPTED
from respc.cli.explain_command import explain_command
from respc.cli.grammar_command import grammar_command
from respc.cli.infer_command import infer_command
from respc.cli.list_command import list_command
from respc.cli.parse_command import parse_command
from respc.cli.schema_command import schema_command
from respc.cli.show_command import show_command
from respc.cli.trace_command import trace_command
from respc.cli.verify_command import verify_command

SETTINGS = {"help_option_names": ["-h", "--help"]}

SECTIONS: Final = {
    "Templates": (
        check_command,
        compile_command,
        verify_command,
        infer_command,
        grammar_command,
        show_command,
        engine_template_command,
    ),
    "Parsers": (list_command, parse_command, trace_command, bench_command),
    "Reference": (explain_command, schema_command),
}
"""The commands, as `respc --help` has them."""


class Commands(click.Group):
    """The commands; Ctrl-C ends each with an exit code of its own: 1 would say that something was found."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section, each with its summary as a whole."""
        width = max(map(len, self.commands))
        for title, commands in SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(f"{each.name:{width}}", each.short_help or "") for each in commands], col_max=width
                )

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise click.exceptions.Exit(INTERRUPTED) from None


@click.group(cls=Commands, context_settings=SETTINGS)
@click.version_option(package_name="respc")
def main() -> None:
    """Compile response templates to Python parsers.

    `respc COMMAND --help` has the options of a command.
    """


for commands in SECTIONS.values():
    for each in commands:
        main.add_command(each)
