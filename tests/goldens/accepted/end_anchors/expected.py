# Compiled by respc from end_anchors.json. Do not edit: change the template and compile it again.
# Template sha256: 4b5780a759bbecce4f76bfd8543a0372144d0552aedfa31ee436a55e111acfc5
# ABI of respc_runtime: 2
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import CLOSE, LONG_HELD, NOTHING, Wake, after_last_match, held_from
from respc_runtime.errors import MissingPrefixError, ParserStateError
from respc_runtime.patterns import compile_pattern, seek_pattern
from respc_runtime.seeking import (
    BLANK_RUN,
    BLANKS_END,
    MATCH,
    Awaited,
    Found,
    Matched,
    Memo,
    Seen,
    Sought,
    earliest,
    nothing_sought,
    or_end,
    seek_at_start,
    seek_steps,
    settled,
    skip_run,
    unfinished,
)
from respc_runtime.tools import prepare_tools, tool_parameters

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

Field: TypeAlias = Literal["head", "line", "tail", "body"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    head: str
    line: list[str]
    tail: str
    body: str


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
_IN_BODY: Final = 1
_IN_HEAD: Final = 2
_IN_LINE: Final = 3
_IN_TAIL: Final = 4

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_LINE_OPEN: Final = compile_pattern(r"\bitem\b")
_TAIL_OPEN: Final = compile_pattern(r"--\Z")
_LINE_CLOSE: Final = compile_pattern(r"(?<=;)|\Z")
_ANCHOR: Final = compile_pattern(r"(?<=\n|^)bot:")

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_BODY: {
        "type": "region_chunk",
        "field": "body",
        "text": "",
        "dirty": False,
    },
    _IN_HEAD: {
        "type": "region_chunk",
        "field": "head",
        "text": "",
        "dirty": False,
    },
    _IN_LINE: {
        "type": "region_chunk",
        "field": "line",
        "text": "",
        "dirty": False,
    },
    _IN_TAIL: {
        "type": "region_chunk",
        "field": "tail",
        "text": "",
        "dirty": False,
    },
}


def _match_head_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    if not text.startswith("#", place):
        return unfinished(text, place, "#", start + 1)
    place += 1
    return MATCH, place, None, None


# '^#' opens 'head'
def _seek_head_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(text, at_end, seek_at_start(text, pos, at_end, _match_head_open))


# '\\bitem\\b' opens 'line'
def _seek_line_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_pattern(text, pos, at_end, _LINE_OPEN, "i", reach=8)


# '--\\Z' opens 'tail'
def _seek_tail_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_pattern(text, pos, at_end, _TAIL_OPEN, "-", reach=4)


def _match_body_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 5
    place = skip_run(text, place, BLANK_RUN)
    return MATCH, place, None, BLANKS_END


# '<end>\\s*|$' closes 'body'
def _seek_body_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        or_end(text, pos, at_end, seek_steps(text, pos, at_end, "<end>", _match_body_close), True),
    )


_OUTSIDE_SEEKERS: Final = (
    (_seek_head_open, _IN_HEAD, True),
    (_seek_line_open, _IN_LINE, True),
    (_seek_tail_open, _IN_TAIL, True),
    (_seek_body_close, CLOSE, True),
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _OUTSIDE_SEEKERS)


# '$' closes 'head'
def _seek_head_close(text: str, pos: int, at_end: bool) -> Sought:
    return or_end(text, pos, at_end, nothing_sought(text), True)


_HEAD_SEEKERS: Final = ((_seek_head_close, CLOSE, True),)


def _find_end_of_head(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _HEAD_SEEKERS)


# '(?<=;)|\\Z' closes 'line'
def _seek_line_close(text: str, pos: int, at_end: bool) -> Sought:
    return seek_pattern(text, pos, at_end, _LINE_CLOSE, reach=3)


_LINE_SEEKERS: Final = ((_seek_line_close, CLOSE, True),)


def _find_end_of_line(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _LINE_SEEKERS)


def _find_end_of_tail(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("never", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "never")
        return NOTHING, start, start, None, None
    end = start + 5
    return CLOSE, start, end, None, None


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_head,
    _find_end_of_line,
    _find_end_of_tail,
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
        "_chunk",
        "_message",
        "_offset",
        "_parts",
        "_pos",
        "_state",
        "_text",
        "_waiting",
        "initial_events",
    )

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if prefix is None:
            raise MissingPrefixError
        tool_parameters(tools)
        self._state: int = _OUTSIDE
        self._chunk: RegionChunk | None = None
        self._text: str = ""
        self._pos = 0
        self._awaited: Awaited | None = None
        self._waiting: list[str] = []
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last_match(prefix, _ANCHOR)):
            self.initial_events = self._advance(begun, 0, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and "-" not in text
            and "<" not in text
            and "i" not in text
            and not (text[-1] == "\n" and self._state in (_IN_BODY, _IN_HEAD))
        ):
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            self._text = text
            self._pos = len(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        try:
            if self._awaited is not None:
                if not self._awaited.comes_with(text or ""):
                    self._waiting.append(text or "")
                    return []
                self._take_waiting()
            text = self._text + (text or "")
        except TypeError:
            self._state = _FAILED
            self._awaited = None
            raise
        return self._advance(text, self._pos, False)

    def _take_waiting(self) -> None:
        """Add the chunks that waited to the text before them."""
        self._text = "".join((self._text, *self._waiting))
        self._waiting.clear()
        self._awaited = None

    def _fold(self) -> None:
        """Join the parts of the body: each string costs more than its characters."""
        self._blocks.append("".join(self._parts))
        self._parts.clear()

    def finalize(self) -> tuple[Message, list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        self._take_waiting()
        events = self._advance(self._text, self._pos, True)
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

    def _advance(
        self, text: str, pos: int, at_end: bool, found: Found | None = None
    ) -> list[Event]:
        """Cut off the known text what is decided; ``found`` is its first delimiter, if known."""
        self._require_open()
        events: list[Event] = []
        self._chunk = None
        try:
            self._cut(text, pos, at_end, found, events)
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
        while True:
            if found is None:
                found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, _, wake = found
            found = None
            if start > pos:
                self._take(text[pos:start], events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._close(events)
                break
            opened = self._state != _OUTSIDE
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
                continue
            if not opened and start == end:
                # An empty closer of a region that holds nothing: the rest waits for the next call.
                break
        # Patterns look back at no more of the consumed text than its last 1 characters.
        context = max(pos - 1, 0)
        self._text, self._pos = text[context:], pos - context
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end and self._state in (_IN_BODY, _IN_HEAD):
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_BODY
            events.append({"type": "region_open", "field": "body"})
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
        value = self._ENDS[state](self, body)
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
        self.feed(text)
        return self.finalize()[0]

    def _end_head(self, body: str) -> str:
        value = body.strip()
        self._message["head"] = value
        return value

    def _end_line(self, body: str) -> str:
        value = body.strip()
        self._message.setdefault("line", []).append(value)
        return value

    def _end_tail(self, body: str) -> str:
        value = body.strip()
        self._message["tail"] = value
        return value

    def _end_body(self, body: str) -> str:
        value = body.strip()
        joined = self._message.get("body")
        if joined is None:
            joined = value
        else:
            # A string that nothing else holds grows in place. (`+=` would extend a list as well.)
            self._message["body"] = None
            joined = joined + "|"
            joined = joined + value
        self._message["body"] = joined
        return value

    _ENDS: Final = {
        _IN_HEAD: _end_head,
        _IN_LINE: _end_line,
        _IN_TAIL: _end_tail,
        _IN_BODY: _end_body,
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
