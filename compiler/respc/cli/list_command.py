"""``respc list``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from respc.cli.tables import print_table
from respc.cli.terminal import print_exactly

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from rich.console import RenderableType
    from rich.table import Table

    from respc.families import Family
    from respc_parsers import ModelRow

_FORMATS: Final = ("table", "plain", "json", "markdown")
_WIDEST_TOKENS: Final = 36
"""Tokens go on in the next line."""
_WIDEST: Final = 1_000


@click.command("list", short_help="List the ready-made parsers, or find the one for a model.")
@click.option("--format", "shown_as", type=click.Choice(_FORMATS), default="table", show_default=True)
@click.option("--model", metavar="NAME", help="Only the parser for this model of the Hugging Face Hub.")
def list_command(shown_as: str, model: str | None) -> None:
    """List the ready-made parsers: their models, where reasoning starts, and the tokens that a detokeniser must keep.

    A name can be given wherever a command takes a SOURCE, and `from respc_parsers import NAME` gives the parser.
    `respc_parsers.for_model` goes by the same table of models as --model.
    """
    from respc.families import families

    if model is not None and shown_as == "markdown":
        raise click.UsageError("--format markdown is the page about all parsers, and goes without --model")
    row = None if model is None else _row_of(model)
    found = list(families().values()) if row is None else [families()[row.family]]
    if shown_as == "plain":
        print_exactly("".join(f"{family.name}\n" for family in found))
    elif shown_as == "json":
        import json
        from dataclasses import asdict

        by = {} if row is None else {"pattern": row.pattern, "checked": row.checked}
        records = [asdict(family) | by for family in found]
        print_exactly(json.dumps(records, indent=2, ensure_ascii=False) + "\n")
    elif shown_as == "markdown":
        from respc.families_page import docs_page

        print_exactly(docs_page())
    else:
        print_table(lambda encoding, width: _laid_out(found, encoding, width))
        if row is not None:
            print_exactly(f"\nby the row {row.pattern}, checked against: {row.checked}\n")


def _row_of(model: str) -> ModelRow:
    """Find the row of the table of models that a name falls under."""
    from respc.diagnostics import visible
    from respc_parsers import UnknownModelError, row_of_model

    try:
        return row_of_model(model)
    except UnknownModelError as error:
        raise click.BadParameter(visible(str(error)), param_hint="--model") from None


def _laid_out(found: Collection[Family], encoding: str, width: int) -> RenderableType:
    """Lay the parsers out for a terminal: names of models and tokens, which people copy, stay whole."""
    from rich.console import Console

    table = _table(found, encoding)
    return table if Console(width=_WIDEST).measure(table).maximum <= width else _list(found, encoding)


def _table(found: Iterable[Family], encoding: str) -> Table:
    from rich.table import Table
    from rich.text import Text

    from respc.diagnostics import visible
    from respc.families_page import REASONING_STARTS

    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("name", "models", "reasoning starts"):
        table.add_column(heading, no_wrap=True)
    table.add_column("tokens to keep", overflow="fold", max_width=_WIDEST_TOKENS)
    for family in found:
        table.add_row(
            Text(family.name, "bold"),
            Text("\n".join(family.models)),
            Text(REASONING_STARTS[family.reasoning]),
            Text(visible(" ".join(family.tokens), encoding)),
        )
    return table


def _list(found: Iterable[Family], encoding: str) -> RenderableType:
    """Put one parser below the other."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    from respc.diagnostics import visible
    from respc.families_page import REASONING_STARTS

    parts: list[RenderableType] = []
    for family in found:
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(no_wrap=True, style="dim")
        grid.add_column(overflow="fold")
        grid.add_row("models", Text("\n".join(family.models)))
        grid.add_row("reasoning", REASONING_STARTS[family.reasoning])
        grid.add_row("tokens", Text(visible(" ".join(family.tokens), encoding)))
        parts += [Text(family.name, "bold"), Padding(grid, (0, 0, 0, 2))]
    return Group(*parts)
