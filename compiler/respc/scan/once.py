"""Delimiters that come nowhere later in a text where one has begun and led nowhere."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from respc.scan.language import Language, TooManyPlacesError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.patterns.syntax import Node
    from respc.scan.language import Places

_MOST_READINGS = 2_000
_NOWHERE: Places = frozenset()


@dataclass(frozen=True, slots=True)
class _Reading:
    """How far a text is read by a delimiter that began at its start, and by those that began further on.

    Attributes:
        head: where the head at the start is; None after it.
        here: where the delimiter at the start is.
        later: where those further on are.
        is_found: whether one of those was whole.
    """

    head: Places | None
    here: Places
    later: Places
    is_found: bool


def comes_later(head: Node, language: Language) -> bool:
    """Tell whether a delimiter can come further on in a text that begins with its head, but not with all of it.

    Args:
        head: what it begins with.
        language: the delimiter.

    Returns:
        Whether it can, as far as that is found out without much work.
    """
    heads = Language(head, language.alphabet)
    first = _Reading(heads.start, language.start, _NOWHERE, is_found=False)
    if heads.accepts(heads.start):
        first = replace(first, head=None)
    waiting, seen = [first], {first}
    try:
        while waiting:
            reading = waiting.pop()
            if reading.head is None and reading.is_found:
                return True
            if len(seen) > _MOST_READINGS:
                return True
            reached = {*_further(reading, heads, language)} - seen
            seen |= reached
            waiting += reached
    except TooManyPlacesError:
        return True
    return False


def _further(reading: _Reading, heads: Language, language: Language) -> Iterator[_Reading]:
    """Read one more character, but not to where the delimiter at the start is whole, nor past what is no head."""
    from_here = language.after(reading.here)
    from_later = language.after(reading.later)
    from_head = None if reading.head is None else heads.after(reading.head)
    for character in language.alphabet:
        here = from_here.get(character, _NOWHERE)
        head = None if from_head is None else from_head.get(character, _NOWHERE)
        if language.accepts(here) or head == _NOWHERE:
            continue
        later = from_later.get(character, _NOWHERE)
        yield _Reading(
            None if head is None or heads.accepts(head) else head,
            here,
            later | language.start,
            reading.is_found or language.accepts(later),
        )
