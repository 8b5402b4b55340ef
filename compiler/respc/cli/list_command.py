"""``respc list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from respc.cli.terminal import print_exactly

if TYPE_CHECKING:
    from respc.families import Family

_FORMATS: Final = ("table", "plain", "json", "markdown")
_REASONING: Final = {"output": "in the output", "prompt": "in the prompt", "none": "none"}


@click.command("list")
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="table", show_default=True)
def list_command(shown_as: str) -> None:
    """List the ready-made parsers: their models, where reasoning starts, and the tokens that a detokeniser must keep.

    A name can be given wherever a command takes a SOURCE, and `from respc_parsers import NAME` gives the parser.
    """
    from respc.families import families

    found = list(families().values())
    if shown_as == "plain":
        print_exactly("".join(f"{family.name}\n" for family in found))
    elif shown_as == "json":
        import json
        from dataclasses import asdict

        print_exactly(json.dumps([asdict(family) for family in found], indent=2, ensure_ascii=False) + "\n")
    elif shown_as == "markdown":
        from respc.families_page import docs_page

        print_exactly(docs_page())
    else:
        _print_table(found)


def _print_table(found: list[Family]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold", show_lines=False)
    for heading in ("name", "models", "reasoning starts", "tokens to keep"):
        table.add_column(heading, overflow="fold")
    for family in found:
        table.add_row(
            Text(family.name, "bold"),
            Text("\n".join(family.models)),
            Text(_REASONING[family.reasoning]),
            Text(" ".join(family.tokens)),
        )
    Console().print(table)
