# Compiled by respc from captures.json. Do not edit: change the template and compile it again.
# Template sha256: e32adaf3f24b39a51e8c202f8f009a8b8cf3aa458a4ef33213ffb4b1f384351b
# ABI of respc_runtime: 2
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.alternatives import seek_ways
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import (
    CLOSE,
    LONG_HELD,
    NOTHING,
    UNDECIDED,
    Wake,
    after_last,
    beginnings,
    held_from,
    undecided,
)
from respc_runtime.errors import MissingPrefixError, ParserStateError, region_error
from respc_runtime.heads import Heads, find_by_head
from respc_runtime.json_bodies import parse_json
from respc_runtime.patterns import compile_pattern
from respc_runtime.seeking import (
    MATCH,
    MISMATCH,
    PENDING,
    Awaited,
    Found,
    Matched,
    Memo,
    Seen,
    Sought,
    seek_literal,
    seek_steps,
    settled,
    skip_run,
    unfinished,
)
from respc_runtime.tools import cast_arguments, prepare_tools, tool_parameters
from respc_runtime.transforms import captured, descend, element, records

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

Field: TypeAlias = Literal["items", "shadow", "each", "literal", "text"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    items: list[dict[str, Any]]
    shadow: list[Any]
    each: list[dict[str, Any]]
    literal: str
    text: list[dict[str, Any]]


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
_IN_TEXT: Final = 1
_IN_EACH: Final = 2
_IN_ITEMS: Final = 3
_IN_LITERAL: Final = 4
_IN_SHADOW: Final = 5

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_EACH_OPEN_RUN: Final = compile_pattern(r"[\w]{0,1}")
_EACH_OPEN_RUN_2: Final = compile_pattern(r"[\w]{0,1}")
_EACH_OPEN_RUN_3: Final = compile_pattern(r"[\w]{0,1}")
_EACH_OPEN_HEADS: Final = re.compile("%")
_ITEMS_OPEN_RUN: Final = compile_pattern(r"[\w]*")
_ITEMS_OPEN_RUN_END: Final = compile_pattern(r"[^\w]")
_ITEMS_OPEN_WAKE: Final[Wake] = (_ITEMS_OPEN_RUN_END.search, 0)
_ITEMS_OPEN_RUN_2: Final = compile_pattern(r"[\d]*")
_ITEMS_OPEN_RUN_END_2: Final = compile_pattern(r"[^\d]")
_ITEMS_OPEN_WAKE_2: Final[Wake] = (_ITEMS_OPEN_RUN_END_2.search, 0)
_ITEMS_OPEN_RUN_3: Final = compile_pattern(r"[\w]*")
_ITEMS_OPEN_RUN_END_3: Final = compile_pattern(r"[^\w]")
_ITEMS_OPEN_WAKE_3: Final[Wake] = (_ITEMS_OPEN_RUN_END_3.search, 0)
_ITEMS_OPEN_HEADS: Final = re.compile("<")
_SHADOW_OPEN_RUN: Final = compile_pattern(r"[\w]*")
_SHADOW_OPEN_RUN_END: Final = compile_pattern(r"[^\w]")
_SHADOW_OPEN_WAKE: Final[Wake] = (_SHADOW_OPEN_RUN_END.search, 0)
_TEXT_CLOSE_RUN: Final = re.compile("[abcdefghijklmnopqrstuvwxyz]{0,1}")
_ITEMS_CLOSE_RUN: Final = compile_pattern(r"[\w]*")
_ITEMS_CLOSE_RUN_END: Final = compile_pattern(r"[^\w]")
_ITEMS_CLOSE_WAKE: Final[Wake] = (_ITEMS_CLOSE_RUN_END.search, 0)
_ITEMS_CLOSE_RUN_2: Final = compile_pattern(r"[\d]*")
_ITEMS_CLOSE_RUN_END_2: Final = compile_pattern(r"[^\d]")
_ITEMS_CLOSE_WAKE_2: Final[Wake] = (_ITEMS_CLOSE_RUN_END_2.search, 0)
_ITEMS_CLOSE_RUN_3: Final = compile_pattern(r"[\w]*")
_ITEMS_CLOSE_RUN_END_3: Final = compile_pattern(r"[^\w]")
_ITEMS_CLOSE_WAKE_3: Final[Wake] = (_ITEMS_CLOSE_RUN_END_3.search, 0)
_ITEMS_CLOSE_HEADS: Final = re.compile("</")
_SHADOW_BEGINNINGS: Final = beginnings("]")

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_TEXT: {
        "type": "region_chunk",
        "field": "text",
        "text": "",
        "dirty": False,
    },
    _IN_EACH: {
        "type": "region_chunk",
        "field": "each",
        "text": "",
        "dirty": True,
    },
    _IN_ITEMS: {
        "type": "region_chunk",
        "field": "items",
        "text": "",
        "dirty": False,
    },
    _IN_LITERAL: {
        "type": "region_chunk",
        "field": "literal",
        "text": "",
        "dirty": False,
    },
    _IN_SHADOW: {
        "type": "region_chunk",
        "field": "shadow",
        "text": "",
        "dirty": False,
    },
}


