"""A trace for terminals: the text by region, what happened step by step, and the message."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len
from rich.console import Group
from rich.table import Table
from rich.text import Text

from respc.corpora import json_text
from respc.diagnostics import quoted, visible
from respc.trace.rows import rows
from respc.trace.told import name_of, shortened, shortened_values, summary_of, told_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from respc.trace.model import Step, Trace
    from respc.trace.rows import Piece, Row
    from respc.trace.told import Told

_COLOURS: Final = ("cyan", "green", "magenta", "blue", "yellow", "bright_red", "bright_cyan", "bright_green")
_LONGEST_TEXT: Final = 1_200
_LONGEST_CHUNK: Final = 24
_LONGEST_NAME: Final = 32
_MOST_ELEMENTS: Final = 40
_MOST_ROWS: Final = 200
_MOST_STEPS: Final = 80
_PARTS: Final = {"opener": "opens", "closer": "closes", "outside": "", "unread": "", "body": ""}


def terminal(trace: Trace, encoding: str = "utf-8") -> RenderableType:
    """Lay a trace out for a terminal of this encoding."""
    drawing = _Drawing(trace, encoding)
    parts: list[RenderableType] = [
        Text.assemble((drawing.line(trace.title), "bold"), ": ", summary_of(trace)),
        "",
        drawing.text(),
        "",
        drawing.steps(),
        "",
    ]
    return Group(*parts, *drawing.outcome())


@dataclass(frozen=True, slots=True)
class _Drawing:
    trace: Trace
    encoding: str

    def line(self, text: str) -> str:
        """Give a text on one line."""
        return visible(text, self.encoding)

    def lines(self, text: str) -> str:
        """Give a text with its lines, each end of which is seen."""
        try:
            newline = "↵"
            newline.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            newline = "\\n"
        lines = f"{newline}\n".join(self.line(line) for line in text.split("\n"))
        return lines.removesuffix("\n")

    def style(self, field: str | None) -> str:
        """Give the colour of a field."""
        if field is None or field not in self.trace.fields:
            return ""
        return _COLOURS[self.trace.fields.index(field) % len(_COLOURS)]

    def text(self) -> Table:
        """Give the text by region."""
        table = _table()
        is_whole = (
            max((cell_len(self.line(field)) for field in self.trace.fields), default=0) <= _LONGEST_NAME
        )
        table.add_column("field", overflow="fold", no_wrap=is_whole)
        table.add_column("", no_wrap=True)
        table.add_column("text", overflow="fold")
        laid_out = rows(self.trace)
        for row in laid_out[:_MOST_ROWS]:
            self._add_row(table, row)
        if len(laid_out) > _MOST_ROWS:
            table.add_row("...", "", Text(f"{len(laid_out) - _MOST_ROWS:,} more regions", "dim"))
        return table

    def _add_row(self, table: Table, row: Row) -> None:
        style = self.style(row.field)
        name = Text(self.line(row.field) if row.field is not None else "(outside)", f"bold {style}".strip())
        for index, (kind, pieces) in enumerate(_runs(row.pieces)):
            said = self.lines(shortened("".join(piece.text for piece in pieces), _LONGEST_TEXT))
            part = _PARTS[kind]
            cell = Text(said, style)
            if kind in ("opener", "closer"):
                cell.stylize("bold")
            if kind == "outside":
                cell = Text(said, "strike")
            if row.kind in ("outside", "closer"):
                cell.append(f"  {row.reason}", "not bold not strike dim")
            if kind == "unread":
                part = "unread"
                cell = Text.assemble((said, "red underline"), (f"\n{self.line(row.reason)}", "red"))
            if all(piece.from_prompt for piece in pieces):
                cell.append("  from the prompt", "dim")
            table.add_row(name if not index else "", Text(part, "red" if part == "unread" else "dim"), cell)

    def steps(self) -> Table:
        """Give what each step led to; steps in which nothing but text of one region came out are put together."""
        table = _table()
        table.add_column("step", no_wrap=True)
        table.add_column("chunk", overflow="fold", max_width=_LONGEST_CHUNK + 2)
        table.add_column("what it led to", overflow="fold")
        groups = [list(steps) for _, steps in groupby(self.trace.steps, _only_text)]
        together = [
            part
            for group in groups
            for part in ([group] if _only_text(group[0])[0] else [[each] for each in group])
        ]
        hidden = len(together) - _MOST_STEPS
        for index, group in enumerate(together):
            if hidden > 0 and _MOST_STEPS // 2 <= index < _MOST_STEPS // 2 + hidden:
                if index == _MOST_STEPS // 2:
                    table.add_row("...", "", Text(f"{hidden:,} more, which --format html shows", "dim"))
                continue
            self._add_steps(table, group)
        return table

    def _add_steps(self, table: Table, group: Sequence[Step]) -> None:
        first, last = group[0], group[-1]
        chunk = self.trace.text[first.start : last.known]
        name = _number(name_of(first, self.trace), name_of(last, self.trace))
        led_to = Text("\n").join(self._led_to(group)) or Text("nothing", "dim")
        table.add_row(name, self.line(_ends_of(chunk)), led_to)

    def _led_to(self, group: Sequence[Step]) -> Iterator[Text]:
        if len(group) > 1:
            field = group[0].field
            told = f"{sum(step.known - step.start for step in group):,} characters"
            yield Text.assemble((self.line(field or ""), self.style(field)), f" {told}")
            return
        (step,) = group
        events, more = told_of(step.events)
        yield from map(self._told, events)
        if more:
            yield Text(f"and {more:,} more events", "dim")
        if step.held is not None:
            why = "; or ".join(step.held.why)
            yield Text.assemble(("held back", "yellow"), self.line(f": {quoted(step.held.text)} {why}"))
        if self.trace.failure is not None and step is self.trace.steps[-1]:
            yield Text(self.line(f"{self.trace.failure.error}: {self.trace.failure.message}"), "bold red")

    def _told(self, told: Told) -> Text:
        field = (self.line(told.field), self.style(told.field)) if told.field is not None else ""
        said = self.line(told.said)
        match told.kind:
            case "opens":
                return Text.assemble(field, " opens", f" with {said}" if said else "")
            case "text":
                return Text.assemble(field, f" `{said}`")
            case "closes":
                return Text.assemble(field, f" closes: {said}")
            case "malformed":
                return Text.assemble(field, (f" cannot be read: {said}", "red"))
            case _:
                return Text.assemble(("outside", "dim"), f": {said}")

    def outcome(self) -> Iterator[RenderableType]:
        """Give the message, or why there is none."""
        failure = self.trace.failure
        if failure is None:
            shown = shortened_values(self.trace.message, _LONGEST_TEXT, _MOST_ELEMENTS)
            yield Text("message", "bold")
            yield Text(self._of_lines(json_text(shown, indent=2)))
            return
        yield Text("no message", "bold red")
        yield Text(self.line(f"{failure.error}: {failure.message}"), "red")

    def _of_lines(self, text: str) -> str:
        return "\n".join(map(self.line, text.split("\n")))


def _table() -> Table:
    return Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))


def _runs(pieces: Sequence[Piece]) -> Iterator[tuple[str, list[Piece]]]:
    """Put pieces of one kind together, those of the prompt apart."""
    for (kind, _), run in groupby(pieces, lambda piece: (piece.kind, piece.from_prompt)):
        yield kind, list(run)


def _ends_of(chunk: str) -> str:
    half = _LONGEST_CHUNK // 2
    return chunk if len(chunk) <= _LONGEST_CHUNK else f"{chunk[:half]}...{chunk[-half:]}"


def _only_text(step: Step) -> tuple[bool, str | None]:
    """Tell whether text of the open region alone came out, of which field."""
    is_text = step.held is None and {event["type"] for event in step.events} == {"region_chunk"}
    return is_text, step.field if is_text else None


def _number(first: str, last: str) -> str:
    """Name steps by their chunks, shortly."""
    if first == last:
        return first.removeprefix("chunk ").removeprefix("chunks ").replace(" to ", "-")
    return f"{first.split()[1]}-{last.split()[-1]}"
