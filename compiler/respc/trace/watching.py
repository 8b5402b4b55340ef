"""A parser that remembers the place of everything that it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from respc.trace.model import Mark
from respc_runtime.careful_ends import may_be_opener
from respc_runtime.outside_text import OUTSIDE_REASONS
from respc_runtime.stream import Stream

if TYPE_CHECKING:
    from respc.trace.model import MarkKind, Sentence
    from respc_runtime.batches import Tools
    from respc_runtime.states import State


def watched(parser: type[Stream[Any, Any]]) -> type[Watching]:
    """Give a parser that is this one, and is watched."""
    return cast("type[Watching]", type(parser.__name__, (Watching, parser), {}))


class Watching(Stream[Any, Any]):
    """Goes in front of the class of a compiled parser.

    Attributes:
        decisions: what was decided, in the order of the text; a mark of no length says that a region began or ended.
        from_prompt: what of the prompt is a part of the message.
        failure: what the prompt raised; what chunks raise is raised.
    """

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        self.decisions: list[Mark] = []
        self.from_prompt = ""
        self.failure: Exception | None = None
        self._last_body = ""
        self._last_closed: tuple[int, str] | None = None
        try:
            super().__init__(prefix, tools=tools)
        except Exception as error:
            self.failure = error

    @property
    def field(self) -> str | None:
        """The field whose region is open; None outside."""
        chunk = self._state.chunk
        return None if chunk is None else chunk["field"]

    @property
    def held_text(self) -> str:
        """What is known, and not decided."""
        waiting = "" if self._waiting is None else self._waiting.getvalue()
        return self._held[self._seen :] + waiting

    @property
    def care(self) -> Sentence:
        """What a careful parser waits for, besides delimiters; empty for nothing."""
        field = self.field or ""
        opener: str | None = getattr(self, "_opener", None)
        if opener is not None:
            held = self.held_text
            begun = self._state.scan(held, 0)
            # A delimiter that has begun behind blanks is held back with them.
            if may_be_opener(opener, held, 0) or (begun is not None and begun.start() > 0):
                return ("may be the opener of ", field, " written once more")
        if getattr(self, "_string_closer", None) is not None:
            return (
                "has the closer of ",
                field,
                " in a string of the body, where it counts only if no later one does",
            )
        if getattr(self, "_end_of_value", None) is not None:
            return ("stands behind the value of ", field, ", and may be no part of it")
        return ()

    def _after_turns(self, prefix: str) -> str:
        self.from_prompt = super()._after_turns(prefix)
        return self.from_prompt

    def _mark(self, kind: MarkKind, field: str | None, start: int, end: int, reason: str = "") -> None:
        self.decisions.append(Mark(kind, field, start, end, reason))

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        start = self._offset
        super()._open(state, opener, events)
        self._mark("opener", state.chunk["field"], start, self._offset)

    def _take_body(self) -> str:
        self._last_body = super()._take_body()
        return self._last_body

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        start, field, told = self._offset, state.chunk["field"], len(events)
        try:
            super()._close(state, width, events, closed=closed)
        except Exception as error:
            reason = getattr(error, "reason", str(error))
            self._mark("unread", field, start, start + len(self._last_body), reason)
            raise
        end = self._offset
        malformed = [event["error"] for event in events[told:] if event["type"] == "region_malformed"]
        if malformed:
            self._mark("unread", field, end - len(self._last_body), end, malformed[0].reason)
        else:
            self._mark("body", field, end - len(self._last_body), end)
        self._last_closed = (end, field)

    def _pass_closer(self, closer: str, width: int, events: list[Any]) -> None:
        start = self._offset
        super()._pass_closer(closer, width, events)
        field = None
        if self._last_closed is not None and self._last_closed[0] == start:
            field = self._last_closed[1]
        self._last_closed = None
        self._mark("closer", field, start, start + width, "" if field else "a closer where no region is open")
        if width < len(closer):
            self._mark("outside", None, start + width, self._offset, OUTSIDE_REASONS["after_turn"])

    def _skip(self, text: str, events: list[Any]) -> None:
        start = self._offset
        super()._skip(text, events)
        self._mark("outside", None, start, self._offset, OUTSIDE_REASONS["no_field"])

    def _cut_off(self, state: State, text: str, events: list[Any]) -> None:
        start, told = self._offset, len(events)
        super()._cut_off(state, text, events)
        if len(events) > told:
            self._mark("outside", None, start, self._offset, OUTSIDE_REASONS["begun"])
        else:
            field = None if state.chunk is None else state.chunk["field"]
            self._mark("closer", field, start, self._offset)