def _match_each_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    a_start = place
    begin = place
    place = skip_run(text, place, _EACH_OPEN_RUN)
    if place == len(text):
        return PENDING, begin, None, None
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    a_end = place
    begin = place
    place = skip_run(text, place, _EACH_OPEN_RUN_2)
    if place == len(text):
        return PENDING, begin, None, None
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("%", place):
        return unfinished(text, place, "%", start + 1)
    place += 1
    return MATCH, place, {"a": text[a_start:a_end]}, None


def _match_each_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    a_start = place
    begin = place
    place = skip_run(text, place, _EACH_OPEN_RUN_3)
    if place == len(text):
        return PENDING, begin, None, None
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    a_end = place
    if not text.startswith("%", place):
        return unfinished(text, place, "%", start + 1)
    place += 1
    return MATCH, place, {"a": text[a_start:a_end]}, None


# '%(?P<a>\\w)(?P<z>\\w)?%' opens 'each'
def _seek_each_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _EACH_OPEN_HEADS,
            (
                (0, "%", _match_each_open, "", "", None),
                (1, "%", _match_each_open_2, "", "", None),
            ),
        ),
    )


def _match_items_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    kind_start = place
    begin = place
    place = skip_run(text, place, _ITEMS_OPEN_RUN)
    if place == len(text):
        return PENDING, begin, None, _ITEMS_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    kind_end = place
    if not text.startswith(" id=", place):
        return unfinished(text, place, " id=", place)
    place += 4
    id_start = place
    begin = place
    place = skip_run(text, place, _ITEMS_OPEN_RUN_2)
    if place == len(text):
        return PENDING, begin, None, _ITEMS_OPEN_WAKE_2
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    id_end = place
    if not text.startswith(">", place):
        return unfinished(text, place, ">", start + 1)
    place += 1
    return MATCH, place, {"kind": text[kind_start:kind_end], "id": text[id_start:id_end]}, None


def _match_items_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    kind_start = place
    begin = place
    place = skip_run(text, place, _ITEMS_OPEN_RUN_3)
    if place == len(text):
        return PENDING, begin, None, _ITEMS_OPEN_WAKE_3
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    kind_end = place
    if not text.startswith(">", place):
        return unfinished(text, place, ">", place)
    place += 1
    return MATCH, place, {"kind": text[kind_start:kind_end]}, None


# '<(?P<kind>\\w+)(?: id=(?P<id>\\d+))?>' opens 'items'
def _seek_items_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _ITEMS_OPEN_HEADS,
            (
                (0, "<", _match_items_open, "", "", None),
                (1, "<", _match_items_open_2, "", "", None),
            ),
        ),
    )


# '!!' opens 'literal'
def _seek_literal_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_literal(text, pos, at_end, "!!", False)


def _match_shadow_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    begin = place
    place = skip_run(text, place, _SHADOW_OPEN_RUN)
    if place == len(text):
        return PENDING, begin, None, _SHADOW_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith(":", place):
        return unfinished(text, place, ":", place)
    place += 1
    return MATCH, place, None, None


# '\\[(?P<content>\\w+):' opens 'shadow'
def _seek_shadow_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(text, at_end, seek_steps(text, pos, at_end, "[", _match_shadow_open))


def _match_text_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    mark_start = place
    begin = place
    place = skip_run(text, place, _TEXT_CLOSE_RUN)
    if place == len(text):
        return PENDING, begin, None, None
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    mark_end = place
    if not text.startswith("=", place):
        return unfinished(text, place, "=", start + 1)
    place += 1
    return MATCH, place, {"mark": text[mark_start:mark_end]}, None


# '=(?P<mark>[a-z])=' closes 'text'
def _seek_text_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(text, at_end, seek_steps(text, pos, at_end, "=", _match_text_close))


