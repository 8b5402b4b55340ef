# Compiled by respc from merged_tags.json. Do not edit: change the template and compile it again.
# Template sha256: d45157c540a5b5e6cc71f6b0ac772cef6fdd34683b018729954d43645c83059b
# ABI of respc_runtime: 1
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import (
    CLOSE,
    NOTHING,
    Candidate,
    Found,
    after_last_match,
    earliest,
    held_from,
    named_groups,
    proper_prefixes,
)
from respc_runtime.errors import MissingPrefixError, ParserStateError, region_error
from respc_runtime.json_bodies import json_or_text
from respc_runtime.patterns import compile_pattern, search_pattern
from respc_runtime.tools import cast_arguments, tool_parameters
from respc_runtime.transforms import is_empty

require_abi(1, __name__)

__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionOpen",
    "ResponseParser",
    "parse_response",
]

Field: TypeAlias = Literal["tool_calls", "notes", "tags", "plain_calls"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    tool_calls: list[dict[str, Any]]
    notes: dict[str, Any]
    tags: dict[str, Any]
    plain_calls: list[dict[str, Any]]


class RegionOpen(TypedDict):
    """A region began."""

    type: Literal["region_open"]
    field: Field


class RegionChunk(TypedDict):
    """Text of the open region: a piece of its value or, where ``dirty``, raw text to parse."""

    type: Literal["region_chunk"]
    field: Field
    text: str
    dirty: bool


class RegionClose(TypedDict):
    """The region ended with this value."""

    type: Literal["region_close"]
    field: Field
    value: Any


Event: TypeAlias = RegionOpen | RegionChunk | RegionClose

# Where a parser can be.
_FAILED: Final = -2
_FINISHED: Final = -1
_OUTSIDE: Final = 0
_IN_NOTES: Final = 1
_IN_PLAIN_CALLS: Final = 2
_IN_TAGS: Final = 3
_IN_TOOL_CALLS: Final = 4

_NOTES_OPEN_PREFIXES: Final = proper_prefixes("<notes>")
_PLAIN_CALLS_OPEN: Final = compile_pattern(r"<plain (?P<name>\w+)>")
_TAGS_OPEN_PREFIXES: Final = proper_prefixes("<tags>")
_TOOL_CALLS_OPEN: Final = compile_pattern(r"<call (?P<name>\w+)>")
_NOTES_PREFIXES: Final = proper_prefixes("</notes>")
_PLAIN_CALLS_PREFIXES: Final = proper_prefixes("</plain>")
_TAGS_PREFIXES: Final = proper_prefixes("</tags>")
_TOOL_CALLS_PREFIXES: Final = proper_prefixes("</call>")
_TOOL_CALLS_TAG: Final = compile_pattern(r"<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>")
_NOTES_TAG: Final = compile_pattern(r"(?P<key>\w+)(?:=(?P<value>\w+))?")
_TAGS_TAG: Final = compile_pattern(r"#(?P<key>\w+)")
_PLAIN_CALLS_TAG: Final = compile_pattern(r"<(?P<key>\w+)>(?P<value>.*?)</>")
_ANCHOR: Final = re.compile(">>")

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_NOTES: {
        "type": "region_chunk",
        "field": "notes",
        "text": "",
        "dirty": True,
    },
    _IN_PLAIN_CALLS: {
        "type": "region_chunk",
        "field": "plain_calls",
        "text": "",
        "dirty": True,
    },
    _IN_TAGS: {
        "type": "region_chunk",
        "field": "tags",
        "text": "",
        "dirty": True,
    },
    _IN_TOOL_CALLS: {
        "type": "region_chunk",
        "field": "tool_calls",
        "text": "",
        "dirty": True,
    },
}


