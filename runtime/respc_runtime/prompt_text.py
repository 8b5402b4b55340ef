"""The input of a parser beside its events: the raw text of regions, and the prompt's part of them."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class PromptText:
    """Completes events by text that was held back at the end of the prompt.

    It could have become a delimiter. If it does not, it is text of a region, yet serving events leave it out: it was
    not generated.

    Args:
        initial_events: the events of the prompt.
        input_text: what the parser kept of the prompt.
    """

    __slots__ = ("_dirty", "_end", "_field", "_input", "_place")

    def __init__(self, initial_events: Iterable[dict[str, Any]], input_text: str) -> None:
        self._input = input_text
        self._end = len(input_text)
        self._place = 0
        self._field: str | None = None
        self._dirty = True
        for event in initial_events:
            self._follow(event)
            is_chunk = event["type"] == "region_chunk"
            self._place = self._place + len(event["text"]) if is_chunk else event["end"]

    def complete(self, events: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bool]]:
        """Give the events, with chunks for what was held back; and of each whether it is the prompt's."""
        for event in events:
            if self._place < self._end:
                is_chunk = event["type"] == "region_chunk"
                end = self._end if is_chunk else min(event["start"], self._end)
                if end > self._place and (field := event["field"] if is_chunk else self._field) is not None:
                    yield self._chunk(field, end, event["dirty"] if is_chunk else self._dirty), True
                self._place = end if is_chunk else max(self._place, event["end"])
            self._follow(event)
            # What begins a delimiter at the end of the prompt is no text of a model that wrote nothing behind it.
            yield event, event["type"] == "text_outside" and event["end"] <= self._end

    def _chunk(self, field: str, end: int, dirty: bool) -> dict[str, Any]:
        text = self._input[self._place : end]
        return {"type": "region_chunk", "field": field, "text": text, "dirty": dirty}

    def _follow(self, event: dict[str, Any]) -> None:
        """Note which region is open."""
        if event["type"] == "region_chunk":
            self._dirty = event["dirty"]
        elif event["type"] == "region_open":
            self._field, self._dirty = event["field"], True
        else:
            self._field = None


class RawText:
    """Keeps the input from the open region on, so that its raw text can be had without the whole input.

    Args:
        text: the input so far.
    """

    __slots__ = ("_end", "_parts")

    def __init__(self, text: str) -> None:
        self._parts = deque([(0, text)])
        self._end = len(text)

    def add(self, text: str) -> None:
        """Take the next chunk."""
        if text:
            self._parts.append((self._end, text))
            self._end += len(text)

    def drop_before(self, place: int) -> None:
        """Forget what is not needed from a place on."""
        parts = self._parts
        while parts and parts[0][0] + len(parts[0][1]) <= place:
            parts.popleft()

    def between(self, start: int, end: int) -> str:
        """Give the text between two places."""
        found: list[str] = []
        for place, text in self._parts:
            if place >= end:
                break
            found.append(text[max(start - place, 0) : end - place])
        return "".join(found)
