"""Trying patterns on texts, as the interpreter does: what is said of a pattern was seen, not guessed.

In a stream the interpreter searches what it has so far with ``partial=True``. `regex` then gives a match, which counts
if it ends before the edge of the text and would be the same with more text; or a partial match, from which on text is
held back; or nothing, and the text goes out.

A pattern can be made to take for ever even on short texts. One that takes longer than a moment, or often almost as
long, is not tried again, and nothing is said of it here; nor of one that is very long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import regex

from respc.patterns.parse import parse_pattern
from respc.patterns.samples import plain_characters, samples

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED: Final = 256
MOMENT: Final = 0.5
"""Seconds that one search may take: more than a busy machine is ever away."""

_PATIENCE: Final = 2.0
"""Seconds that all searches for one pattern may take."""

_LONGEST: Final = 1_000
"""`regex` prepares partial searches for the texts in a pattern: for long ones for minutes, and no timeout ends that."""

_MORE: Final = "\0"
"""The interpreter puts this character behind a text to see whether a match would change."""

_SUFFIXES: Final = ("", "a", " ")
_BEFORE: Final = "zz"
_MOST_PROBES: Final = 64
_ALL_BEFORE: Final = (_BEFORE, "\n", "<")
_PROBES: Final = ("a", "<", " a", "\n", "0", "{a}", "ab<c>")
ORDINARY: Final = "Ordinary text"


@dataclass(slots=True)
class Trial:
    """A pattern, compiled as the interpreter does, with texts to try, and whether it is too slow to be tried."""

    compiled: Any
    samples: tuple[str, ...]
    too_slow: bool = field(default=False)
    spent: float = field(default=0.0)

    def search(self, text: str, *, partial: bool = False) -> Any:
        """Search a text, as a stream does with ``partial``; None too where the pattern is too slow."""
        return self._run(self.compiled.search, text, partial=partial)

    def match(self, text: str, start: int = 0) -> Any:
        """Match a text at one place; None too where the pattern is too slow."""
        return self._run(self.compiled.match, text, start)

    def _run(self, function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        if self.too_slow:
            return None
        start = perf_counter()
        try:
            return function(*arguments, timeout=MOMENT, **options)
        except TimeoutError:
            self.too_slow = True
            return None
        finally:
            self.spent += perf_counter() - start
            self.too_slow = self.too_slow or self.spent > _PATIENCE


@lru_cache(_REMEMBERED)
def _trial(pattern: str) -> Trial:
    compiled = regex.compile(pattern, regex.DOTALL)
    if len(pattern) > _LONGEST:
        return Trial(compiled, (), too_slow=True)
    return Trial(compiled, tuple(samples(parse_pattern(pattern))))


@lru_cache(_REMEMBERED)
def matched_samples(pattern: str) -> tuple[str, ...]:
    """List texts that a pattern matches from their start on, the longest first.

    Where it also looks at what comes after, such as the edge of a word, a character that suits it is behind each text.
    """
    trial = _trial(pattern)
    for suffix in _SUFFIXES:
        texts = [text + suffix for text in trial.samples]
        found = [text for text in texts if (match := trial.search(text)) and match.start() == 0]
        if found:
            return tuple(sorted(found, key=len, reverse=True))
    return ()


def takes(pattern: str, text: str) -> bool:
    """Tell whether a pattern, tried at the start of a text, takes just that text."""
    trial = _trial(pattern)
    match = trial.match(text)
    return match is not None and match.end() == len(text)


def takes_whole(pattern: str, text: str) -> bool:
    """Tell whether a pattern can take a text from its start to its end; `regex.error` where it is none."""
    return takes(rf"(?:{pattern})\Z", text)


def group_in(pattern: str, text: str, group: str) -> str | None:
    """Give what a group takes of the first match in a text."""
    trial = _trial(pattern)
    match = trial.search(text)
    return None if match is None else match[group]


def is_between(pattern: str, before: str, text: str, after: str) -> bool:
    """Tell whether a pattern takes the texts around another one, each alone, and nothing of that."""
    trial = _trial(pattern)
    whole = before + text + after
    first, last = trial.match(whole), trial.search(whole[len(before) :])
    if first is None or last is None:
        return False
    return bool(first.end() == len(before) and last.span() == (len(text), len(text) + len(after)))


def passes_over(pattern: str, text: str, place: int) -> bool:
    """Tell whether a pattern has no match in a text that begins at a place or before it."""
    trial = _trial(pattern)
    match = trial.search(text)
    return not trial.too_slow and (match is None or match.start() > place)


def match_at(pattern: str, text: str, place: int) -> int | None:
    """Give the end of what a pattern takes at a place of a text; None where it does not match there."""
    match = _trial(pattern).match(text, place)
    return None if match is None else match.end()


def matches_everywhere(pattern: str) -> bool:
    """Tell whether a pattern matches at every place, whatever stands there."""
    trial = _trial(pattern)
    # What a look-around must not find is among the pattern's own characters, if it is not among these.
    own = tuple(islice(dict.fromkeys(pattern), _MOST_PROBES))
    text = plain_characters(parse_pattern(pattern)) or pattern
    around = [(_BEFORE, probe) for probe in (*_PROBES, *own, text)]
    around += [(before, _PROBES[0]) for before in (*_ALL_BEFORE, *own, text)]
    return all(trial.match(before + probe, len(before)) for before, probe in around if probe)


def is_tied_to_start(pattern: str) -> bool:
    """Tell whether a pattern only matches at the start of the message."""
    trial = _trial(pattern)
    texts = matched_samples(pattern)
    if not texts or any(trial.search(before + text) for before in _ALL_BEFORE for text in texts):
        return False
    return not trial.too_slow


def empty_match_before(pattern: str) -> str | None:
    """Give a text before which a pattern matches the empty text; None if it was not seen to."""
    trial = _trial(pattern)
    for text in trial.samples:
        tried = _BEFORE + text + _BEFORE
        match = trial.search(tried)
        if match and match.start() == match.end() < len(tried):
            return text
    return None


def edge_of_empty_match(pattern: str) -> str | None:
    """Say at which edge of the text a pattern matches the empty text, if at one."""
    trial = _trial(pattern)
    match = trial.search(_BEFORE)
    if match is None or match.start() != match.end():
        return None
    return "at the start of the message" if match.start() == 0 else "at the end of the text"


def holds(pattern: str, text: str, start: int = 0) -> bool:
    """Tell whether a text is held back from a place on, because what stands there may become a match, or grow."""
    found = _trial(pattern).search(text, partial=True)
    if found is None or not found.start() == start < len(text):
        return False
    return bool(found.partial) or found.end() == len(text)


def long_hold(pattern: str) -> str | None:
    """Give a text after which ordinary text is held back; None if there is none."""
    trial = _trial(pattern)
    for text in sorted(trial.samples, key=len):
        for length in range(1, len(text) + 1):
            if holds(pattern, text[:length] + ORDINARY + ORDINARY):
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
    trial = _trial(pattern)
    for text in matched_samples(pattern):
        whole = trial.search(text + _MORE)
        if whole is None or whole.start() != 0:
            continue
        for cut in range(1, len(text)):
            seen = text[:cut]
            found = trial.search(seen, partial=True)
            if found is None and trial.too_slow:
                return None
            if found is None or found.start() > 0:
                return BadCut(text, cut, None)
            # A match of nothing, as of `^`, is perhaps one only here, where the text begins.
            if found.partial or found.end() in (0, cut):
                continue
            later = trial.search(seen + _MORE, partial=True)
            if later is not None and later.span() == found.span() and found.span() != whole.span():
                return BadCut(text, cut, seen[: found.end()])
    return None
