"""A closer inside a string of a body, and the later one that ends the body instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc_runtime.late_expressions import LateExpression
from respc_runtime.string_closers import JSON_QUOTE

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from respc_runtime.searches import Found
    from respc_runtime.string_closers import Quotes

LONGEST_WAIT: Final = 65_536
"""So many characters, at most, behind a closer in a string are held back until another one comes."""

_REST_OF_STRING: Final = LateExpression(r'[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*')


class StringCloser:
    """A closer inside a string: whether it counts depends on what comes.

    It is a part of the body if its string ends, and a closer outside of all strings comes with which the body can be
    read. All places are relative to it.

    Attributes:
        is_broken: whether its string can have no end, so that it counts.
    """

    __slots__ = ("_inside", "_quotes", "_read", "_searched", "is_broken")

    def __init__(self, quotes: Quotes) -> None:
        self._quotes = quotes
        self._inside = True
        self._read: int = 0
        self._searched: int = 0
        self.is_broken = False

    def later(
        self, text: str, start: int, search: Callable[[int], Found | None], closers: Container[Any]
    ) -> Found | None:
        """Find the closer that ends the body instead.

        Args:
            text: the text so far.
            start: where this closer begins in it.
            search: finds the next delimiter from a place on, or what has begun to be one.
            closers: the groups of delimiters that are whole.
        """
        found: Found | None = None
        while not self.is_broken and self._read <= LONGEST_WAIT:
            if self._inside:
                behind = self._end_of_string(text, start)
                if behind is None:
                    return None
                self._read, self._inside = behind, False
                continue
            place = start + max(self._read, self._searched)
            if found is None or found.start() < start + self._read:
                found = search(place)
                self._searched = (len(text) if found is None else found.start()) - start
                if found is not None and found.lastgroup not in closers:
                    found = None
            openings = [opening for opening, _ in self._quotes]
            opened = self._behind_first(openings, text, start, start + self._searched)
            if opened is None:
                return found
            self._read, self._inside = opened, True
        self.is_broken = True
        return None

    def _end_of_string(self, text: str, start: int) -> int | None:
        """Give the place behind the end of the string, if that has come."""
        if self._quotes[0][0] != JSON_QUOTE:
            return self._behind_first([closing for _, closing in self._quotes], text, start, len(text))
        edge, place = len(text), start + self._read
        match = _REST_OF_STRING.made.match(text, place)
        place = place if match is None else match.end()
        if place == edge or (text[place] == "\\" and place + 1 == edge):
            self._read = place - start
            return None
        self.is_broken = text[place] != JSON_QUOTE
        return place + 1 - start

    def _behind_first(self, marks: list[str], text: str, start: int, end: int) -> int | None:
        """Give the place behind the first mark before an end, or read on up to that."""
        place = start + self._read
        found = [(begun, mark) for mark in marks if 0 <= (begun := text.find(mark, place)) < end]
        if not found:
            self._read = max(self._read, min(end, len(text) - max(map(len, marks)) + 1) - start)
            return None
        place, mark = min(found)
        return place + len(mark) - start
