"""The state machine for terminals: a table where it has room for whole names, else one field below the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.box import ROUNDED
from rich.cells import cell_len
from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from respc.diagnostics import visible
from respc.show.breaks import broken_into_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from respc.show.model import Machine, Row

_COLUMNS: Final = ("field", "part", "as written", "what it becomes", "held back")
_NAMES: Final = 2
"""The first columns have names, which are never broken."""
_FRAME: Final = 3 * len(_COLUMNS) + 1
_INDENT: Final = 2
_GAP: Final = 2
_COMPILED_STYLES: Final = {
    "plain text": "green",
    "expressions": "green",
    "segments": "green",
    "regex": "yellow",
}


def table(machine: Machine, encoding: str = "utf-8", width: int = 120) -> RenderableType:
    """Lay the machine out for a terminal of this encoding and width."""
    drawing = _Drawing(machine, encoding)
    return drawing.table() if drawing.has_room_for_a_table(width) else drawing.list(width)


class _Drawing:
    def __init__(self, machine: Machine, encoding: str) -> None:
        self._encoding = encoding
        self._rows = list(machine.rows())
        self._title = Text(self._line(machine.title))
        self._outside = Text(f"outside the regions: {machine.outside}" if machine.outside else "", "dim")

    def _line(self, text: str) -> str:
        return visible(text, self._encoding)

    def has_room_for_a_table(self, width: int) -> bool:
        """Tell whether no name and no word is broken; a pattern has no place where it should be."""
        rows = [self._cells(row) for row in self._rows]
        names = sum(max(cell_len(cells[column]) for cells in rows) for column in range(_NAMES))
        words = [
            word
            for row, cells in zip(self._rows, rows, strict=True)
            for column, cell in enumerate(cells[_NAMES:])
            if column or not row.is_pattern
            for word in cell.split()
        ]
        columns = len(_COLUMNS) - _NAMES
        return max(map(cell_len, words), default=0) <= (width - _FRAME - names) // columns

    def _cells(self, row: Row) -> tuple[str, str, str, str, str]:
        field, part, written, compiled, held = row.field, row.part, row.written, row.compiled, row.held
        return (
            self._line(field), self._line(part), self._line(written), self._line(compiled), self._line(held)
        )  # fmt: skip

    def table(self) -> Table:
        """Give a table."""
        laid_out = Table(title=self._title, box=ROUNDED, title_justify="left")
        for number, heading in enumerate(_COLUMNS):
            laid_out.add_column(heading, overflow="fold", no_wrap=number < _NAMES)
        for number, row in enumerate(self._rows):
            if number and row.field:
                laid_out.add_section()
            field, part, written, compiled, held = self._cells(row)
            laid_out.add_row(
                Text(field, "bold"),
                Text(part, "dim"),
                Text(written, "cyan"),
                _compiled(compiled),
                _held(held),
            )
        if self._outside:
            laid_out.caption = self._outside
            laid_out.caption_justify = "left"
        return laid_out

    def list(self, width: int) -> Group:
        """Give one field below the other, each with its parts."""
        return Group(self._title, *self._fields(width), *([Text(), self._outside] if self._outside else []))

    def _fields(self, width: int) -> Iterator[RenderableType]:
        room = max(width - _INDENT - max(cell_len(row.part) for row in self._rows) - _GAP, 1)
        grid = _parts()
        for number, row in enumerate(self._rows):
            field, part, written, compiled, held = self._cells(row)
            if field or not number:
                yield Padding(grid, (0, 0, 0, _INDENT))
                yield Text()
                if field:
                    yield Text(field, "bold")
                grid = _parts()
            said = [_compiled(compiled)] if compiled else []
            if held:
                said.append(Text.assemble("held back: ", _held(held)))
            grid.add_row(
                Text(part, "dim"), Text("\n").join([Text(_broken(row, written, room), "cyan"), *said])
            )
        yield Padding(grid, (0, 0, 0, _INDENT))


def _broken(row: Row, written: str, room: int) -> str:
    return "\n".join(broken_into_lines(written, room)) if row.is_pattern else written


def _parts() -> Table:
    grid = Table.grid(padding=(0, _GAP, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    return grid


def _held(text: str) -> Text:
    return Text(text, "yellow" if text.startswith("without") else "")


def _compiled(text: str) -> Text:
    found_by, colon, _ = text.partition(": ")
    cell = Text(text)
    if colon and found_by in _COMPILED_STYLES:
        cell.stylize(_COMPILED_STYLES[found_by], 0, len(found_by))
    return cell
