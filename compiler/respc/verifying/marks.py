"""Marks: what delimiters of formats look like in a text, and how texts are alike."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MARK: Final = re.compile(r"<[^<>\s][^<>\n]{0,60}>|\[[^\[\]\s]+\]|\[e~\[|\]~[a-z]*\]")
"""What most marks look like."""
CLOSED: Final = re.compile(r"(?:</[^<>]+>|\[/[^\[\]]+\]|<[^<>|]+\|>)\s*$")
"""A prompt that has opened and closed the reasoning, or only closes it."""


def alike(one: str, other: str) -> int:
    """Return how many characters two texts begin with that are the same."""
    low, high = 0, min(len(one), len(other))
    # Halving compares whole parts, which is quicker than characters one by one: prompts are long.
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def alike_at_end(one: str, other: str) -> int:
    """Return how many characters two texts end with that are the same."""
    return alike(one[::-1], other[::-1])


def inside_mark(text: str, at: int) -> int:
    """Return how far inside a mark a place is; 0 where it is in none."""
    # A mark is short, so that what is far in front has no say.
    start = max(0, at - 80)
    return next(
        (at - mark.start() for mark in MARK.finditer(text, start) if mark.start() < at < mark.end()), 0
    )


def spellings(text: str) -> Iterator[str]:
    """Yield a text as templates write it: as it is, or as in JSON."""
    yield text
    yield json.dumps(text, ensure_ascii=False)[1:-1]
    yield json.dumps(text)[1:-1]


def find(text: str, piece: str, start: int = 0) -> int:
    """Return where a piece is in a text, however it is written there; -1 where it is not."""
    return next((at for form in spellings(piece) if (at := text.find(form, start)) >= 0), -1)


def find_last(text: str, piece: str) -> tuple[int, int]:
    """Return the last place of a piece in a text, and where it ends; -1 twice where it is not there."""
    for form in spellings(piece):
        at = text.rfind(form)
        if at >= 0:
            return at, at + len(form)
    return -1, -1