def _find_outside(text: str, pos: int, at_end: bool) -> Found:
    hold = len(text)
    candidates: list[Candidate] = []
    # "<notes>" opens "notes"
    start = text.find("<notes>", pos)
    if start < 0:
        if not at_end:
            hold = min(hold, held_from(text, pos, _NOTES_OPEN_PREFIXES, 6))
    else:
        candidates.append((start, -7, _IN_NOTES, None))
    # r"<plain (?P<name>\w+)>" opens "plain_calls"
    first = text.find("<", pos)
    if first >= 0:
        match, held = search_pattern(_PLAIN_CALLS_OPEN, text, first, at_end)
        hold = min(hold, held)
        if match is not None:
            candidates.append((match.start(), match.start() - match.end(), _IN_PLAIN_CALLS, match))
    # "<tags>" opens "tags"
    start = text.find("<tags>", pos)
    if start < 0:
        if not at_end:
            hold = min(hold, held_from(text, pos, _TAGS_OPEN_PREFIXES, 5))
    else:
        candidates.append((start, -6, _IN_TAGS, None))
    # r"<call (?P<name>\w+)>" opens "tool_calls"
    first = text.find("<", pos)
    if first >= 0:
        match, held = search_pattern(_TOOL_CALLS_OPEN, text, first, at_end)
        hold = min(hold, held)
        if match is not None:
            candidates.append((match.start(), match.start() - match.end(), _IN_TOOL_CALLS, match))
    return earliest(candidates, hold)


