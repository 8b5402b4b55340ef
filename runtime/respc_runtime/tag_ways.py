"""The ways to write a tag: where the next tag of a body begins, and what ends its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from respc_runtime.searches import Found

LONGEST_HEAD: Final = 100
"""So long, at most, is what stands before a run of which something may begin inside it."""

End: TypeAlias = tuple[int, int, bool]
"""Where a value ends, the place behind what ends it, and whether that is text: else it is what comes next."""

FindEnd: TypeAlias = "Callable[[str, int], End | None]"
"""Finds the end of a value that begins at a place."""


class Closing:
    """What ends a value where that is no single text.

    A long value is searched for what it begins with, and only there the whole is tried.

    Args:
        pattern: compiled; the whole, with the blanks before it that are no part of the value. A group ``value_end``
            tells where the value ends, if it is not where this begins.
        heads: compiled; what it begins with behind those blanks, None where ``pattern`` itself is searched for.
        blanks: those blanks,
        newline: or whether they are one newline.
    """

    __slots__ = ("blanks", "ends_inside", "newline", "pattern", "searched")

    def __init__(self, pattern: Any, heads: Any = None, blanks: str = "", *, newline: bool = False) -> None:
        self.pattern = pattern
        self.searched = pattern if heads is None else heads
        self.blanks = "\n" if newline else blanks
        self.newline = newline
        self.ends_inside = "value_end" in pattern.groupindex

    def find(self, body: str, start: int) -> End | None:
        """Find the end of a value that begins at a place."""
        head = self.searched.search(body, start)
        while head is not None:
            place = head.start()
            match = head if self.searched is self.pattern else self._around(body, start, place)
            if match is not None:
                end = match.end("value_end") if self.ends_inside else match.start()
                return end, match.end(), match.end() > place
            head = self.searched.search(body, place + 1)
        return None

    def _around(self, body: str, start: int, place: int) -> Any:
        """Match the whole at a head, with the blanks before it or without."""
        before = before_blanks(body, start, place, self.blanks, self.newline) if self.blanks else place
        match = self.pattern.match(body, before)
        return self.pattern.match(body, place) if match is None and before < place else match


def text_closing(text: str, blanks: str, newline: bool) -> FindEnd:
    """Make what finds the end of a value at a text; ``blanks`` before it, or one newline, are no part of the value."""
    blanks = "\n" if newline else blanks

    def find(body: str, start: int) -> End | None:
        place = body.find(text, start)
        if place < 0:
            return None
        before = before_blanks(body, start, place, blanks, newline) if blanks else place
        return before, place + len(text), True

    return find


def before_blanks(body: str, start: int, place: int, blanks: str, one: bool) -> int:
    """Go back over blanks, or over one at most, as far as some place."""
    if one:
        start = max(start, place - 1)
    while place > start and body[place - 1] in blanks:
        place -= 1
    return place


def next_tag(opening: Any, body: str, place: int) -> Found | None:
    """Find the next tag up to its value, past all runs that lead nowhere: nor does what begins in those."""
    match: Found | None = opening.search(body, place)
    while match is not None and match["key"] is None:
        match = opening.search(body, max(match.start() + 1, match.end() - LONGEST_HEAD))
    return match


def next_opening(opening: Any, body: str, place: int) -> Found | None:
    """Find the next tag by the first segment of a way, which passes runs over if it has the key in its group."""
    if "key" in opening.groupindex:
        return next_tag(opening, body, place)
    found: Found | None = opening.search(body, place)
    return found


class Tag:
    """A way to write a tag, and where the next one written so begins.

    Attributes:
        opening: compiled; finds a tag up to its value, with the key in its group. A group ``value_start`` tells where
            the value begins, if it is not where this ends.
        find_end: finds what ends the value.
        match: the next one.
        start: where it begins,
        after: and where its opening ends.
    """

    __slots__ = ("after", "find_end", "match", "opening", "start", "starts_inside")

    def __init__(self, opening: Any, find_end: FindEnd) -> None:
        self.opening = opening
        self.find_end = find_end
        self.starts_inside = "value_start" in opening.groupindex
        self.match: Any = None
        self.start = self.after = -1

    def look(self, body: str, place: int) -> bool:
        """Look for the next one from a place on; tell whether there is one."""
        self.match = match = next_tag(self.opening, body, place)
        if match is None:
            return False
        self.start, self.after = match.start(), match.end()
        return True

    @property
    def key(self) -> str:
        """The key of the next one."""
        return str(self.match["key"])

    @property
    def value_start(self) -> int:
        """Where its value begins."""
        return int(self.match.end("value_start")) if self.starts_inside else self.after


class Tags:
    """The tags of one body. Places only go up, so that no text is searched twice.

    Args:
        body: the body.
        ways: the ways to write a tag, the preferred ones first: what finds its opening, and what ends its value.
    """

    __slots__ = ("body", "left")

    def __init__(self, body: str, ways: Sequence[tuple[Any, FindEnd]]) -> None:
        self.body = body
        self.left = [Tag(opening, find_end) for opening, find_end in ways]

    def next(self, place: int) -> Tag | None:
        """Find the next tag from a place on; of several ways at one place, the preferred one."""
        first: Tag | None = None
        for tag in self.left:
            if tag.start < place and not tag.look(self.body, place):
                self.left = [other for other in self.left if other is not tag]
            elif first is None or tag.start < first.start:
                first = tag
        return first

    def drop(self, tag: Tag) -> None:
        """Leave out a way from now on: what ends its value comes nowhere any more."""
        self.left.remove(tag)
