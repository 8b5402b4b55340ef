"""Openers and closers: how marks show which of them they are."""

from __future__ import annotations

import re
from typing import Final

_SIDES: Final = frozenset({"begin", "start", "open", "end", "stop", "close"})
"""Words by which an opener and its closer differ."""


def words_of(mark: str) -> frozenset[str]:
    """Give the words of a mark, without those that say which side it is."""
    return frozenset(re.findall(r"[^\W_]+", mark.lower())) - _SIDES


def resembles(opener: str, closer: str) -> bool:
    """Tell whether two marks are an opener and its closer: they differ in a slash, or in a word like `end`."""
    theirs = words_of(closer)
    return opener != closer and bool(theirs) and theirs <= words_of(opener)


def closes(mark: str) -> bool:
    """Tell whether a mark looks like one that closes: by a slash, a bar at its end only, or a word like `end`."""
    words = set(re.findall(r"[^\W_]+", mark.lower()))
    one_sided = mark.endswith("|>") and not mark.startswith("<|")
    return mark.startswith(("</", "[/")) or one_sided or bool(words & {"end", "stop", "close"})
