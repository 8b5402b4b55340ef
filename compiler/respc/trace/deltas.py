"""Texts that follow on each other, as what changed: a list of messages is then not longer than what was added."""

from __future__ import annotations

from typing import TypeAlias

Change: TypeAlias = "tuple[int, int, str]"
"""How much of the text before stays at the start, how much at the end, and what stands between them.

It is measured as scripts of pages measure texts: in units of UTF-16.
"""


def change_of(before: str, text: str) -> Change:
    """Tell how a text follows on another."""
    start = _alike(before, text)
    end = _alike(before[start:][::-1], text[start:][::-1])
    between = text[start : len(text) - end]
    return _units(text[:start]), _units(text[len(text) - end :]), between


def _alike(one: str, other: str) -> int:
    """Tell how many characters at their start two texts have in common."""
    pairs = zip(one, other, strict=False)
    return next(
        (place for place, (first, second) in enumerate(pairs) if first != second), min(len(one), len(other))
    )


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
