# Compiled by respc from odd_names.json. Do not edit: change the template and compile it again.
# Template sha256: a4bce4f9dcd49eac66d6eefbbf4500007885658ce6974868e13ef16cfdd247bc
# ABI of respc_runtime: 1
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import CLOSE, NOTHING, after_last, held_from, held_from_any
from respc_runtime.errors import MissingPrefixError, ParserStateError, region_error
from respc_runtime.json_bodies import parse_json
from respc_runtime.seeking import Found, Seen
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

Field: TypeAlias = Literal[
    "class", "__init__", "self", "feed", "a'b\"c\\d\n", "naïve-имя 名", "{x}", "1", ""
]


# What a response becomes. A key is missing where its field caught nothing.
# The field without a name is left out: no TypedDict has an empty key.
Message = TypedDict(
    "Message",
    {
        "__class__": str,
        "class": list[Any] | list[str],
        "__init__": str,
        "self": Any,
        "feed": str,
        "a'b\"c\\d\n": str,
        "naïve-имя 名": str,
        "{x}": str,
        "1": str,
    },
    total=False,
)


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
_IN_FIELD: Final = 1
_IN_1: Final = 2
_IN_INIT: Final = 3
_IN_A_B_C_D: Final = 4
_IN_CLASS: Final = 5
_IN_FEED: Final = 6
_IN_NA_VE: Final = 7
_IN_SELF: Final = 8
_IN_X: Final = 9

_OUTSIDE_DELIMITERS: Final = re.compile("<class>|<feed>|<init>|<self>|'\"|\\\\1|\\{\\{|«|\u2028")
_OUTSIDE_ACTIONS: Final = {
    "'\"": _IN_A_B_C_D,
    "<class>": _IN_CLASS,
    "<feed>": _IN_FEED,
    "<init>": _IN_INIT,
    "<self>": _IN_SELF,
    "\\1": _IN_1,
    "{{": _IN_X,
    "«": _IN_NA_VE,
    "\u2028": CLOSE,
}
_OUTSIDE_LITERALS: Final = (
    "<class>",
    "<feed>",
    "<init>",
    "<self>",
    "'\"",
    "\\1",
    "{{",
    "«",
    "\u2028",
)

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_FIELD: {
        "type": "region_chunk",
        "field": "",
        "text": "",
        "dirty": False,
    },
    _IN_1: {
        "type": "region_chunk",
        "field": "1",
        "text": "",
        "dirty": False,
    },
    _IN_INIT: {
        "type": "region_chunk",
        "field": "__init__",
        "text": "",
        "dirty": False,
    },
    _IN_A_B_C_D: {
        "type": "region_chunk",
        "field": "a'b\"c\\d\n",
        "text": "",
        "dirty": False,
    },
    _IN_CLASS: {
        "type": "region_chunk",
        "field": "class",
        "text": "",
        "dirty": False,
    },
    _IN_FEED: {
        "type": "region_chunk",
        "field": "feed",
        "text": "",
        "dirty": False,
    },
    _IN_NA_VE: {
        "type": "region_chunk",
        "field": "naïve-имя 名",
        "text": "",
        "dirty": False,
    },
    _IN_SELF: {
        "type": "region_chunk",
        "field": "self",
        "text": "",
        "dirty": True,
    },
    _IN_X: {
        "type": "region_chunk",
        "field": "{x}",
        "text": "",
        "dirty": False,
    },
}


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    match = _OUTSIDE_DELIMITERS.search(text, pos)
    if match is None:
        start = len(text) if at_end else held_from_any(text, pos, _OUTSIDE_LITERALS)
        return NOTHING, start, start, None, None
    start, end = match.span()
    return _OUTSIDE_ACTIONS[match[0]], start, end, None, None


def _find_end_of_1(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("\\", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "\\")
        return NOTHING, start, start, None, None
    end = start + 1
    return CLOSE, start, end, None, None


def _find_end_of_init(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</init>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</init>")
        return NOTHING, start, start, None, None
    end = start + 7
    return CLOSE, start, end, None, None


def _find_end_of_a_b_c_d(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("\"'", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "\"'")
        return NOTHING, start, start, None, None
    end = start + 2
    return CLOSE, start, end, None, None


def _find_end_of_class(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</class>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</class>")
        return NOTHING, start, start, None, None
    end = start + 8
    return CLOSE, start, end, None, None


def _find_end_of_feed(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</feed>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</feed>")
        return NOTHING, start, start, None, None
    end = start + 7
    return CLOSE, start, end, None, None


def _find_end_of_na_ve(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("»", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "»")
        return NOTHING, start, start, None, None
    end = start + 1
    return CLOSE, start, end, None, None


def _find_end_of_self(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</self>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</self>")
        return NOTHING, start, start, None, None
    end = start + 7
    return CLOSE, start, end, None, None


def _find_end_of_x(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("}}", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "}}")
        return NOTHING, start, start, None, None
    end = start + 2
    return CLOSE, start, end, None, None


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_1,
    _find_end_of_init,
    _find_end_of_a_b_c_d,
    _find_end_of_class,
    _find_end_of_feed,
    _find_end_of_na_ve,
    _find_end_of_self,
    _find_end_of_x,
)


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
        self._message: dict[str, Any] = {"__class__": "d", "class": []}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last(prefix, "^.*$")):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and '"' not in text and "<" not in text and "\\" not in text:
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
            if key
            in (
                "__class__",
                "class",
            )
            or not is_empty(value)
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
        seen: Seen = {}
        while True:
            found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, _, _ = found
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
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        self._held = text[pos:]
        if (
            pos == len(text)
            and not at_end
            and self._state in (_IN_1, _IN_INIT, _IN_A_B_C_D, _IN_CLASS, _IN_FEED, _IN_SELF)
        ):
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_FIELD
            events.append({"type": "region_open", "field": ""})
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

    def _close_class(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message.setdefault("class", []).append(value)
        events.append({"type": "region_close", "field": "class", "value": value})

    def _close_init(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message["__init__"] = value
        events.append({"type": "region_close", "field": "__init__", "value": value})

    def _close_self(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            value: Any = parse_json(body)
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message["self"] = value
        except Exception as error:
            raise region_error(error, "self", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "self", "value": value})

    def _close_feed(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message["feed"] = value
        events.append({"type": "region_close", "field": "feed", "value": value})

    def _close_a_b_c_d(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message["a'b\"c\\d\n"] = value
        events.append({"type": "region_close", "field": "a'b\"c\\d\n", "value": value})

    def _close_na_ve(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message["naïve-имя 名"] = value
        events.append({"type": "region_close", "field": "naïve-имя 名", "value": value})

    def _close_x(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message["{x}"] = value
        events.append({"type": "region_close", "field": "{x}", "value": value})

    def _close_1(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message["1"] = value
        events.append({"type": "region_close", "field": "1", "value": value})

    def _close_field(self, events: list[Event]) -> None:
        value = self._take_body().strip()
        self._message[""] = value
        events.append({"type": "region_close", "field": "", "value": value})

    _CLOSERS: Final = (
        _close_nothing,
        _close_field,
        _close_1,
        _close_init,
        _close_a_b_c_d,
        _close_class,
        _close_feed,
        _close_na_ve,
        _close_self,
        _close_x,
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
