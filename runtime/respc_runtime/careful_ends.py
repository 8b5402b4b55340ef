"""The stream that looks closer at where a body begins and ends than its delimiters tell.

An opener that is written once more at the start of its region is nothing. Where a line of text ends a body, text on
the last line of its value does, too, and a line that only seems to be one does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from respc_runtime.closers_in_strings import HeldBack, StringAwareStream
from respc_runtime.collecting import MessageT
from respc_runtime.stream import EventT
from respc_runtime.string_closers import JSON_QUOTE, JSON_QUOTES
from respc_runtime.value_ends import LINE_OF_TEXT, NO_TEXT, Joint, ValueEnd, not_blank

if TYPE_CHECKING:
    from respc_runtime.batches import Tools
    from respc_runtime.states import State


MOST_BLANKS: Final = 64
"""So many blanks, at most, stand before an opener that is written once more."""


def behind_openers(opener: str, text: str, place: int) -> int:
    """Give the place behind the openers that stand at a place, and blanks between them."""
    while True:
        start = not_blank(text, place)
        if start is None or start - place > MOST_BLANKS or not text.startswith(opener, start):
            return place
        place = start + len(opener)


def may_be_opener(opener: str, text: str, place: int) -> bool:
    """Tell whether what stands at a place can begin an opener, after blanks."""
    edge = len(text)
    start = not_blank(text, place)
    if start is None:
        return edge - place <= MOST_BLANKS
    return start - place <= MOST_BLANKS and edge - start < len(opener) and opener.startswith(text[start:])


class CarefulEndsStream(StringAwareStream[MessageT, EventT]):
    """Parses one generation while it is written, with care for where bodies begin and end."""

    __slots__ = ("_begun", "_broken", "_end_of_value", "_opener")

    marks: ClassVar[dict[str, tuple[str, ...]]] = {}
    """What the openers of a field begin with."""

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        # The opener, while it may come once more, and the text that may have begun to be it.
        self._opener: str | None = None
        self._begun = ""
        # Of a body that a line of text ends: whether it is broken, and where its value ends.
        self._broken = False
        self._end_of_value: ValueEnd | None = None
        super().__init__(prefix, tools=tools)

    def _advance(self, text: str) -> list[EventT]:
        opener = self._opener
        if opener is None or self._waits_for_more():
            return super()._advance(text)
        try:
            known = self._held + text
            if may_be_opener(opener, known, 0):
                self._held = known
                return []
            if not behind_openers(opener, known, 0):
                self._opener = None
                self._looks_closer = self._has_to_look_closer()
        except BaseException:
            self._fail()
            raise
        return super()._advance(text)

    def _waits_for_more(self) -> bool:
        """Tell whether the start of a region cannot be told by what is held back and the next chunk alone."""
        return bool(self._begun or self._seen or self._run is not None or not self._state.quick)

    def _has_to_look_closer(self) -> bool:
        return not (self._opener is None and self._string_closer is None and self._end_of_value is None)

    def _begin_body(self, state: State, opener: str, *, is_call: bool) -> None:
        """Begin to look at the body of a region."""
        self._broken = False
        self._opener = self._end_of_value = None
        if is_call:
            self._expect_value(state)
        field = state.chunk["field"]
        if field != "content" and (mark := opener.strip()) in self.marks.get(field, ()):
            self._opener = mark

    def _line_group(self, state: State) -> str:
        """Give the group of the closer at which a line of text ends a body; nothing where none does."""
        if state.line_group is None:
            state.line_group = self._find_line_group(state)
        return state.line_group

    def _expect_value(self, state: State) -> None:
        """Look for the end of the value of a body that a line of text ends."""
        if self._line_group(state):
            quotes = self.quotes.get(state.chunk["field"])
            self._end_of_value = ValueEnd("\"'" if quotes is None else JSON_QUOTE)

    def _find_line_group(self, state: State) -> str:
        line = state.scan(LINE_OF_TEXT, 0)
        group = None if line is None else line.lastgroup
        if line is None or group is None or group not in self.states.following or line.start():
            return ""
        is_known = self.quotes.get(state.chunk["field"]) in (None, JSON_QUOTES)
        return group if is_known and LINE_OF_TEXT[: line.end()].isspace() else ""

    def _without_opener(self, opener: str, text: str) -> str:
        """Pass an opener that is written once more at the start of its region; give what is text for sure."""
        text = self._begun + text
        place = behind_openers(opener, text, 0)
        if place:
            self._pass(text[:place])
            text = text[place:]
        if may_be_opener(opener, text, 0):
            self._begun = text
            return ""
        self._begun = ""
        self._opener = None
        return text

    def _behind_openers(self, state: State, text: str, pos: int) -> int:
        """Give the place behind the region's opener where that is written once more at a place."""
        if self._opener is None or state.chunk is None:
            return pos
        if not self._begun:
            return behind_openers(self._opener, text, pos)
        passed = behind_openers(self._opener, self._begun + text[pos:], 0) - len(self._begun)
        return pos + max(passed, 0)

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        chunk = state.chunk
        if (
            not at_end
            and self._opener is None
            and self._end_of_value is None
            and (chunk is None or chunk["field"] not in self.quotes)
        ):
            return state.scan(text, pos)
        start = self._behind_openers(state, text, pos)
        is_body = self._opener is not None and state.chunk is not None and start < len(text)
        if is_body and not at_end and may_be_opener(self._opener or "", text, start):
            # Another delimiter may look ahead to a part of the opener.
            return HeldBack(start)
        found = super()._search(state, text, start, at_end)
        if self._end_of_value is None or state.chunk is None:
            return found
        return self._behind_value(self._end_of_value, state, text, pos, found, at_end)

    def _behind_value(
        self, value: ValueEnd, state: State, text: str, pos: int, found: Any, at_end: bool
    ) -> Any:
        """Close a body before text on its last line, where the template has it end at a line of text."""
        taken, seen, start = self._body.tell(), text, pos
        if self._begun:
            seen, start = self._begun + text[pos:], 0
        if self._opener is not None:
            start = behind_openers(self._opener, seen, start)
            if may_be_opener(self._opener, seen, start):
                return found
        shift = len(text) - len(seen)
        edge = len(seen) if found is None else found.start() - shift
        if not value.read(seen, start, edge, taken):
            self._end_of_value = None
            return found
        if value.place is None:
            return found
        end = shift + start + value.place - taken
        if found is not None and found.start() < end:
            return found
        place, is_whole = not_blank(text, end), found is not None and found.lastgroup is not None
        if place is None or (found is not None and found.start() <= place):
            return found if at_end or is_whole else HeldBack(end)
        self._end_of_value = None
        body = self._body.getvalue() + seen[start : start + value.place - taken]
        if text[place] in NO_TEXT or not self._reads(state, body):
            return found
        return Joint(state.line_group or "", end, place)

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter, but for what looks ahead to the opener once more, and for broken lines."""
        closers = self.states.following
        found = super()._next(state, text, pos, at_end)
        if state.chunk is None or state.chunk["field"] not in self.quotes:
            return found
        body = self._body.getvalue()
        while (
            found is not None and found.lastgroup in closers and text[found.start() : found.end()].isspace()
        ):
            # A line that only seems to come behind the body ends one that can be read, and no other.
            self._broken = self._broken or not self._reads(state, body + text[pos : found.start()])
            if not self._broken:
                break
            found = super()._next(state, text, found.end(), at_end)
        return found
