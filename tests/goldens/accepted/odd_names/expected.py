# Compiled by respc from odd_names.json. Do not edit: change the template and compile it again.
# Template sha256: a4bce4f9dcd49eac66d6eefbbf4500007885658ce6974868e13ef16cfdd247bc
# ABI of respc_runtime: 2
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import (
    CLOSE,
    NOTHING,
    UNDECIDED,
    after_last,
    beginnings,
    held_from,
    held_from_any,
    undecided,
)
from respc_runtime.errors import MissingPrefixError, ParserStateError, region_error
from respc_runtime.json_bodies import parse_json
from respc_runtime.tools import cast_arguments, prepare_tools, tool_parameters
from respc_runtime.transforms import is_empty

if TYPE_CHECKING:
    from respc_runtime.seeking import Found, Seen

require_abi(2, __name__)

__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionOpen",
    "ResponseParser",
    "parse_response",
    "prepare_tools",
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

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

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
_1_BEGINNINGS: Final = beginnings("\\")
_INIT_BEGINNINGS: Final = beginnings("</init>")
_A_B_C_D_BEGINNINGS: Final = beginnings("\"'")
_CLASS_BEGINNINGS: Final = beginnings("</class>")
_FEED_BEGINNINGS: Final = beginnings("</feed>")
_NA_VE_BEGINNINGS: Final = beginnings("»")
_SELF_BEGINNINGS: Final = beginnings("</self>")

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


