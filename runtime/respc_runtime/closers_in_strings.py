"""The stream in which a closer inside a string of a body is a part of that, if a later one ends the body."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from respc_runtime.errors import MALFORMED
from respc_runtime.message_values import MessageT
from respc_runtime.prefixes import rest_of_text
from respc_runtime.stream import EventT, Stream
from respc_runtime.string_closers import inside_string

if TYPE_CHECKING:
    from typing import overload

    from respc_runtime.batches import Tools
    from respc_runtime.later_closers import StringCloser
    from respc_runtime.searches import Found
    from respc_runtime.states import State
    from respc_runtime.string_closers import QuotesOfFields


class HeldBack:
    """Stands for a delimiter that is not decided yet: the text from its start on is held back."""

    __slots__ = ("_start",)

    lastgroup = None

    def __init__(self, start: int) -> None:
        self._start = start

    def start(self) -> int:
        """Tell where it begins."""
        return self._start

    def end(self) -> int:
        """Tell where it ends: it takes nothing."""
        return self._start


class StringAwareStream(Stream[MessageT, EventT]):
    """Parses one generation while it is written; a closer in a string counts only if no later one does."""

    __slots__ = ("_string_closer",)

    quotes: ClassVar[QuotesOfFields] = {}
    """The fields whose bodies have strings, in which a closer may be a part of the body."""

    if TYPE_CHECKING:

        @overload
        def __init__(self, prefix: str, *, tools: None = None) -> None: ...
        @overload
        def __init__(self, prefix: str, *, tools: Tools | None = None) -> None: ...

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
            # Few closers stand in a string.
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
        return HeldBack(start)

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

    @classmethod
    def of_text(cls, text: str, prefix: Any, tools: Tools | None) -> MessageT:
        """Parse a whole generation, as a new parser does that takes it at once."""
        return cls(prefix, tools=tools).finish(text)

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events."""
        self._cut_all(rest_of_text(text))
        return self._finished_message()

    def _cut_all(self, text: str) -> list[EventT]:
        """Cut all that is still to come, in one go where that is the same."""
        if self.states.whole:
            return self._cut(text, None, at_end=True)
        return [*self._cut(text, None), *self._cut("", None, at_end=True)]
