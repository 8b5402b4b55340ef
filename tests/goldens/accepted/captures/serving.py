# Compiled by respc from qwen_coder.json. Do not edit: change the template and compile it again.
# Template sha256: 2e9b357be924d4f6d18257a720e29fb0ceff1cae01857e791fccff45f57c104a
# ABI of respc_runtime: 3
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import CLOSE, LONG_HELD, NOTHING, UNDECIDED, Wake, after_last
from respc_runtime.errors import (
    MALFORMED,
    MissingPrefixError,
    ParserStateError,
    ResponseError,
    malformed_error,
    region_error,
)
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.heads import Heads, before_blanks
from respc_runtime.json_bodies import json_or_text
from respc_runtime.seeking import (
    BLANK_RUN,
    BLANKS,
    BLANKS_END,
    MATCH,
    MISMATCH,
    PENDING,
    Awaited,
    Found,
    Matched,
    Memo,
    Seen,
    Sought,
    find_known,
    found_tags,
    seek_literal,
    skip_known_run,
    skip_run,
    unfinished,
)
from respc_runtime.stable import GROWING, find_by_head_stably, seek_steps_stably
from respc_runtime.tools import cast_arguments, prepare_tools, tool_parameters

require_abi(3, __name__)

__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionMalformed",
    "RegionOpen",
    "ResponseParser",
    "parse_response",
    "prepare_tools",
]

Field: TypeAlias = Literal["reasoning_content", "tool_calls", "content"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    reasoning_content: str
    tool_calls: list[dict[str, Any]]
    content: str


class _Opened(TypedDict):
    type: Literal["region_open"]
    field: Field
    start: int
    end: int


class RegionOpen(_Opened, total=False):
    """A region began: ``captures`` are the named groups of its opener; the implicit region has none."""

    captures: dict[str, str]


class RegionChunk(TypedDict):
    """Text of the open region: a piece of its value or, where ``dirty``, raw text to parse."""

    type: Literal["region_chunk"]
    field: Field
    text: str
    dirty: bool


class RegionClose(TypedDict):
    """The region ended with this value; not ``closed``: because the stream ended."""

    type: Literal["region_close"]
    field: Field
    start: int
    end: int
    value: Any
    closed: bool


class RegionMalformed(TypedDict):
    """The region ended, and its value could not be read."""

    type: Literal["region_malformed"]
    field: Field
    start: int
    end: int
    error: ResponseError


Event: TypeAlias = RegionOpen | RegionChunk | RegionClose | RegionMalformed

# Where a parser can be.
_FAILED: Final = -2
_FINISHED: Final = -1
_OUTSIDE: Final = 0
_IN_CONTENT: Final = 1
_IN_REASONING_CONTENT: Final = 2
_IN_TOOL_CALLS: Final = 3

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_TOOL_CALLS_OPEN_RUN: Final = re.compile("[^>" + BLANKS + "]*")
_TOOL_CALLS_OPEN_RUN_END: Final = re.compile("[>" + BLANKS + "]")
_TOOL_CALLS_OPEN_WAKE: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END.search, 0)
_TOOL_CALLS_TAG_RUN: Final = re.compile("[^>]*")
_TOOL_CALLS_TAG_RUN_END: Final = re.compile("[>]")
_TOOL_CALLS_TAG_WAKE: Final[Wake] = (_TOOL_CALLS_TAG_RUN_END.search, 0)
_TOOL_CALLS_TAG_RUN_2: Final = re.compile("[\n]{0,1}")
_TOOL_CALLS_TAG_GAP_END: Final = re.compile("</parameter>")
_TOOL_CALLS_TAG_WAKE_2: Final[Wake] = (_TOOL_CALLS_TAG_GAP_END.search, 11)

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_CONTENT: {
        "type": "region_chunk",
        "field": "content",
        "text": "",
        "dirty": False,
    },
    _IN_REASONING_CONTENT: {
        "type": "region_chunk",
        "field": "reasoning_content",
        "text": "",
        "dirty": False,
    },
    _IN_TOOL_CALLS: {
        "type": "region_chunk",
        "field": "tool_calls",
        "text": "",
        "dirty": True,
    },
}


# '<think>' opens 'reasoning_content'
def _seek_reasoning_content_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_literal(text, pos, at_end, "<think>", False)


def _match_tool_calls_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 11
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("<function=", place):
        return unfinished(text, place, "<function=", place - 10)
    place += 10
    name_start = place
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN, memo, 0)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    name_end = place
    if not text.startswith(">", place):
        return unfinished(text, place, ">", start + 1)
    place += 1
    return MATCH, place, {"name": text[name_start:name_end]}, None


# '\\s*<tool_call>\\s*<function=(?P<name>[^>\\s]+)>' opens 'tool_calls'
def _seek_tool_calls_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_steps_stably(
        text,
        pos,
        at_end,
        "<tool_call>",
        _match_tool_calls_open,
        before=BLANKS,
        before_wake=BLANKS_END,
    )