_OUTSIDE_SEEKERS: Final = (
    (_seek_each_open, _IN_EACH, True),
    (_seek_items_open, _IN_ITEMS, True),
    (_seek_literal_open, _IN_LITERAL, True),
    (_seek_shadow_open, _IN_SHADOW, True),
    (_seek_text_close, CLOSE, True),
)


_OUTSIDE_HEADS: Final = Heads(
    {
        "%": (
            _IN_EACH,
            (
                _match_each_open,
                _match_each_open_2,
            ),
            False,
            True,
        ),
        "<": (
            _IN_ITEMS,
            (
                _match_items_open,
                _match_items_open_2,
            ),
            False,
            True,
        ),
        "!!": (_IN_LITERAL, (), False, False),
        "[": (_IN_SHADOW, (_match_shadow_open,), False, True),
        "=": (CLOSE, (_match_text_close,), False, True),
    }
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head(text, pos, at_end, seen, _OUTSIDE_HEADS, _OUTSIDE_SEEKERS)


def _find_end_of_each(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("%%", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "%%")
        return NOTHING, start, start, None, None
    end = start + 2
    return CLOSE, start, end, None, None


def _match_items_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 2
    end_start = place
    begin = place
    place = skip_run(text, place, _ITEMS_CLOSE_RUN)
    if place == len(text):
        return PENDING, begin, None, _ITEMS_CLOSE_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    end_end = place
    if not text.startswith(" id=", place):
        return unfinished(text, place, " id=", place - 1)
    place += 4
    id_start = place
    begin = place
    place = skip_run(text, place, _ITEMS_CLOSE_RUN_2)
    if place == len(text):
        return PENDING, begin, None, _ITEMS_CLOSE_WAKE_2
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    id_end = place
    if not text.startswith(">", place):
        return unfinished(text, place, ">", start + 1)
    place += 1
    return MATCH, place, {"end": text[end_start:end_end], "id": text[id_start:id_end]}, None


def _match_items_close_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 2
    end_start = place
    begin = place
    place = skip_run(text, place, _ITEMS_CLOSE_RUN_3)
    if place == len(text):
        return PENDING, begin, None, _ITEMS_CLOSE_WAKE_3
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    end_end = place
    if not text.startswith(">", place):
        return unfinished(text, place, ">", place - 1)
    place += 1
    return MATCH, place, {"end": text[end_start:end_end]}, None


# '</(?P<end>\\w+)(?: id=(?P<id>\\d+))?>' closes 'items'
def _seek_items_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _ITEMS_CLOSE_HEADS,
            (
                (0, "</", _match_items_close, "", "", None),
                (1, "</", _match_items_close_2, "", "", None),
            ),
        ),
    )


_ITEMS_SEEKERS: Final = ((_seek_items_close, CLOSE, True),)


_ITEMS_HEADS: Final = Heads(
    {
        "</": (
            CLOSE,
            (
                _match_items_close,
                _match_items_close_2,
            ),
            False,
            True,
        )
    }
)


