"""``respc list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from respc.cli.tables import print_table
from respc.cli.terminal import print_exactly

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.table import Table

    from respc.families import Family

_FORMATS: Final = ("table", "plain", "json", "markdown")
_WIDEST_TOKENS: Final = 36
"""Tokens go on in the next line: names of models, which people copy, stay whole beside them."""


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
        print_table(lambda encoding: _table(found, encoding))


def _table(found: Iterable[Family], encoding: str) -> Table:
    """Lay the parsers out for a terminal of this encoding."""
    from rich.table import Table
    from rich.text import Text

    from respc.diagnostics import visible
    from respc.families_page import REASONING_STARTS

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "models", "reasoning starts"):
        table.add_column(heading, overflow="fold")
    table.add_column("tokens to keep", overflow="fold", max_width=_WIDEST_TOKENS)
    for family in found:
        table.add_row(
            Text(family.name, "bold"),
            Text("\n".join(family.models)),
            Text(REASONING_STARTS[family.reasoning]),
            Text(visible(" ".join(family.tokens), encoding)),
        )
    return table
