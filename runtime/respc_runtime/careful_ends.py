"""The stream that looks closer at where a body begins and ends than its delimiters tell.

An opener that is written once more at the start of its region is nothing. Where a line of text ends a body, text on
the last line of its value does, too, and a line that only seems to be one does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from respc_runtime.character_classes import BLANKS
from respc_runtime.closers_in_strings import StringAwareStream
from respc_runtime.message_values import MessageT
from respc_runtime.places import Place, held_back
from respc_runtime.prefixes import require_text
from respc_runtime.stream import EventT
from respc_runtime.string_closers import JSON_QUOTE, JSON_QUOTES, inside_string

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from respc_runtime.batches import Tools
    from respc_runtime.searches import Found
    from respc_runtime.states import State
    from respc_runtime.string_closers import Quotes
    from respc_runtime.value_ends import ValueEnd


MOST_BLANKS: Final = 64
"""So many blanks, at most, stand before an opener that is written once more."""

LINE_OF_TEXT: Final = "\nText of it"
"""Where a line of text ends a body, a closer of nothing but blanks stands before this."""


def opener_once_more(field: str, opener: str, marks: Mapping[str, Sequence[str]]) -> str | None:
    """Give the opener of a region as it may be written once more at its start; None where that would be text."""
    mark = opener.strip()
    return mark if field != "content" and mark in marks.get(field, ()) else None


def behind_openers(opener: str, text: str, place: int) -> int:
    """Give the place behind the openers that stand at a place, and blanks between them."""
    while True:
        ahead = text[place : place + MOST_BLANKS + 1]
        start = place + len(ahead) - len(ahead.lstrip(BLANKS))
        if start - place > MOST_BLANKS or not text.startswith(opener, start):
            return place
        place = start + len(opener)


def begins_otherwise(opener: str, text: str, place: int) -> bool:
    """Tell at a glance that what stands at a place, after blanks, is no opener and begins none."""
    begun = text[place : place + MOST_BLANKS + 1].lstrip()
    return bool(begun) and begun[0] != opener[0]


def may_be_opener(opener: str, text: str, place: int) -> bool:
    """Tell whether what stands at a place can begin an opener, after blanks."""
    ahead = text[place : place + MOST_BLANKS + 1]
    begun = ahead.lstrip(BLANKS)
    if not begun:
        return len(ahead) <= MOST_BLANKS
    rest = len(text) - place - len(ahead) + len(begun)
    return rest < len(opener) and opener.startswith(text[len(text) - rest :])


class CarefulEndsStream(StringAwareStream[MessageT, EventT]):
    """Parses one generation while it is written, with care for where bodies begin and end."""

    __slots__ = ("_broken", "_end_of_value", "_opener")

    marks: ClassVar[dict[str, tuple[str, ...]]] = {}
    """What the openers of a field begin with."""

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        # The opener, while it may come once more.
        self._opener: str | None = None
        # Of a body that a line of text ends: whether it is broken, and where its value ends.
        self._broken = False
        self._end_of_value: ValueEnd | None = None
        super().__init__(prefix, tools=tools)

    def _advance_slowly(self, text: str) -> list[EventT]:
        if self._seen or self._run is not None or not self._state.quick:
            # Nothing can be told by what is held back and this chunk alone.
            return super()._advance_slowly(text)
        try:
            known = self._held + text
            if self._opener is not None:
                if begins_otherwise(self._opener, known, 0):
                    self._opener = None
                    self._looks_closer = self._has_to_look_closer()
                    if not self._looks_closer:
                        return self._advance(text)
                elif may_be_opener(self._opener, known, 0):
                    self._held = known
                    return []
            if known and self._is_inside_value(known):
                events: list[Any] = []
                self._held = ""
                self._take(self._state, known, events)
                return events
        except BaseException:
            self._fail()
            require_text(text)
            raise
        return super()._advance_slowly(text)

    def _is_inside_value(self, text: str) -> bool:
        """Tell at a glance that text of a body that a line of text ends has no delimiter, nor the end of its value."""
        value = self._end_of_value
        if value is None or self._opener is not None or self._string_closer is not None:
            return False
        if self._state.find(text, 0) is not None:
            return False
        if value.read(text, 0, len(text), self._body.tell()):
            return value.place is None
        self._end_of_value = None
        self._looks_closer = self._has_to_look_closer()
        return True

    def _has_to_look_closer(self) -> bool:
        return self._opener is not None or self._end_of_value is not None or super()._has_to_look_closer()

    def _begin_body(self, state: State, opener: str, *, is_call: bool) -> None:
        """Begin to look at the body of a region that an opener begins."""
        self._broken = False
        field = state.chunk["field"]
        self._opener = opener_once_more(field, opener, self.marks)
        if self._opener is not None:
            self._looks_closer = True
        if is_call and state.line_group != "" and self._line_group(state):
            # A line of text ends it, and so does text behind its value.
            self._end_of_value = self._expected_value(field)
            self._looks_closer = True

    def _expected_value(self, field: str) -> ValueEnd:
        """Begin to look for the end of the value of a body."""
        from respc_runtime.value_ends import ValueEnd

        return ValueEnd("\"'" if self.quotes.get(field) is None else JSON_QUOTE)

    def _has_text_behind_value(self, state: State, body: str) -> bool:
        """Tell whether text stands behind the value in a body that a line of text ends."""
        if not self._line_group(state):
            return False
        value = self._expected_value(state.chunk["field"])
        value.read(body, 0, len(body), 0)
        return value.place is not None and bool(body[value.place :].strip(BLANKS))

    def _line_group(self, state: State) -> str:
        """Give the group of the closer at which a line of text ends a body; nothing where none does."""
        if state.line_group is None:
            state.line_group = self._find_line_group(state)
        return state.line_group

    def _find_line_group(self, state: State) -> str:
        line = state.scan(LINE_OF_TEXT, 0)
        group = None if line is None else line.lastgroup
        if line is None or group is None or group not in self.states.following or line.start():
            return ""
        is_known = self.quotes.get(state.chunk["field"]) in (None, JSON_QUOTES)
        return group if is_known and LINE_OF_TEXT[: line.end()].isspace() else ""

    def _without_opener(self, opener: str, text: str) -> str:
        """Pass an opener that is written once more at the start of its region; give the text behind it."""
        place = behind_openers(opener, text, 0)
        if place:
            self._pass(text[:place])
        if place < len(text):
            self._opener = None
        return text[place:]

    def _behind_openers(self, text: str, pos: int) -> int:
        """Give the place behind the region's opener where that is written once more at a place."""
        return pos if self._opener is None else behind_openers(self._opener, text, pos)

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        opener, chunk = self._opener, state.chunk
        if opener is not None and begins_otherwise(opener, text, pos):
            opener = self._opener = None
        if opener is None and self._end_of_value is None and not at_end:
            found = state.scan(text, pos)
            if chunk is None or found is None or (quotes := self.quotes.get(chunk["field"])) is None:
                return found
            if self._string_closer is None and self._counts(state, text, pos, found, quotes):
                return found
        start = self._behind_openers(text, pos)
        if opener is not None and not at_end and may_be_opener(opener, text, start):
            # Another delimiter may look ahead to a part of the opener.
            return held_back(start)
        found = super()._search(state, text, start, at_end)
        if opener is not None and not at_end and found is not None:
            is_whole = found.lastgroup in self.states.following
            if not is_whole and may_be_opener(opener, text[start : found.start()], 0):
                # What has begun behind blanks is held back with them.
                return Place(found.lastgroup, start, start)
        if self._end_of_value is None or chunk is None:
            return found
        return self._behind_value(self._end_of_value, state, text, pos, found, at_end)

    def _counts(self, state: State, text: str, pos: int, found: Found, quotes: Quotes) -> bool:
        """Tell at a glance that what was found ends a body, or that the text in which it has begun is held back."""
        if found.lastgroup not in self.states.following:
            return True
        start = found.start()
        if text[start : found.end()].isspace():
            return False
        return not inside_string(self._body.getvalue() + text[pos:start], quotes)

    def _behind_value(
        self, value: ValueEnd, state: State, text: str, pos: int, found: Any, at_end: bool
    ) -> Any:
        """Close a body before text on its last line, where the template has it end at a line of text."""
        taken, start = self._body.tell(), self._behind_openers(text, pos)
        if self._opener is not None and may_be_opener(self._opener, text, start):
            return found
        edge = len(text) if found is None else found.start()
        if not value.read(text, start, edge, taken):
            self._end_of_value = None
            return found
        if value.place is None:
            return found
        end = start + value.place - taken
        if found is not None and found.start() < end:
            return found
        from respc_runtime.value_ends import NO_TEXT, not_blank

        place, is_whole = not_blank(text, end), found is not None and found.lastgroup is not None
        if place is None or (found is not None and found.start() <= place):
            return found if at_end or is_whole else held_back(end)
        self._end_of_value = None
        body = self._body.getvalue() + text[start:end]
        if text[place] in NO_TEXT or not self._reads(state, body):
            return found
        return Place(state.line_group, end, place)

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter, but for what looks ahead to the opener once more, and for broken lines."""
        closers = self.states.following
        found = super()._next(state, text, pos, at_end)
        if state.chunk is None or state.chunk["field"] not in self.quotes:
            return found
        while (
            found is not None and found.lastgroup in closers and text[found.start() : found.end()].isspace()
        ):
            # A line that only seems to come behind the body ends one that can be read, and no other.
            if not self._broken:
                body = self._body.getvalue() + text[pos : found.start()]
                self._broken = not self._reads(state, body)
            if not self._broken:
                break
            found = super()._next(state, text, found.end(), at_end)
        return found
