"""``respc schema``."""

from __future__ import annotations

import click

from respc.cli.terminal import print_exactly, write_and_say


@click.command("schema", short_help="Print the JSON Schema of templates, for editors.")
@click.option("-o", "--output", "output", metavar="OUT", help="The file to write; by default it is printed.")
def schema_command(output: str | None) -> None:
    """Print the JSON Schema of response templates.

    Editors that know it complete the keys of a template, say what they mean and mark what is wrong.
    """
    import json

    from respc.schema import template_schema

    text = json.dumps(template_schema(), indent=2, ensure_ascii=False) + "\n"
    if output is None or output == "-":
        print_exactly(text)
    else:
        write_and_say(output, text)
