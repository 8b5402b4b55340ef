"""A parser as the deltas of vLLM's answers are made from it, where nothing that a client cannot get is lost."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from respc_runtime.errors import ResponseValueError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_NO_CALL: Final = "it is sent as the text that it is"


class WatchedParser:
    """Gives the events of a parser, and stops behind each region whose raw text shall go out as content.

    That is a call that its closer ends but that cannot be read; and a region of a field for which vLLM's messages have
    no place, or that were not asked for, unless it is blank, as marks between other regions are.

    Args:
        parser: the parser, which was not fed yet.
        texts: the fields whose text goes out.
        calls_wanted: whether calls become calls.

    Attributes:
        raw_error: the error of the region that the last events end with, if its raw text shall go out.
        other_start: where the first region began that is neither text nor reasoning, nor blank.
    """

    def __init__(self, parser: Any, texts: Collection[str], *, calls_wanted: bool) -> None:
        self._parser = parser
        self._texts = texts
        self.calls: Mapping[str, Any] = parser.calls if calls_wanted else {}
        self.texts: Mapping[str, Any] = parser.texts
        self.parameters: Any = parser.parameters
        self.anchor_found: bool | None = parser.anchor_found
        self.raw_error: Exception | None = None
        self.other_start: int | None = None
        self._start = 0
        self._is_blank = True
        self._message: Any = None
        self._raw: set[int] = set()
        self._events: deque[Any] = deque()
        self.initial_events: list[Any] = self._watched(parser.initial_events)

    @property
    def input_text(self) -> str:
        """What the parser was given."""
        text: str = self._parser.input_text
        return text

    @property
    def has_events(self) -> bool:
        """Whether there are more, behind a region whose raw text goes out."""
        return bool(self._events)

    def feed(self, text: str) -> list[Any]:
        """Take the next piece, and give the next events."""
        events = self._watched(self._parser.feed(text)) if text else []
        if not self._raw and not self._events:
            return events
        self._events += events
        return self._next_events()

    def end(self) -> None:
        """End the answer; `feed` with no text gives the events of that."""
        self._message, events = self._parser.finalize()
        self._events += self._watched(events)

    def finalize(self) -> tuple[Any, list[Any]]:
        """Give the message of the parser, behind the last of its events."""
        return self._message, self._next_events()

    def _next_events(self) -> list[Any]:
        self.raw_error = None
        events: list[Any] = []
        while self._events and self.raw_error is None:
            event = self._events.popleft()
            events.append(event)
            error = event.get("error")
            if error is not None and id(error) in self._raw:
                self.raw_error = error
        return events

    def _watched(self, events: Iterable[Any]) -> list[Any]:
        return [self._seen(event) for event in events]

    def _seen(self, event: Any) -> Any:
        """Note an event, and give it or the one that stands for it."""
        kind, field = event["type"], event["field"]
        if field in self._texts or kind == "text_outside":
            return event
        if kind == "region_open":
            self._start, self._is_blank = event["start"], True
        elif kind == "region_chunk":
            self._is_blank = self._is_blank and not event["text"].strip()
            if not self._is_blank and self.other_start is None:
                self.other_start = self._start
        elif field in self.calls:
            if kind == "region_close":
                # vLLM does not tell why an answer ended: a call without a closer is whole if it can be read.
                return {**event, "closed": True}
            if event["start"] < event["end"]:
                self._raw.add(id(event["error"]))
        elif not self._is_blank:
            error = ResponseValueError(_NO_CALL, field=field, position=self._start)
            self._raw.add(id(error))
            return {**event, "type": "region_malformed", "error": error}
        return event
