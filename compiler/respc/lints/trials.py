"""Trying patterns on texts, as the interpreter does: what a rule says of a pattern was seen, not guessed.

In a stream the interpreter searches what it has so far with ``partial=True``. `regex` then gives a match, which counts
if it ends before the edge of the text and would be the same with more text; or a partial match, from which on text is
held back; or nothing, and the text goes out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import regex

from respc.patterns import parse_pattern
from respc.patterns.samples import samples

_REMEMBERED: Final = 256
_MORE: Final = "\0"
"""The interpreter puts this character behind a text to see whether a match would change."""

_BEFORE: Final = "zz"
_PROBES: Final = ("a", "<", " a", "\n", "0", "{a}", "ab<c>")
ORDINARY: Final = "Ordinary text"
_ALL_SORTS: Final = "Ordinary text. <a> [b] {c} (d) \"e\" 'f' = 1; 2: 3 | 4\n\n- 5, ```6``` <|g|> </h> 7!\n"


def compiled(pattern: str) -> Any:
    """Compile a pattern as the interpreter does; `regex` keeps those that it compiled."""
    return regex.compile(pattern, regex.DOTALL)


@lru_cache(_REMEMBERED)
def _samples(pattern: str) -> tuple[str, ...]:
    return tuple(samples(parse_pattern(pattern)))


@lru_cache(_REMEMBERED)
def matched_samples(pattern: str) -> tuple[str, ...]:
    """List texts that a pattern matches from their start on, the longest first."""
    search = compiled(pattern)
    found = [text for text in _samples(pattern) if (match := search.search(text)) and match.start() == 0]
    return tuple(sorted(found, key=len, reverse=True))


@lru_cache(_REMEMBERED)
def matches_everywhere(pattern: str) -> bool:
    """Tell whether a pattern matches at every place, whatever stands there."""
    search = compiled(pattern)
    return all(search.match(_BEFORE + probe, len(_BEFORE)) for probe in _PROBES)


def is_tied_to_start(pattern: str) -> bool:
    """Tell whether a pattern only matches at the start of the message."""
    search = compiled(pattern)
    texts = matched_samples(pattern)
    return bool(texts) and not any(search.search(_BEFORE + text) for text in texts)


def empty_match_before(pattern: str) -> str | None:
    """Give a text before which a pattern matches the empty text; None if it was not seen to."""
    search = compiled(pattern)
    for text in _samples(pattern):
        match = search.search(_BEFORE + text + _BEFORE)
        if match and match.start() == match.end() < len(_BEFORE + text + _BEFORE):
            return text
    return None


def holds(pattern: str, text: str, start: int = 0) -> bool:
    """Tell whether a text is held back from a place on, because what stands there may become a match."""
    found = compiled(pattern).search(text, partial=True)
    return found is not None and found.partial and found.start() == start < len(text)


def endless_hold(pattern: str) -> str | None:
    """Give a text after which anything is held back, if it does not end the match; None if there is none."""
    for text in sorted(_samples(pattern), key=len):
        for length in range(1, len(text) + 1):
            if holds(pattern, text[:length] + _ALL_SORTS + _ALL_SORTS):
                return text[:length]
    return None


@dataclass(frozen=True, slots=True)
class BadCut:
    """A text that a pattern matches, and where a chunk ends so that the stream sees something else.

    ``short`` is what is taken for the match instead; None if the text goes out as if it were none.
    """

    text: str
    cut: int
    short: str | None


@lru_cache(_REMEMBERED)
def bad_cut(pattern: str) -> BadCut | None:
    """Search for a chunk that ends inside a match and changes what is found."""
    search = compiled(pattern)
    for text in matched_samples(pattern):
        whole = search.search(text + _MORE)
        if whole is None or whole.start() != 0:
            continue
        for cut in range(1, len(text)):
            seen = text[:cut]
            found = search.search(seen, partial=True)
            if found is None:
                return BadCut(text, cut, None)
            if found.start() > 0:
                return BadCut(text, cut, None)
            if found.partial or found.end() == cut:
                continue
            later = search.search(seen + _MORE, partial=True)
            if later is not None and later.span() == found.span() and found.span() != whole.span():
                return BadCut(text, cut, seen[: found.end()])
    return None
