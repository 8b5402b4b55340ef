"""The text as rows, one for each region and for what is outside, and each row as pieces.

A piece is cut wherever one step may have it and another not, so that whoever shows a step only tells for each piece
whether it is let out, held back, or still to come.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.trace.model import Mark, MarkKind, Trace

RowKind: TypeAlias = Literal["region", "outside", "unread", "closer"]

_KIND_OF_ROW: Final[dict[MarkKind, RowKind]] = {"outside": "outside", "unread": "unread", "closer": "closer"}


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of the text that is let out all at once.

    Attributes:
        kind: what it was taken for.
        from_prompt: whether the prompt has it.
    """

    kind: MarkKind
    start: int
    end: int
    text: str
    from_prompt: bool


@dataclass(frozen=True, slots=True)
class Row:
    """A region with its delimiters, or text outside of all regions.

    Attributes:
        field: the field of the region.
        reason: why it is outside or unread.
    """

    kind: RowKind
    field: str | None
    reason: str
    pieces: tuple[Piece, ...]


def rows(trace: Trace, longest: int | None = None, most: int | None = None) -> list[Row]:
    """Lay the text out.

    Args:
        trace: what the parser made of it.
        longest: the most characters to give; what is longer is cut there.
        most: the most rows to give.
    """
    places = {trace.prompt_length, *(place for step in trace.steps for place in (step.decided, step.known))}
    cuts = sorted(places)
    laid_out: list[Row] = []
    left = len(trace.text) if longest is None else longest
    for group in _groups(trace.marks):
        start, end = group[0].start, group[-1].end
        if (start >= left and start < end) or len(laid_out) == most:
            break
        shown = tuple(piece for mark in group for piece in _pieces(trace, mark, cuts, left))
        bad = next((mark for mark in group if mark.kind == "unread"), None)
        mark = group[0] if bad is None else bad
        kind = _KIND_OF_ROW.get(mark.kind, "region")
        if shown:
            laid_out.append(Row(kind, mark.field, mark.reason, shown))
    return laid_out


def _groups(marks: Sequence[Mark]) -> Iterator[list[Mark]]:
    """Put the marks of each region together."""
    group: list[Mark] = []
    for mark in marks:
        goes_on = bool(group) and mark.field is not None and mark.field == group[0].field
        begins = mark.kind == "opener" and (not group or group[-1].kind != "opener")
        if group and (begins or not goes_on or group[-1].kind == "closer"):
            yield group
            group = []
        group.append(mark)
    if group:
        yield group


def _pieces(trace: Trace, mark: Mark, cuts: Sequence[int], left: int) -> Iterator[Piece]:
    start, last = mark.start, min(mark.end, left)
    for end in (*cuts[bisect_right(cuts, start) : bisect_left(cuts, last)], last):
        if start < end:
            yield Piece(mark.kind, start, end, trace.text[start:end], end <= trace.prompt_length)
        start = end
