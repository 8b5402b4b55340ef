"""Where a line may end inside a delimiter or a pattern, so that its tokens stay whole."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len, chop_cells

from respc.show.model import with_blanks_shown

_BREAKS: Final = re.compile(r"(?<=[^\\\s(<\[/|^])(?=[<(\[])|(?<=[^<\\]\|)(?=[^>])")
"""Before brackets and behind bars, but for those of a token like ``<|end|>``, in a pattern or as it is."""


def pieces_of(text: str) -> list[str]:
    """Cut a text into the pieces that are not broken while there is room for them."""
    return _BREAKS.split(text)


def broken_into_lines(text: str, width: int) -> list[str]:
    """Break a text into lines of at most so many cells. Blanks at the ends of lines are shown."""
    lines = [""]
    for piece in pieces_of(text):
        if cell_len(lines[-1] + piece) <= width:
            lines[-1] += piece
        else:
            lines += chop_cells(piece, width)
    return [with_blanks_shown(line) for line in lines if line] or [""]
