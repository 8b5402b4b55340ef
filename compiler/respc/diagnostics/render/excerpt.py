"""The piece of a source line that is shown around a place, and what is underlined in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len

from respc.diagnostics.wording import visible_character

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.source.spans import Span

CUT: Final = "..."
TAB: Final = "    "
NARROWEST: Final = 24


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line as shown, and the terminal cells that are underlined: where they start and how many."""

    text: str
    offset: int
    width: int


def excerpt(line: str, span: Span, width: int, encoding: str = "utf-8") -> Excerpt:
    """Return what to show of ``line``, where ``span`` starts, in at most ``width`` terminal cells.

    A line that is too long is shown as a window around the place. Of a span that goes on to other lines, or
    past the window, the part inside is underlined; at least one cell always is.
    """
    width = max(width, NARROWEST)
    start = min(span.column - 1, len(line))
    end = min(span.end_column - 1, len(line)) if span.end_line == span.line else len(line.rstrip())
    # No more characters than cells are looked at: a line can be a megabyte long.
    low, high = max(0, start - width), min(len(line), start + width + 1)
    pieces = [
        TAB if character == "\t" else visible_character(character, encoding) for character in line[low:high]
    ]
    cells = [cell_len(piece) for piece in pieces]
    place, first, last = start - low, 0, len(pieces)
    if high - low < len(line) or sum(cells) > width:
        last = place + _fitting(cells[place:], width - width // 3 - len(CUT))
        first = place - _fitting(reversed(cells[:place]), width - sum(cells[place:last]) - 2 * len(CUT))
    lead = CUT if low + first > 0 else ""
    tail = CUT if low + last < len(line) else ""
    before, marked = "".join(pieces[first:place]), "".join(pieces[place : max(place, min(last, end - low))])
    text = lead + "".join(pieces[first:last]) + tail
    return Excerpt(text, len(lead) + cell_len(before), max(cell_len(marked), 1))


def _fitting(cells: Iterable[int], budget: int) -> int:
    """Return how many of the first pieces fit."""
    count = 0
    for needed in cells:
        budget -= needed
        if budget < 0:
            break
        count += 1
    return count
