"""The state machine as a table for terminals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.box import ROUNDED
from rich.table import Table
from rich.text import Text

from respc.diagnostics import visible

if TYPE_CHECKING:
    from respc.show.model import Machine

_COLUMNS: Final = ("field", "", "as written", "what it becomes", "held back")
_COMPILED_STYLES: Final = {
    "plain text": "green",
    "expressions": "green",
    "segments": "green",
    "regex": "yellow",
}


def table(machine: Machine, encoding: str = "utf-8") -> Table:
    """Lay the machine out for a terminal of this encoding."""
    laid_out = Table(title=Text(visible(machine.title, encoding)), box=ROUNDED, title_justify="left")
    for heading in _COLUMNS:
        laid_out.add_column(heading, overflow="fold")
    for number, row in enumerate(machine.rows()):
        if number and row.field:
            laid_out.add_section()
        cells = [
            visible(cell, encoding) for cell in (row.field, row.part, row.written, row.compiled, row.held)
        ]
        laid_out.add_row(
            Text(cells[0], "bold"),
            Text(cells[1], "dim"),
            Text(cells[2], "cyan"),
            _compiled(cells[3]),
            Text(cells[4], "yellow" if cells[4].startswith("without") else ""),
        )
    if machine.outside:
        laid_out.caption = Text(f"outside the regions: {machine.outside}", "dim")
        laid_out.caption_justify = "left"
    return laid_out


def _compiled(text: str) -> Text:
    found_by, colon, _ = text.partition(": ")
    cell = Text(text)
    if colon and found_by in _COMPILED_STYLES:
        cell.stylize(_COMPILED_STYLES[found_by], 0, len(found_by))
    return cell
