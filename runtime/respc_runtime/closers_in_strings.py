"""The stream in which a closer inside a string of a body is a part of that, if a later one ends the body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from respc_runtime.errors import MALFORMED
from respc_runtime.message_values import MessageT
from respc_runtime.places import held_back
from respc_runtime.prefixes import rest_of_text
from respc_runtime.stream import EventT, Stream
from respc_runtime.string_closers import inside_string

if TYPE_CHECKING:
    from respc_runtime.batches import Tools
    from respc_runtime.later_closers import StringCloser
    from respc_runtime.searches import Found
    from respc_runtime.states import State
    from respc_runtime.string_closers import QuotesOfFields


class StringAwareStream(Stream[MessageT, EventT]):
    """Parses one generation while it is written; a closer in a string counts only if no later one does."""

    __slots__ = ("_string_closer",)

    quotes: ClassVar[QuotesOfFields] = {}
    """The fields whose bodies have strings, in which a closer may be a part of the body."""

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        self._string_closer: StringCloser | None = None
        super().__init__(prefix, tools=tools)

    def _has_to_look_closer(self) -> bool:
        """Tell whether the next chunk can be decided by its delimiters alone."""
        return self._string_closer is not None

    def _regions(self, text: str, match: Found | None, at_end: bool) -> list[EventT]:
        if match is not None and (chunk := self._state.chunk) is not None and chunk["field"] in self.quotes:
            # Whether it counts depends on more than the expression that found it.
            match = None
        events = super()._regions(text, match, at_end)
        if self._looks_closer:
            self._looks_closer = self._has_to_look_closer()
            if self._looks_closer:
                self._chunk = None
        return events

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find what ends a state; a closer in a string of its body counts only if no later one does."""
        first, closers = self._next(state, text, pos, at_end), self.states.following
        if first is None or state.chunk is None or first.lastgroup not in closers:
            return first
        quotes = self.quotes.get(state.chunk["field"])
        if quotes is None:
            return first
        start, body = first.start(), self._body.getvalue()
        closer, self._string_closer = self._string_closer, None
        if closer is None:
            if not inside_string(body + text[pos:start], quotes):
                return first
            from respc_runtime.later_closers import StringCloser

            closer = StringCloser(quotes)
        search = super()._search
        later = closer.later(text, start, lambda place: search(state, text, place, at_end), closers)
        if later is not None:
            return later if self._reads(state, body + text[pos : later.start()]) else first
        if closer.is_broken or at_end:
            return first
        self._string_closer = closer
        self._looks_closer = True
        return held_back(start)

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter, wherever it stands."""
        return super()._search(state, text, pos, at_end)

    def _reads(self, state: State, body: str) -> bool:
        """Tell whether a body can be read."""
        kept, self.message = self.message, {}
        try:
            self._read(state, body)
        except MALFORMED:
            return False
        finally:
            self.message = kept
        return True

    def _read(self, state: State, body: str) -> Any:
        """Give the value of a body, and put it into the message."""
        return state.close(self, body)

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events."""
        return self._finish_by_cuts(rest_of_text(text))

    def _message_of(self, text: str) -> MessageT:
        # Where a body ends depends on more than its closers.
        aware: StringAwareStream[MessageT, Any] = type(self)("")
        aware.parameters = self.parameters
        return aware._finish_by_cuts(text)

    def _finish_by_cuts(self, text: str) -> MessageT:
        """Take all that is still to come as a stream takes it, and give the message."""
        self._cut_all(text)
        return self._finished_message()

    def _cut_all(self, text: str) -> list[EventT]:
        """Cut all that is still to come, in one go where that is the same."""
        if self.states.whole:
            return self._cut(text, None, at_end=True)
        return [*self._cut(text, None), *self._cut("", None, at_end=True)]
