"""Free texts as automatons: for engines whose grammars cannot say what a text may not have in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from respc.grammars.nodes import Characters
from respc.grammars.strings import CONTROLS, SHORT_ESCAPES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.grammars.nodes import FreeText

CONTROL: Final = re.compile(r"[\x00-\x1f]")
HEX_DIGITS: Final = "0123456789ABCDEFabcdef"
_AFTER_U: Final = {
    # How many digits an escape still has, and which: no half of a character.
    "u": {**dict.fromkeys("0123456789ABCEFabcef", "u3"), **dict.fromkeys("Dd", "ud")},
    "ud": dict.fromkeys("01234567", "u2"),
    "u3": dict.fromkeys(HEX_DIGITS, "u2"),
    "u2": dict.fromkeys(HEX_DIGITS, "u1"),
    "u1": dict.fromkeys(HEX_DIGITS, ""),
}


@dataclass(frozen=True, slots=True)
class Move:
    """What one character leads to.

    Attributes:
        characters: the character.
        then: the number of the state after it; None where the text ends.
        rest: what of the end follows then.
    """

    characters: Characters
    then: int | None
    rest: str = ""


@dataclass(frozen=True, slots=True)
class TextState:
    """Where a text can be.

    Attributes:
        moves: what can come next.
        may_stop: whether the text may stop here without anything that ends it.
    """

    moves: tuple[Move, ...]
    may_stop: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """What of the text so far matters.

    Attributes:
        tail: the longest end of it that one of the texts to look for begins with.
        escape: how far it is in an escape.
        whole: all of it, where it may still become a text that it may not be.
    """

    tail: str = ""
    escape: str = ""
    whole: str | None = ""


class TextAutomaton:
    """The automaton of a free text.

    Args:
        text: the free text.

    Attributes:
        states: the first is where it begins.
    """

    def __init__(self, text: FreeText) -> None:
        self._text = text
        self._end = text.end
        # Control characters are in no string.
        self._without = tuple(
            each for each in text.without if text.letters == "any" or not CONTROL.search(each)
        )
        # In a string nothing but its quote ends it, and that is not found in it.
        self._words = (*self._without, *((text.end,) if text.letters == "any" and text.end else ()))
        self._numbers: dict[_Place, int] = {}
        self._places: list[_Place] = []
        self.states: list[TextState] = []
        self._number(_Place(whole="" if text.unlike else None))
        while len(self.states) < len(self._places):
            self.states.append(self._state(self._places[len(self.states)]))

    def _number(self, place: _Place) -> int:
        if place not in self._numbers:
            self._numbers[place] = len(self._places)
            self._places.append(place)
        return self._numbers[place]

    def _state(self, place: _Place) -> TextState:
        if place.escape:
            return TextState(tuple(self._escaped(place)), may_stop=False)
        moves: dict[tuple[int | None, str], list[str]] = {}
        special = self._special(place)
        for character in sorted(special):
            move = self._move(place, character)
            if move is not None:
                moves.setdefault(move, []).append(character)
        listed = [
            Move(Characters(_ranges(characters)), then, rest) for (then, rest), characters in moves.items()
        ]
        controls = () if self._text.letters == "any" else (CONTROLS,)
        others = Characters((*controls, *_ranges(sorted(special))), negated=True)
        after = _Place("", "", None)
        return TextState((Move(others, self._number(after)), *listed), may_stop=not self._end)

    def _special(self, place: _Place) -> set[str]:
        """List the characters that lead to something else than all others do."""
        special = {
            word[len(tail)]
            for tail in _tails(place.tail)
            for word in self._words
            if word.startswith(tail) and len(word) > len(tail)
        }
        if place.whole is not None:
            special |= {
                word[len(place.whole)]
                for word in self._text.unlike
                if word.startswith(place.whole) and len(word) > len(place.whole)
            }
        if self._text.letters != "any":
            special |= {self._end[0], "\\"}
        return special

    def _move(self, place: _Place, character: str) -> tuple[int | None, str] | None:
        """Find out where a character leads; None where it may not be there."""
        if self._text.letters != "any":
            if character == self._end[0]:
                return (None, self._end[1:]) if self._may_end(place) else None
            if character == "\\" and self._text.letters == "plain":
                return None
        tail = self._tail(place.tail + character)
        if self._text.letters == "any" and self._end:
            inside = _longest_beginning(tail, self._end)
            if any(tail.endswith(text) and len(text) > inside for text in self._without):
                return None
            if inside == len(self._end) or any(text in self._end[:inside] for text in self._without):
                # What may not begin in the text is a part of what ends it.
                return None, self._end[inside:]
        elif any(tail.endswith(text) for text in self._without):
            return None
        whole = None
        if place.whole is not None:
            longer = place.whole + character
            whole = longer if any(word.startswith(longer) for word in self._text.unlike) else None
        return self._number(_Place(tail, "\\" if self._is_escape(character) else "", whole)), ""

    def _is_escape(self, character: str) -> bool:
        return self._text.letters == "escaped" and character == "\\"

    def _may_end(self, place: _Place) -> bool:
        """Tell whether a string may end here: what may not begin in it could begin in it and end behind it."""
        if place.whole is not None and place.whole in self._text.unlike:
            return False
        tail = place.tail
        for length, character in enumerate(self._end, start=1):
            tail = self._tail(tail + character)
            if any(tail.endswith(text) and len(text) > length for text in self._without):
                return False
        return True

    def _escaped(self, place: _Place) -> list[Move]:
        """List the moves inside an escape."""
        following = (
            dict.fromkeys(SHORT_ESCAPES, "") | {"u": "u"} if place.escape == "\\" else _AFTER_U[place.escape]
        )
        if place.escape == "\\" and self._end[0] != '"':
            following = {**following, self._end[0]: ""}
        moves: dict[int, list[str]] = {}
        for character, escape in following.items():
            tail = self._tail(place.tail + character)
            if not any(tail.endswith(text) for text in self._without):
                moves.setdefault(self._number(_Place(tail, escape, None)), []).append(character)
        return [Move(Characters(_ranges(characters)), then) for then, characters in moves.items()]

    def _tail(self, text: str) -> str:
        """Give the longest end of a text that a word begins with."""
        return next(
            tail for tail in _tails(text) if not tail or any(word.startswith(tail) for word in self._words)
        )


def _tails(text: str) -> list[str]:
    return [text[start:] for start in range(len(text) + 1)]


def _longest_beginning(text: str, end: str) -> int:
    """Return how much of what ends a text the text ends with."""
    return next(
        (length for length in range(min(len(text), len(end)), 0, -1) if text.endswith(end[:length])), 0
    )


def _ranges(characters: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Join characters that follow each other."""
    ranges: list[tuple[str, str]] = []
    for each in sorted(characters):
        if ranges and ord(each) == ord(ranges[-1][1]) + 1:
            ranges[-1] = (ranges[-1][0], each)
        else:
            ranges.append((each, each))
    return tuple(ranges)
