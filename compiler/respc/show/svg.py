"""The state machine as a picture in one SVG, without scripts, fonts or anything else from outside."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

from respc.show.layout import layout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.show.layout import Arrow, Box, Label, Picture
    from respc.show.model import Machine

_STYLE: Final = """
.respc-page{fill:#ffffff}.respc-region{fill:#eef4fc;stroke:#3b6ea8}.respc-outside{fill:#f5f5f2;stroke:#83837a}
.respc-opens{stroke:#2f7d4f}.respc-closes{stroke:#a4582c}.respc-opens-head{fill:#2f7d4f}.respc-closes-head{fill:#a4582c}
.respc-delimiter,.respc-plain{fill:#1f2328}.respc-name{fill:#1f2328;font-weight:bold}.respc-muted{fill:#5d6570}
@media (prefers-color-scheme:dark){
.respc-page{fill:#0d1117}.respc-region{fill:#15233a;stroke:#6ea0dc}.respc-outside{fill:#1c2026;stroke:#8b949e}
.respc-opens{stroke:#56b97f}.respc-closes{stroke:#e09562}.respc-opens-head{fill:#56b97f}.respc-closes-head{fill:#e09562}
.respc-delimiter,.respc-plain,.respc-name{fill:#e6edf3}.respc-muted{fill:#9aa4af}
}
"""
_FONTS: Final = "ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace"
_HEAD: Final = 8.0


def svg(machine: Machine, *, titled: bool = True) -> str:
    """Draw the machine, with its title above it or without."""
    return "".join(f"{line}\n" for line in _lines(layout(machine, titled=titled), machine))


def _lines(picture: Picture, machine: Machine) -> Iterator[str]:
    size = f'width="{_number(picture.width)}" height="{_number(picture.height)}"'
    view = f'viewBox="0 0 {_number(picture.width)} {_number(picture.height)}"'
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" {size} {view} role="img" font-family="{_FONTS}">')
    yield f"<title>{escape(f'The state machine of {machine.title}')}</title>"
    yield f"<style>{_STYLE}</style>"
    yield f'<rect class="respc-page" {size} rx="10"/>'
    yield from map(_box, picture.boxes)
    for arrow in picture.arrows:
        yield from _arrow(arrow)
    x, y = picture.start
    yield f'<circle class="respc-opens-head" cx="{_number(x)}" cy="{_number(y)}" r="5"/>'
    yield from map(_label, picture.labels)
    yield "</svg>"


def _box(box: Box) -> str:
    place = f'x="{_number(box.x)}" y="{_number(box.y)}" width="{_number(box.width)}" height="{_number(box.height)}"'
    return f'<rect class="respc-{box.style}" {place} rx="10" stroke-width="1.5"/>'


def _arrow(arrow: Arrow) -> Iterator[str]:
    """Draw the line up to the head, and the head itself: markers would need an id, of which a page has but one."""
    (x, y), (from_x, from_y) = arrow.points[-1], arrow.points[-2]
    across, down = _sign(x - from_x), _sign(y - from_y)
    back_x, back_y = x - across * _HEAD, y - down * _HEAD
    points = " ".join(f"{_number(a)},{_number(b)}" for a, b in (*arrow.points[:-1], (back_x, back_y)))
    yield f'<polyline class="respc-{arrow.style}" points="{points}" fill="none" stroke-width="1.5"/>'
    half = _HEAD / 2
    corners = (
        (x, y),
        (back_x + down * half, back_y + across * half),
        (back_x - down * half, back_y - across * half),
    )
    points = " ".join(f"{_number(a)},{_number(b)}" for a, b in corners)
    yield f'<polygon class="respc-{arrow.style}-head" points="{points}"/>'


def _label(label: Label) -> str:
    line = label.line
    place = f'x="{_number(label.x)}" y="{_number(label.y)}" font-size="{_number(line.size)}"'
    # Whatever font there is, the text is as wide as its place.
    fit = f'textLength="{_number(line.width)}" lengthAdjust="spacingAndGlyphs" xml:space="preserve"'
    full = f"<title>{escape(line.full)}</title>" if line.full else ""
    return f'<text class="respc-{line.style}" {place} {fit}>{full}{escape(line.text)}</text>'


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _number(number: float) -> str:
    return f"{number:.1f}".removesuffix(".0")
