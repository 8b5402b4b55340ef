"""Where everything of the picture stands: rectangles, lines and texts, with widths that are known beforehand.

All text is in a monospaced font, so that a text's width follows from its length.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rich.cells import cell_len, chop_cells

from respc.show.breaks import broken_into_lines

if TYPE_CHECKING:
    from respc.show.model import Border, Field, Machine

LARGE: Final = 14.0
NORMAL: Final = 12.0
SMALL: Final = 10.0
_ADVANCE: Final = 0.602
"""The width of a character over the size of the font, in most monospaced fonts."""
_ROOM: Final = 1.06
"""The room for a text over its width: some programs round each character up to whole pixels."""
_LEADING: Final = 1.45
"""The height of a line over the size of the font."""

_MARGIN: Final = 20.0
_PADDING: Final = 12.0
_ROW_GAP: Final = 18.0
_LABEL_GAP: Final = 6.0
_ARROW_GAP: Final = 14.0
_LOOP: Final = 26.0
_START_DROP: Final = 34.0
_LEAST_ARROW: Final = 150.0
_LEAST_BOX: Final = 120.0

_WIDEST_LABEL: Final = 38
_WIDEST_IN_BOX: Final = 30
_WIDEST_ABOVE: Final = 76
_MOST_LINES: Final = 6
_MOST_LITERALS: Final = 6


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text. ``full`` is the whole of what was cut."""

    text: str
    size: float
    style: str
    full: str = ""

    @property
    def width(self) -> float:
        """The width it is drawn with."""
        return cell_len(self.text) * self.size * _ADVANCE

    @property
    def room(self) -> float:
        """The width that is kept for it."""
        return self.width * _ROOM

    @property
    def height(self) -> float:
        """How high it is, with the space to the next."""
        return self.size * _LEADING


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text in its place: the left end, and the base line."""

    line: Line
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """A state."""

    x: float
    y: float
    width: float
    height: float
    style: str


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line through points, with its head at the last."""

    points: tuple[tuple[float, float], ...]
    style: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything in its place."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    labels: tuple[Label, ...]
    start: tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Row:
    """A field beside its two arrows."""

    opener: tuple[Line, ...]
    closer: tuple[Line, ...]
    inside: tuple[Line, ...]

    @property
    def opener_y(self) -> float:
        return _height(self.opener) + _LABEL_GAP

    @property
    def closer_y(self) -> float:
        """Where the arrow back is; without one, where the note is, that there is none."""
        return self.opener_y + _ARROW_GAP + _height(self.closer) + _LABEL_GAP

    @property
    def height(self) -> float:
        return max(self.closer_y + _PADDING, _height(self.inside) + 2 * _PADDING)


def layout(machine: Machine, *, titled: bool = True) -> Picture:
    """Put the machine in its places: the state outside at the left, the fields below each other at the right."""
    rows = [_row(field) for field in machine.fields]
    outside = _outside(machine)
    loop = _loop(machine.implicit)
    anchor = (_cut(f"after {machine.anchor.written}", _WIDEST_ABOVE, NORMAL, "delimiter"),)
    title = (_cut(machine.title, _WIDEST_ABOVE, NORMAL, "muted"),) if titled else ()

    left = _MARGIN
    left_width = max(_LEAST_BOX, _width(outside) + 2 * _PADDING)
    middle = left + left_width
    middle_width = max(
        _LEAST_ARROW, _width([line for row in rows for line in (*row.opener, *row.closer)]) + 36
    )
    right = middle + middle_width
    right_width = max(_LEAST_BOX, _width([line for row in rows for line in row.inside]) + 2 * _PADDING)

    above = _height(title) + _PADDING if titled else 0.0
    top = _MARGIN + above + _START_DROP
    labels = [Label(line, left, _MARGIN + line.size) for line in title]
    boxes: list[Box] = []
    arrows: list[Arrow] = []
    y = top
    for row in rows:
        boxes.append(Box(right, y, right_width, row.height, "region"))
        labels += _stacked(row.inside, right + _PADDING, y + (row.height - _height(row.inside)) / 2)
        arrows.append(Arrow(((middle, y + row.opener_y), (right, y + row.opener_y)), "opens"))
        labels += _stacked(row.opener, middle + 14, y)
        if row.closer:
            arrows.append(Arrow(((right, y + row.closer_y), (middle, y + row.closer_y)), "closes"))
            labels += _stacked(row.closer, middle + 14, y + row.opener_y + _ARROW_GAP)
        y += row.height + _ROW_GAP
    bottom = max(y - _ROW_GAP, top + _height(outside) + 2 * _PADDING)

    boxes.append(Box(left, top, left_width, bottom - top, "outside"))
    labels += _stacked(outside, left + _PADDING, top + (bottom - top - _height(outside)) / 2)
    start = (left + 20.0, top - _START_DROP)
    arrows.append(Arrow((start, (start[0], top)), "opens"))
    labels += _stacked(anchor, start[0] + 14, top - _START_DROP + 2)
    ends = [
        middle + middle_width + (right_width if rows else 0.0),
        start[0] + 14 + _width(anchor),
        left + _width(title),
    ]
    if loop:
        down = bottom + max(_LOOP, _height(loop) / 2 + _LABEL_GAP)
        one, two = left + 20.0, left + 70.0
        arrows.append(Arrow(((one, bottom), (one, down), (two, down), (two, bottom)), "closes"))
        labels += _stacked(loop, two + 14, bottom + _LABEL_GAP)
        ends.append(two + 14 + _width(loop))
        bottom = max(down, bottom + _LABEL_GAP + _height(loop))
    return Picture(
        width=max(ends) + _MARGIN,
        height=bottom + _MARGIN,
        boxes=tuple(boxes),
        arrows=tuple(arrows),
        labels=tuple(labels),
        start=start,
    )


