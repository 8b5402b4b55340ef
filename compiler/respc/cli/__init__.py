"""The command line: one file a command, each of which imports what it needs when it runs."""

from __future__ import annotations

import click

from respc.cli.compile_command import compile_command

SETTINGS = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=SETTINGS)
@click.version_option(package_name="respc")
def main() -> None:
    """Compile response templates to Python parsers."""


main.add_command(compile_command)