def _hold_1(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "\\" in text:
        return UNDECIDED
    start = text.rfind("\\")
    if text[start:] not in _1_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_init(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</init>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</init>")
        return NOTHING, start, start, None, None
    end = start + 7
    return CLOSE, start, end, None, None


def _hold_init(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</init>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _INIT_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_a_b_c_d(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("\"'", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "\"'")
        return NOTHING, start, start, None, None
    end = start + 2
    return CLOSE, start, end, None, None


def _hold_a_b_c_d(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "\"'" in text:
        return UNDECIDED
    start = text.rfind('"')
    if text[start:] not in _A_B_C_D_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_class(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</class>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</class>")
        return NOTHING, start, start, None, None
    end = start + 8
    return CLOSE, start, end, None, None


def _hold_class(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</class>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _CLASS_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_feed(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</feed>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</feed>")
        return NOTHING, start, start, None, None
    end = start + 7
    return CLOSE, start, end, None, None


def _hold_feed(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</feed>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _FEED_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_na_ve(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("»", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "»")
        return NOTHING, start, start, None, None
    end = start + 1
    return CLOSE, start, end, None, None


def _hold_na_ve(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "»" in text:
        return UNDECIDED
    start = text.rfind("»")
    if text[start:] not in _NA_VE_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_self(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</self>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</self>")
        return NOTHING, start, start, None, None
    end = start + 7
    return CLOSE, start, end, None, None


def _hold_self(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</self>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _SELF_BEGINNINGS:
        start = len(text)
    return start


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

_HOLDS: Final = (
    undecided,
    undecided,
    _hold_1,
    _hold_init,
    _hold_a_b_c_d,
    _hold_class,
    _hold_feed,
    _hold_na_ve,
    _hold_self,
    undecided,
)


class ResponseParser:
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and
    gives the message alone. After an exception the parser refuses further use.

    Args:
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many parsers.
    """

    __slots__ = (
        "_blocks",
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
        self._held: str = ""
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._message: dict[str, Any] = {"__class__": "d", "class": []}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last(prefix, "^.*$")):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and '"' not in text and "<" not in text and "\\" not in text:
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            event = chunk.copy()
            event["text"] = text
            return [event]
        try:
            text = self._held + (text or "")
        except TypeError:
            self._state = _FAILED
            raise
        state = self._state
        if state < 0:
            return self._advance(text, False)
        end = _HOLDS[state](text)
        if end < 0:
            found = _FINDERS[state](text, 0, False, {})
            end = found[1]
            if found[0] != NOTHING:
                return self._advance(text, False, found)
        # No delimiter is whole: only the end of the text may have begun one.
        self._held = text[end:]
        if end == 0:
            self._chunk = None
            return []
        opens = state == _OUTSIDE
        if opens:
            state = self._state = _IN_FIELD
        chunk = _CHUNKS[state]
        self._chunk = (
            chunk
            if end == len(text)
            and self._state in (_IN_1, _IN_INIT, _IN_A_B_C_D, _IN_CLASS, _IN_FEED, _IN_SELF)
            else None
        )
        text = text[:end]
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = chunk.copy()
        event["text"] = text
        if opens:
            return [{"type": "region_open", "field": ""}, event]
        return [event]

    def _fold(self) -> None:
        """Join the parts of the body: each string costs more than its characters."""
        self._blocks.append("".join(self._parts))
        self._parts.clear()

    def finalize(self) -> tuple[Message, list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        events = self._advance(self._held, True)
        message = self._finished_message()
        self._state = _FINISHED
        return message, events

    def _finished_message(self) -> Message:
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
        return cast(Message, message)

    def _require_open(self) -> None:
        if self._state < 0:
            raise (
                ParserStateError.failed()
                if self._state == _FAILED
                else ParserStateError.finalized()
            )

    def _advance(self, text: str, at_end: bool, found: Found | None = None) -> list[Event]:
        """Cut off the known text what is decided; ``found`` is its first delimiter, if known."""
        self._require_open()
        events: list[Event] = []
        self._chunk = None
        try:
            self._cut(text, 0, at_end, found, events)
        except BaseException:
            self._state = _FAILED
            raise
        return events

    def _cut(
        self, text: str, pos: int, at_end: bool, found: Found | None, events: list[Event]
    ) -> None:
        """Cut the text from ``pos`` on into regions, up to a delimiter not decided yet."""
        seen: Seen = {}
        while at_end or pos < len(text):
            if found is None:
                found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, _, _ = found
            found = None
            if start > pos:
                self._take(text[pos:start], events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._close(events)
                break
            self._close(events)
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
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = _CHUNKS[self._state].copy()
        event["text"] = text
        events.append(event)

    def _close(self, events: list[Event]) -> None:
        """Give the open region its value, if there is one."""
        state = self._state
        if state == _OUTSIDE:
            return
        field = _CHUNKS[state]["field"]
        body = self._take_body()
        try:
            value = self._ENDS[state](self, body)
        except Exception as error:
            raise region_error(error, field, self._offset, body) from error
        self._state = _OUTSIDE
        self._offset += len(body)
        events.append({"type": "region_close", "field": field, "value": value})

    def _take_body(self) -> str:
        """Give what there is of the body of the open region."""
        body = "".join(self._parts)
        self._parts.clear()
        if self._blocks:
            body = "".join(self._blocks) + body
            self._blocks.clear()
        return body

    def finish(self, text: str) -> Message:
        """Take all that is still to come at once, and give the message without events."""
        self._require_open()
        text = self._held + text
        pos = 0
        state, self._state = self._state, _FAILED
        begun = self._take_body()
        offset = self._offset + len(begun)
        seen: Seen = {}
        while True:
            action, start, end, _, _ = _FINDERS[state](text, pos, True, seen)
            if state == _OUTSIDE and start > pos:
                state = _IN_FIELD
            if state != _OUTSIDE:
                body = begun + text[pos:start]
                try:
                    self._ENDS[state](self, body)
                except Exception as error:
                    place = offset + pos - len(begun)
                    raise region_error(error, _CHUNKS[state]["field"], place, body) from error
                begun = ""
            if action == NOTHING:
                break
            pos = end
            state = action if action != CLOSE else _OUTSIDE
        message = self._finished_message()
        self._state = _FINISHED
        return message

    def _end_class(self, body: str) -> str:
        value = body.strip()
        self._message.setdefault("class", []).append(value)
        return value

    def _end_init(self, body: str) -> str:
        value = body.strip()
        self._message["__init__"] = value
        return value

    def _end_self(self, body: str) -> Any:
        value: Any = parse_json(body)
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message["self"] = value
        return value

    def _end_feed(self, body: str) -> str:
        value = body.strip()
        self._message["feed"] = value
        return value

    def _end_a_b_c_d(self, body: str) -> str:
        value = body.strip()
        self._message["a'b\"c\\d\n"] = value
        return value

    def _end_na_ve(self, body: str) -> str:
        value = body.strip()
        self._message["naïve-имя 名"] = value
        return value

    def _end_x(self, body: str) -> str:
        value = body.strip()
        self._message["{x}"] = value
        return value

    def _end_1(self, body: str) -> str:
        value = body.strip()
        self._message["1"] = value
        return value

    def _end_field(self, body: str) -> str:
        value = body.strip()
        self._message[""] = value
        return value

    _ENDS: Final = {
        _IN_CLASS: _end_class,
        _IN_INIT: _end_init,
        _IN_SELF: _end_self,
        _IN_FEED: _end_feed,
        _IN_A_B_C_D: _end_a_b_c_d,
        _IN_NA_VE: _end_na_ve,
        _IN_X: _end_x,
        _IN_1: _end_1,
        _IN_FIELD: _end_field,
    }


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
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many calls.

    Returns:
        The message, or a list of as many.
    """
    texts = text if isinstance(text, list) else [text]
    messages = [_parse_one(each, before, tools) for each, before in with_prefixes(texts, prefix)]
    return messages if isinstance(text, list) else messages[0]


def _parse_one(text: str, prefix: str, tools: Tools | None) -> Message:
    return ResponseParser(prefix, tools=tools).finish(text)