def _loop(implicit: Field | None) -> tuple[Line, ...]:
    if implicit is None or implicit.closer is None:
        return ()
    return (*_border(implicit.closer), Line("ends the region; text after it begins another", SMALL, "muted"))


def _row(field: Field) -> _Row:
    return _Row(
        opener=() if field.opener is None else _border(field.opener),
        closer=() if field.closer is None else _border(field.closer),
        inside=_inside(field),
    )


def _border(border: Border) -> tuple[Line, ...]:
    """Give the lines of a delimiter: its text, several literals below each other, and what is known of it."""
    if border.is_pattern:
        shown = _wrapped(border.written, _WIDEST_LABEL, NORMAL, "delimiter")
    else:
        # A line that says that there is one more would take the place of just that one.
        fits = len(border.texts) <= _MOST_LITERALS
        texts = border.texts if fits else border.texts[: _MOST_LITERALS - 1]
        shown = [_cut(text, _WIDEST_LABEL, NORMAL, "delimiter") for text in texts]
        if not fits:
            shown.append(Line(f"or {len(border.texts) - len(texts)} more", NORMAL, "muted", border.written))
    note = f"{border.found_by}, {border.held_briefly}" if border.held_briefly else border.found_by
    return (*shown, Line(note, SMALL, "muted", f"{border.because}; held back: {border.held}"))


def _inside(field: Field) -> tuple[Line, ...]:
    lines = [
        *_wrapped(field.name, _WIDEST_IN_BOX, LARGE, "name"),
        _cut(field.content, _WIDEST_IN_BOX, NORMAL, "plain"),
    ]
    if field.transform:
        text = "each element by a transform" if field.each else "by a transform"
        lines.append(Line(text, SMALL, "muted", field.transform))
    lines.append(_cut(field.kept.replace("`", ""), _WIDEST_IN_BOX, SMALL, "muted"))
    if field.required:
        lines.append(Line("required", SMALL, "muted"))
    if field.closer is None and field.opener is not None:
        lines.append(Line("to the end of the text", SMALL, "muted"))
    return tuple(lines)


def _outside(machine: Machine) -> tuple[Line, ...]:
    heading = Line("outside the regions", SMALL, "muted", machine.outside)
    if machine.implicit is None:
        return (heading, Line("dropped", LARGE, "name"))
    return (heading, *_inside(machine.implicit))


def _stacked(lines: tuple[Line, ...], x: float, y: float) -> list[Label]:
    """Put lines below each other, from a top left corner on."""
    labels: list[Label] = []
    for line in lines:
        labels.append(Label(line, x, y + (line.height + line.size * 0.7) / 2))
        y += line.height
    return labels


def _width(lines: tuple[Line, ...] | list[Line]) -> float:
    return max((line.room for line in lines), default=0.0)


def _height(lines: tuple[Line, ...]) -> float:
    return sum(line.height for line in lines)


def _wrapped(text: str, widest: int, size: float, style: str) -> list[Line]:
    """Break a text between its tokens, and cut it after some lines."""
    pieces = broken_into_lines(text, widest)
    lines = [Line(piece, size, style) for piece in pieces[:_MOST_LINES]]
    if len(pieces) > _MOST_LINES:
        last = _shortened(f"{pieces[_MOST_LINES - 1]}…", widest)
        lines[-1] = Line(last, size, style, text)
    return lines


def _cut(text: str, widest: int, size: float, style: str) -> Line:
    if cell_len(text) <= widest:
        return Line(text, size, style)
    return Line(_shortened(text, widest), size, style, text)


def _shortened(text: str, widest: int) -> str:
    """Cut a text that has no place, and say so with a mark at its end."""
    return chop_cells(text.removesuffix("…"), widest - 1)[0] + "…"
