# Compiled by respc from captures.json. Do not edit: change the template and compile it again.
# Template sha256: e32adaf3f24b39a51e8c202f8f009a8b8cf3aa458a4ef33213ffb4b1f384351b
# ABI of respc_runtime: 1
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import (
    CLOSE,
    NOTHING,
    Candidate,
    Found,
    after_last,
    earliest,
    held_from,
    named_groups,
    proper_prefixes,
)
from respc_runtime.errors import MissingPrefixError, ParserStateError, region_error
from respc_runtime.json_bodies import parse_json
from respc_runtime.patterns import compile_pattern, search_pattern
from respc_runtime.tools import cast_arguments, tool_parameters
from respc_runtime.transforms import captured, descend, element, is_empty, records

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

_EACH_OPEN: Final = compile_pattern(r"%(?P<a>\w)(?P<z>\w)?%")
_ITEMS_OPEN: Final = compile_pattern(r"<(?P<kind>\w+)(?: id=(?P<id>\d+))?>")
_LITERAL_OPEN_PREFIXES: Final = proper_prefixes("!!")
_SHADOW_OPEN: Final = compile_pattern(r"\[(?P<content>\w+):")
_TEXT_CLOSE: Final = compile_pattern("=(?P<mark>[a-z])=")
_EACH_PREFIXES: Final = proper_prefixes("%%")
_ITEMS_CLOSE: Final = compile_pattern(r"</(?P<end>\w+)(?: id=(?P<id>\d+))?>")
_LITERAL_PREFIXES: Final = proper_prefixes("??")
_SHADOW_PREFIXES: Final = proper_prefixes("]")

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


def _find_outside(text: str, pos: int, at_end: bool) -> Found:
    hold = len(text)
    candidates: list[Candidate] = []
    # r"%(?P<a>\w)(?P<z>\w)?%" opens "each"
    first = text.find("%", pos)
    if first >= 0:
        match, held = search_pattern(_EACH_OPEN, text, first, at_end)
        hold = min(hold, held)
        if match is not None:
            candidates.append((match.start(), match.start() - match.end(), _IN_EACH, match))
    # r"<(?P<kind>\w+)(?: id=(?P<id>\d+))?>" opens "items"
    first = text.find("<", pos)
    if first >= 0:
        match, held = search_pattern(_ITEMS_OPEN, text, first, at_end)
        hold = min(hold, held)
        if match is not None:
            candidates.append((match.start(), match.start() - match.end(), _IN_ITEMS, match))
    # "!!" opens "literal"
    start = text.find("!!", pos)
    if start < 0:
        if not at_end:
            hold = min(hold, held_from(text, pos, _LITERAL_OPEN_PREFIXES, 1))
    else:
        candidates.append((start, -2, _IN_LITERAL, None))
    # r"\[(?P<content>\w+):" opens "shadow"
    first = text.find("[", pos)
    if first >= 0:
        match, held = search_pattern(_SHADOW_OPEN, text, first, at_end)
        hold = min(hold, held)
        if match is not None:
            candidates.append((match.start(), match.start() - match.end(), _IN_SHADOW, match))
    # "=(?P<mark>[a-z])=" closes "text"
    first = text.find("=", pos)
    if first >= 0:
        match, held = search_pattern(_TEXT_CLOSE, text, first, at_end)
        hold = min(hold, held)
        if match is not None:
            candidates.append((match.start(), match.start() - match.end(), CLOSE, match))
    return earliest(candidates, hold)


def _find_end_of_each(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("%%", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _EACH_PREFIXES, 1)
        return NOTHING, start, start, None
    return CLOSE, start, start + 2, None


def _find_end_of_items(text: str, pos: int, at_end: bool) -> Found:
    first = text.find("<", pos)
    if first < 0:
        return NOTHING, len(text), len(text), None
    match, hold = search_pattern(_ITEMS_CLOSE, text, first, at_end)
    # A match at the very end of the text never counts.
    if match is None or match.start() >= hold:
        return NOTHING, hold, hold, None
    return CLOSE, match.start(), match.end(), match


def _find_end_of_literal(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("??", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _LITERAL_PREFIXES, 1)
        return NOTHING, start, start, None
    return CLOSE, start, start + 2, None


def _find_end_of_shadow(text: str, pos: int, at_end: bool) -> Found:
    start = text.find("]", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, _SHADOW_PREFIXES, 0)
        return NOTHING, start, start, None
    return CLOSE, start, start + 1, None


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_each,
    _find_end_of_items,
    _find_end_of_literal,
    _find_end_of_shadow,
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
        if prefix and (begun := after_last(prefix, "A:")):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "%" not in text and "<" not in text and "?" not in text:
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
            if action == CLOSE:
                self._captures.update(named_groups(match))
            self._CLOSERS[self._state](self, events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                self._captures = named_groups(match)
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
                continue
            self._captures = {}
        self._held = text[pos:]
        if pos == len(text) and not at_end and self._state in (_IN_EACH, _IN_ITEMS, _IN_LITERAL):
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_TEXT
            events.append({"type": "region_open", "field": "text"})
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

    def _close_items(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
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
        except Exception as error:
            raise region_error(error, "items", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "items", "value": value})

    def _close_shadow(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            content = body.strip()
            value: Any = [content]
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message["shadow"] = value
        except Exception as error:
            raise region_error(error, "shadow", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "shadow", "value": value})

    def _close_each(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
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
        except Exception as error:
            raise region_error(error, "each", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "each", "value": value})

    def _close_literal(self, events: list[Event]) -> None:
        self._take_body()
        value = "always this"
        self._message["literal"] = value
        events.append({"type": "region_close", "field": "literal", "value": value})

    def _close_text(self, events: list[Event]) -> None:
        body = self._take_body()
        try:
            content = body.strip()
            value: Any = {"text": content, "mark": captured(self._captures, "mark")}
            if self._parameters:
                value = cast_arguments(value, self._parameters)
            self._message.setdefault("text", []).append(value)
        except Exception as error:
            raise region_error(error, "text", self._offset - len(body), body) from error
        events.append({"type": "region_close", "field": "text", "value": value})

    _CLOSERS: Final = (
        _close_nothing,
        _close_text,
        _close_each,
        _close_items,
        _close_literal,
        _close_shadow,
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