def _find_end_of_items(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head(text, pos, at_end, seen, _ITEMS_HEADS, _ITEMS_SEEKERS)


def _hold_items(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _ITEMS_HEADS.begun:
        start = len(text)
    return start


def _find_end_of_literal(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("??", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "??")
        return NOTHING, start, start, None, None
    end = start + 2
    return CLOSE, start, end, None, None


def _find_end_of_shadow(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("]", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "]")
        return NOTHING, start, start, None, None
    end = start + 1
    return CLOSE, start, end, None, None


def _hold_shadow(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "]" in text:
        return UNDECIDED
    start = text.rfind("]")
    if text[start:] not in _SHADOW_BEGINNINGS:
        start = len(text)
    return start


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_each,
    _find_end_of_items,
    _find_end_of_literal,
    _find_end_of_shadow,
)

_HOLDS: Final = (
    undecided,
    undecided,
    undecided,
    _hold_items,
    undecided,
    _hold_shadow,
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
        "_awaited",
        "_blocks",
        "_captures",
        "_chunk",
        "_held",
        "_message",
        "_offset",
        "_parameters",
        "_parts",
        "_state",
        "_waiting",
        "initial_events",
    )

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if prefix is None:
            raise MissingPrefixError
        self._parameters = tool_parameters(tools)
        self._state: int = _OUTSIDE
        self._chunk: RegionChunk | None = None
        self._held: str = ""
        self._awaited: Awaited | None = None
        self._waiting: list[str] = []
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._captures: dict[str, str] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last(prefix, "A:")):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "%" not in text and "<" not in text and "?" not in text:
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            event = chunk.copy()
            event["text"] = text
            return [event]
        try:
            if self._awaited is not None:
                if not self._awaited.comes_with(text or ""):
                    self._waiting.append(text or "")
                    return []
                self._take_waiting()
            text = self._held + (text or "")
        except TypeError:
            self._state = _FAILED
            self._awaited = None
            raise
        state = self._state
        if state < 0:
            return self._advance(text, False)
        end = _HOLDS[state](text)
        if end < 0:
            found = _FINDERS[state](text, 0, False, {})
            end = found[1]
            if found[0] != NOTHING or len(text) - end >= LONG_HELD:
                return self._advance(text, False, found)
        # No delimiter is whole: only the end of the text may have begun one.
        self._held = text[end:]
        if end == 0:
            self._chunk = None
            return []
        opens = state == _OUTSIDE
        if opens:
            state = self._state = _IN_TEXT
        chunk = _CHUNKS[state]
        self._chunk = (
            chunk
            if end == len(text) and self._state in (_IN_EACH, _IN_ITEMS, _IN_LITERAL)
            else None
        )
        text = text[:end]
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = chunk.copy()
        event["text"] = text
        if opens:
            return [{"type": "region_open", "field": "text"}, event]
        return [event]

    def _take_waiting(self) -> None:
        """Add the chunks that waited to the text before them."""
        self._held = "".join((self._held, *self._waiting))
        self._waiting.clear()
        self._awaited = None

    def _fold(self) -> None:
        """Join the parts of the body: each string costs more than its characters."""
        self._blocks.append("".join(self._parts))
        self._parts.clear()

    def finalize(self) -> tuple[Message, list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        self._take_waiting()
        events = self._advance(self._held, True)
        message = self._finished_message()
        self._state = _FINISHED
        return message, events

    def _finished_message(self) -> Message:
        message = {key: value for key, value in self._message.items() if key == "role" or value}
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
        wake: Wake | None = None
        while at_end or pos < len(text):
            if found is None:
                found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, groups, wake = found
            found = None
            if start > pos:
                self._take(text[pos:start], events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._close(events)
                break
            if action == CLOSE:
                self._captures.update(groups or {})
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                self._captures = groups or {}
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
                continue
            self._captures = {}
        self._held = text[pos:]
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end and self._state in (_IN_EACH, _IN_ITEMS, _IN_LITERAL):
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_TEXT
            events.append({"type": "region_open", "field": "text"})
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
        self._take_waiting()
        text = self._held + text
        pos = 0
        state, self._state = self._state, _FAILED
        begun = self._take_body()
        offset = self._offset + len(begun)
        seen: Seen = {}
        while True:
            action, start, end, groups, _ = _FINDERS[state](text, pos, True, seen)
            if state == _OUTSIDE and start > pos:
                state = _IN_TEXT
            if action == CLOSE:
                self._captures.update(groups or {})
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
            if action != CLOSE:
                state = action
                self._captures = groups or {}
            else:
                state = _OUTSIDE
                self._captures = {}
        message = self._finished_message()
        self._state = _FINISHED
        return message

    def _end_items(self, body: str) -> Any:
        content = body.strip()
        value: Any = {
            "kind": self._captures["kind"],
            "id": captured(self._captures, "id"),
            "end": captured(self._captures, "end"),
            "body": content,
            "fixed": [1, True, None, 1.5, "plain", "{", "{}", "{a b}"],
        }
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message.setdefault("items", []).append(value)
        return value

    def _end_shadow(self, body: str) -> Any:
        content = body.strip()
        value: Any = [content]
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message["shadow"] = value
        return value

    def _end_each(self, body: str) -> Any:
        content = parse_json(body)
        value: Any = [
            {
                "{a}": element(record, "a"),
                "list": [[descend(element(record, "b"), "b.c", "c")], element(record, "a")],
            }
            for record in ({**self._captures, **record} for record in records(content))
        ]
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message["each"] = value
        return value

    def _end_literal(self, body: str) -> str:
        value = "always this"
        self._message["literal"] = value
        return value

    def _end_text(self, body: str) -> Any:
        content = body.strip()
        value: Any = {"text": content, "mark": captured(self._captures, "mark")}
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message.setdefault("text", []).append(value)
        return value

    _ENDS: Final = {
        _IN_ITEMS: _end_items,
        _IN_SHADOW: _end_shadow,
        _IN_EACH: _end_each,
        _IN_LITERAL: _end_literal,
        _IN_TEXT: _end_text,
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