def _match_content_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 10
    place = skip_run(text, place, BLANK_RUN)
    return GROWING if place == len(text) else MATCH, place, None, BLANKS_END


# '\\s*<\\|im_end\\|>\\s*' closes 'content'
def _seek_content_close(text: str, pos: int, at_end: bool) -> Sought:
    return seek_steps_stably(
        text, pos, at_end, "<|im_end|>", _match_content_close, before=BLANKS, before_wake=BLANKS_END
    )


_OUTSIDE_SEEKERS: Final = (
    (_seek_reasoning_content_open, _IN_REASONING_CONTENT, True),
    (_seek_tool_calls_open, _IN_TOOL_CALLS, True),
    (_seek_content_close, CLOSE, True),
)


_OUTSIDE_HEADS: Final = Heads(
    {
        "<think>": (_IN_REASONING_CONTENT, (), False, False),
        "<tool_call>": (_IN_TOOL_CALLS, (_match_tool_calls_open,), True, True),
        "<|im_end|>": (CLOSE, (_match_content_close,), True, True),
    }
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head_stably(text, pos, at_end, seen, _OUTSIDE_HEADS, _OUTSIDE_SEEKERS)


def _hold_outside(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "<" not in text:
        return before_blanks(text, len(text))
    if ">" in text and _OUTSIDE_HEADS.search(text):
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _OUTSIDE_HEADS.begun:
        start = len(text)
    if start and text[start - 1] in BLANKS and text[start:] in _OUTSIDE_HEADS.after_blanks:
        return before_blanks(text, start)
    return start


def _match_reasoning_content_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 8
    place = skip_run(text, place, BLANK_RUN)
    return GROWING if place == len(text) else MATCH, place, None, BLANKS_END


# '</think>\\s*' closes 'reasoning_content'
def _seek_reasoning_content_close(text: str, pos: int, at_end: bool) -> Sought:
    return seek_steps_stably(text, pos, at_end, "</think>", _match_reasoning_content_close)


_REASONING_CONTENT_SEEKERS: Final = ((_seek_reasoning_content_close, CLOSE, True),)


_REASONING_CONTENT_HEADS: Final = Heads(
    {"</think>": (CLOSE, (_match_reasoning_content_close,), False, True)}
)


def _find_end_of_reasoning_content(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head_stably(
        text, pos, at_end, seen, _REASONING_CONTENT_HEADS, _REASONING_CONTENT_SEEKERS
    )


def _hold_reasoning_content(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</think>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _REASONING_CONTENT_HEADS.begun:
        start = len(text)
    return start


def _match_tool_calls_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 11
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("</tool_call>", place):
        return unfinished(text, place, "</tool_call>", place - 10)
    place += 12
    place = skip_run(text, place, BLANK_RUN)
    return GROWING if place == len(text) else MATCH, place, None, BLANKS_END


# '</function>\\s*</tool_call>\\s*' closes 'tool_calls'
def _seek_tool_calls_close(text: str, pos: int, at_end: bool) -> Sought:
    return seek_steps_stably(text, pos, at_end, "</function>", _match_tool_calls_close)


_TOOL_CALLS_SEEKERS: Final = ((_seek_tool_calls_close, CLOSE, True),)


_TOOL_CALLS_HEADS: Final = Heads({"</function>": (CLOSE, (_match_tool_calls_close,), False, True)})


def _find_end_of_tool_calls(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head_stably(text, pos, at_end, seen, _TOOL_CALLS_HEADS, _TOOL_CALLS_SEEKERS)


def _hold_tool_calls(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</function>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _TOOL_CALLS_HEADS.begun:
        start = len(text)
    return start


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_reasoning_content,
    _find_end_of_tool_calls,
)

_HOLDS: Final = (
    _hold_outside,
    _hold_outside,
    _hold_reasoning_content,
    _hold_tool_calls,
)


def _match_tool_calls_tag(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 11
    key_start = place
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_TAG_RUN, memo, 1)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_TAG_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    key_end = place
    if not text.startswith(">", place):
        return unfinished(text, place, ">", place - 10)
    place += 1
    begin = place
    place = skip_run(text, place, _TOOL_CALLS_TAG_RUN_2)
    if place == len(text):
        return PENDING, begin, None, None
    found = find_known(text, "</parameter>", place, memo, 2)
    if found < 0:
        return PENDING, place, None, _TOOL_CALLS_TAG_WAKE_2
    value_start = place
    value_end = found - text.endswith("\n", place, found)

    place = found + 12
    return (
        MATCH,
        place,
        {"key": text[key_start:key_end], "value": text[value_start:value_end]},
        None,
    )


def _read_tool_calls(body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for tag in found_tags(body, "<parameter=", _match_tool_calls_tag):
        values[tag["key"]] = json_or_text(tag["value"])
    return values


class ResponseParser:
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and
    gives the message alone. After an exception the parser refuses further use.
    Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one
    too. ``calls`` and ``texts`` tell what is known of values before their regions end.

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
        "_input",
        "_malformed",
        "_message",
        "_offset",
        "_parameters",
        "_parts",
        "_prompt_held",
        "_state",
        "_waiting",
        "initial_events",
    )

    calls: Final[dict[str, CallForm]] = {
        "tool_calls": {"name": ("captures", "name"), "id": None, "arguments": None, "each": False}
    }
    texts: Final[dict[str, TextForm]] = {
        "reasoning_content": {"join": None, "strip": True},
        "content": {"join": None, "strip": True},
    }

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
        self._input: list[str] = []
        self._malformed: dict[str, ResponseError] = {}
        self._prompt_held = 0
        self._captures: dict[str, str] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last(prefix, "<|im_start|>assistant\n")):
            self.initial_events = self._advance(begun, False)
            self._prompt_held = len(self._held)

    @property
    def input_text(self) -> str:
        """What the parser was given: the prefix after its start anchor, then the chunks."""
        self._input = ["".join(self._input)]
        held = self._held
        return "".join((*self._input, *self._blocks, *self._parts, held, *self._waiting))

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and "<" not in text
            and not (text[-1].isspace() and self._state == _IN_CONTENT)
        ):
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
        if state < 0 or self._prompt_held:
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
            state = self._state = _IN_CONTENT
        chunk = _CHUNKS[state]
        self._chunk = chunk if end == len(text) else None
        text = text[:end]
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = chunk.copy()
        event["text"] = text
        if opens:
            place = self._offset
            return [
                {"type": "region_open", "field": "content", "start": place, "end": place},
                event,
            ]
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
        # Where in the text generated text begins.
        generated = pos + self._prompt_held
        wake: Wake | None = None
        while at_end or pos < len(text):
            if found is None:
                found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, groups, wake = found
            found = None
            if start > pos:
                self._take(text[pos:start], generated - pos, events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._close(0, False, events)
                break
            self._close(end - start if action == CLOSE else 0, True, events)
            self._input.append(text[start:end])
            place = self._offset
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                self._captures = groups or {}
                events.append(
                    {
                        "type": "region_open",
                        "field": _CHUNKS[action]["field"],
                        "start": place,
                        "end": self._offset,
                        "captures": dict(groups or {}),
                    }
                )
        if self._prompt_held:
            self._prompt_held = max(generated - pos, 0)
        self._held = text[pos:]
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, of_prompt: int, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_CONTENT
            place = self._offset
            events.append({"type": "region_open", "field": "content", "start": place, "end": place})
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        if of_prompt > 0:
            # Held back at the end of the prefix, it is text of the region, but was not generated.
            text = text[of_prompt:]
            if not text:
                return
        event = _CHUNKS[self._state].copy()
        event["text"] = text
        events.append(event)

    def _close(self, width: int, closed: bool, events: list[Event]) -> None:
        """Give the open region its value, if there is one; its closer takes ``width`` characters."""
        state = self._state
        if state == _OUTSIDE:
            return
        place = self._offset
        body = self._take_body()
        self._input.append(body)
        start = self._offset = place + len(body)
        end = start + width
        self._state = _OUTSIDE
        field = _CHUNKS[state]["field"]
        try:
            value = self._ENDS[state](self, body)
        except MALFORMED as cause:
            error = malformed_error(cause, field, place, body)
            self._malformed.setdefault(field, error)
            events.append(
                {
                    "type": "region_malformed",
                    "field": field,
                    "start": start,
                    "end": end,
                    "error": error,
                }
            )
            return
        except Exception as error:
            raise region_error(error, field, place, body) from error
        events.append(
            {
                "type": "region_close",
                "field": field,
                "start": start,
                "end": end,
                "value": value,
                "closed": closed,
            }
        )

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
        self._input += [begun, text]
        self._held = ""
        self._raise_malformed()
        offset = self._offset + len(begun)
        seen: Seen = {}
        while True:
            action, start, end, groups, _ = _FINDERS[state](text, pos, True, seen)
            if state == _OUTSIDE and start > pos:
                state = _IN_CONTENT
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
        message = self._finished_message()
        self._state = _FINISHED
        return message

    def _raise_malformed(self) -> None:
        """Raise the error of the first region that could not be read."""
        for error in self._malformed.values():
            self._state = _FAILED
            raise error

    def _end_reasoning_content(self, body: str) -> str:
        value = body.strip()
        self._message["reasoning_content"] = value
        return value

    def _end_tool_calls(self, body: str) -> Any:
        content = _read_tool_calls(body)
        value: Any = {
            "type": "function",
            "function": {"name": self._captures["name"], "arguments": content},
        }
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message.setdefault("tool_calls", []).append(value)
        return value

    def _end_content(self, body: str) -> str:
        value = body.strip()
        self._message["content"] = value
        return value

    _ENDS: Final = {
        _IN_REASONING_CONTENT: _end_reasoning_content,
        _IN_TOOL_CALLS: _end_tool_calls,
        _IN_CONTENT: _end_content,
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
