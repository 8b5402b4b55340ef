"""Runs that led nowhere: whether a delimiter can stand further on in one all the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.scan.language import NOWHERE, Language, TooManyPlacesError, reachable, taken_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from respc.patterns.syntax import Node, OneOf
    from respc.scan.language import Places

_MOST_READINGS = 2_000


@dataclass(frozen=True, slots=True)
class _Reading:
    """How far a text is read by a delimiter that began at its start, and by those that began further on.

    Attributes:
        head: where the head at the start is; None after it.
        in_run: whether the run behind the head goes on: past it, no more of them begin.
        here: where the delimiter at the start is.
        later: where those further on are.
        is_found: whether one of those was whole.
    """

    head: Places | None
    in_run: bool
    here: Places
    later: Places
    is_found: bool

    @property
    def leads_on(self) -> bool:
        """Tell whether one further on is whole, or can still be where the one at the start cannot."""
        return self.head is None and (self.is_found or bool(self.later and not self.here and not self.in_run))


def comes_later(head: Node, run: OneOf, language: Language) -> bool:
    """Tell whether a delimiter can begin in a run in which one ends that began before it and led nowhere.

    Args:
        head: what it begins with,
        run: and the class of the run behind that.
        language: the delimiter.

    Returns:
        Whether it can, as far as that is found out without much work.
    """
    heads = Language(head, language.alphabet)
    head_start = None if heads.accepts(heads.start) else heads.start
    first = _Reading(head_start, True, language.start, NOWHERE, is_found=False)
    inside = taken_of(run, language.alphabet)

    def further(reading: _Reading) -> Iterator[_Reading]:
        return _further(reading, heads, language, inside, language.after(language.start))

    try:
        second = _further(first, heads, language, inside, {})
        return any(reading.leads_on for reading in reachable(second, further, _MOST_READINGS))
    except TooManyPlacesError:
        return True


def _further(
    reading: _Reading,
    heads: Language,
    language: Language,
    inside: frozenset[str],
    others: Mapping[str, Places],
) -> Iterator[_Reading]:
    """Read one more character, but not to where the delimiter at the start is whole, nor past what is no head.

    ``others`` is where those are that begin with it, by characters.
    """
    from_here = language.after(reading.here)
    from_later = language.after(reading.later)
    from_head = None if reading.head is None else heads.after(reading.head)
    # Past the run, only those that began in it go on.
    characters = language.alphabet if reading.in_run else from_later
    for character in characters:
        here = from_here.get(character, NOWHERE)
        head = None if from_head is None else from_head.get(character, NOWHERE)
        if language.accepts_always(here) or head == NOWHERE:
            continue
        in_run = reading.in_run and (head is not None or character in inside)
        later = from_later.get(character, NOWHERE)
        if in_run:
            later |= others.get(character, NOWHERE)
        is_found = reading.is_found or language.accepts(later)
        # Where the head has to end at the edge of a word and does not, the delimiter is nowhere.
        if (head is None or heads.accepts(head)) and (here or not in_run):
            yield _Reading(None, in_run, here, later, is_found)
        if head is not None and heads.after(head):
            yield _Reading(head, in_run, here, later, is_found)