def _find_end_of_notes(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("</notes>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _NOTES_PREFIXES, 7)
        return NOTHING, start, start, None
    return CLOSE, start, start + 8, None


def _find_end_of_plain_calls(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("</plain>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _PLAIN_CALLS_PREFIXES, 7)
        return NOTHING, start, start, None
    return CLOSE, start, start + 8, None


def _find_end_of_tags(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("</tags>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _TAGS_PREFIXES, 6)
        return NOTHING, start, start, None
    return CLOSE, start, start + 7, None


def _find_end_of_tool_calls(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("</call>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _TOOL_CALLS_PREFIXES, 6)
        return NOTHING, start, start, None
    return CLOSE, start, start + 7, None


_FINDERS: Final = (
    _find_outside,
    _find_end_of_notes,
    _find_end_of_plain_calls,
    _find_end_of_tags,
    _find_end_of_tool_calls,
)


def _read_tool_calls_value(body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in body.split(","):
        line = line.strip()
        if "=" in line:
            key, value = line.split("=", 1)
            key, value = key.strip(), value.strip()
            values[key] = json_or_text(value)
    return values


def _read_tool_calls(body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for tag in _TOOL_CALLS_TAG.finditer(body):
        key, value = tag["key"], _read_tool_calls_value(tag["value"])
        if key not in values:
            values[key] = value
        elif key in merged:
            values[key].append(value)
        else:
            values[key] = [values[key], value]
            merged.add(key)
    return values


def _read_notes(body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for tag in _NOTES_TAG.finditer(body):
        key, value = tag["key"], tag["value"]
        if key not in values:
            values[key] = value
        elif key in merged:
            values[key].append(value)
        else:
            values[key] = [values[key], value]
            merged.add(key)
    return values


def _read_tags(body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for tag in _TAGS_TAG.finditer(body):
        values[tag["key"]] = ""
    return values


def _read_plain_calls(body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for tag in _PLAIN_CALLS_TAG.finditer(body):
        key, value = tag["key"], tag["value"]
        if key not in values:
            values[key] = value
        elif key in merged:
            values[key].append(value)
        else:
            values[key] = [values[key], value]
            merged.add(key)
    return values


class ResponseParser:
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events. After an exception the parser
    refuses further use.

    Args:
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare.
    """

    __slots__ = (
        "_captures",
        "_chunk",
        "_held",
        "_message",
        "_offset",
        "_parameters",
        "_parts",
        "_state",
        "initial_events",
    )

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if prefix is None:
            raise MissingPrefixError
        self._parameters = tool_parameters(tools)
        self._state: int = _OUTSIDE
        self._chunk: RegionChunk | None = None
        self._held = ""
        self._offset = 0
        self._parts: list[str] = []
        self._captures: dict[str, str] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last_match(prefix, _ANCHOR)):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text:
            self._parts.append(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "", False)

    def finalize(self) -> tuple[Message, list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        events = self._advance("", True)
        self._state = _FINISHED
        message = {
            key: value
            for key, value in self._message.items()
            if key == "role" or not is_empty(value)
        }
        return cast(Message, message), events

    def _advance(self, chunk: str, at_end: bool) -> list[Event]:
        """Add a chunk to the known text and cut off it what is decided."""
        if self._state < 0:
            raise (
                ParserStateError.failed()
                if self._state == _FAILED
                else ParserStateError.finalized()
            )
        events: list[Event] = []
        self._chunk = None
        try:
            self._cut(self._held + chunk, 0, at_end, events)
        except BaseException:
            self._state = _FAILED
            raise
        return events

    def _cut(self, text: str, pos: int, at_end: bool, events: list[Event]) -> None:
        """Cut the text from ``pos`` on into regions, up to a delimiter not decided yet."""
        while True:
            action, start, end, match = _FINDERS[self._state](text, pos, at_end)
            if start > pos:
                self._take(text[pos:start], events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._CLOSERS[self._state](self, events)
                break
            self._CLOSERS[self._state](self, events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                self._captures = named_groups(match)
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        self._held = text[pos:]
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it is dropped."""
        if self._state == _OUTSIDE:
            self._offset += len(text)
            return
        self._parts.append(text)
        event = _CHUNKS[self._state].copy()
        event["text"] = text
        events.append(event)

    def _take_body(self) -> str:
        """Give the body of the open region and leave it."""
        body = "".join(self._parts)
        self._parts.clear()
        self._offset += len(body)
        self._state = _OUTSIDE
        return body

    def _close_nothing(self, events: list[Event]) -> None:
        """No region is open."""

    def _close_tool_calls(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            content = _read_tool_calls(body)
            value: Any = {
                "type": "function",
                "function": {"name": self._captures["name"], "arguments": content},
            }
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message.setdefault("tool_calls", []).append(value)
        except Exception as error:
            raise region_error(error, "tool_calls", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "tool_calls", "value": value})

    def _close_notes(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            value: Any = _read_notes(body)
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message["notes"] = value
        except Exception as error:
            raise region_error(error, "notes", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "notes", "value": value})

    def _close_tags(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            value: Any = _read_tags(body)
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message["tags"] = value
        except Exception as error:
            raise region_error(error, "tags", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "tags", "value": value})

    def _close_plain_calls(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            content = _read_plain_calls(body)
            value: Any = {
                "type": "function",
                "function": {"name": self._captures["name"], "arguments": content},
            }
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message.setdefault("plain_calls", []).append(value)
        except Exception as error:
            raise region_error(error, "plain_calls", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "plain_calls", "value": value})

    _CLOSERS: Final = (
        _close_nothing,
        _close_notes,
        _close_plain_calls,
        _close_tags,
        _close_tool_calls,
    )


@overload
def parse_response(
    text: str, *, prefix: str | None = None, tools: Tools | None = None
) -> Message: ...
@overload
def parse_response(
    text: list[str], *, prefix: str | Sequence[str] | None = None, tools: Tools | None = None
) -> list[Message]: ...
def parse_response(
    text: str | list[str],
    *,
    prefix: str | Sequence[str] | None = None,
    tools: Tools | None = None,
) -> Message | list[Message]:
    """Parse a whole generation, or a batch of them.

    Args:
        text: what the model wrote; a list for a batch.
        prefix: the prompt, one for each text or one for all; "" says that the text is the whole
            message.
        tools: casts the arguments of tool calls to the types that these declare.

    Returns:
        The message, or a list of as many.
    """
    texts = text if isinstance(text, list) else [text]
    messages = [_parse_one(each, before, tools) for each, before in with_prefixes(texts, prefix)]
    return messages if isinstance(text, list) else messages[0]


def _parse_one(text: str, prefix: str, tools: Tools | None) -> Message:
    parser = ResponseParser(prefix, tools=tools)
    parser.feed(text)
    return parser.finalize()[0]
