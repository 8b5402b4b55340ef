"""Words that were perhaps misspelt: which known one was meant, and whether that is certain."""

from __future__ import annotations

from difflib import SequenceMatcher, get_close_matches
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_CERTAIN: Final = 0.8
"""How alike two words are of which one is certainly the other, misspelt."""

_SHORTEST_PART: Final = 2


def closest(word: object, known: Collection[str]) -> str | None:
    """Give the known word that was perhaps meant."""
    matches = get_close_matches(word, known, n=1) if isinstance(word, str) else []
    return matches[0] if matches else None


def is_certain(word: str, meant: str) -> bool:
    """Tell whether a word is certainly another one, misspelt."""
    return SequenceMatcher(a=meant, b=word).ratio() >= _CERTAIN


def part_of(word: str, known: Collection[str]) -> str | None:
    """Give the one known word that begins or ends with a word, as `xml-inline` does with `xml`."""
    if len(word) < _SHORTEST_PART:
        return None
    holders = [each for each in known if each.startswith(f"{word}-") or each.endswith(f"-{word}")]
    return holders[0] if len(holders) == 1 else None
