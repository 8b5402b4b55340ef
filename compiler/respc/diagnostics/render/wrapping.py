"""Breaks sentences into the lines of a terminal: between words, but not in quoted texts nor in strings of JSON."""

from __future__ import annotations

import re
from typing import Final

from rich.cells import cell_len

_WORD: Final = re.compile(r'(?:`[^`]*`|"(?:[^"\\]|\\.)*"|\S)+')


def wrapped(text: str, width: int) -> list[str]:
    """Break a text of one line into lines of at most ``width`` cells; only a word that is longer stands out."""
    lines: list[str] = []
    for piece in _pieces(text, width):
        blank = "" if lines and not lines[-1] else " "
        if lines and cell_len(lines[-1]) + len(blank) + cell_len(piece) <= width:
            lines[-1] += blank + piece
        else:
            lines.append(piece)
    return lines or [""]


def _pieces(text: str, width: int) -> list[str]:
    """Give the words, and of those that hold blanks and fit no line the parts between them."""
    pieces: list[str] = []
    for word in _WORD.findall(text):
        pieces += [word] if cell_len(word) <= width else word.split()
    return pieces
