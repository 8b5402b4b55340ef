# Compiled by respc from apertus.json. Do not edit: change the template and compile it again.
# Template sha256: f76d046d62dc25e9826d2764c24f411fe2498d5a910bdf8fb80a565e54ff5243
# ABI of respc_runtime: 2
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.alternatives import seek_ways
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import CLOSE, LONG_HELD, NOTHING, Wake
from respc_runtime.errors import MissingPrefixError, ParserStateError, endless_error, region_error
from respc_runtime.heads import Heads, find_by_head
from respc_runtime.json_bodies import parse_json
from respc_runtime.patterns import compile_pattern
from respc_runtime.seeking import (
    BLANK_RUN,
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
    after_last_sought,
    earliest,
    find_last_known,
    seek_at_start,
    seek_literal,
    settled,
    skip_known_run,
    skip_run,
    unfinished,
)
from respc_runtime.tools import cast_arguments, prepare_tools, tool_parameters

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

Field: TypeAlias = Literal["reasoning_content", "tool_calls", "content"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    reasoning_content: str
    tool_calls: list[dict[str, Any]]
    content: str


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
_IN_CONTENT: Final = 1
_IN_REASONING_CONTENT: Final = 2
_IN_TOOL_CALLS: Final = 3

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_CONTENT_OPEN_HEADS: Final = re.compile(r"<\|inner_suffix\|>|<\|tools_prefix\|>|\}")
_TOOL_CALLS_OPEN_RUN: Final = re.compile('[^"]*')
_TOOL_CALLS_OPEN_RUN_END: Final = re.compile('["]')
_TOOL_CALLS_OPEN_WAKE: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END.search, 0)
_TOOL_CALLS_OPEN_RUN_2: Final = re.compile('[^"]*')
_TOOL_CALLS_OPEN_RUN_END_2: Final = re.compile('["]')
_TOOL_CALLS_OPEN_WAKE_2: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END_2.search, 0)
_TOOL_CALLS_OPEN_HEADS: Final = re.compile(r"<\|tools_prefix\|>|\}")
_CONTENT_CLOSE_HEADS: Final = re.compile(
    r"<\|assistant_end\|>|<\|inner_prefix\|>|<\|inner_suffix\|>|<\|tools_prefix\|>"
)
_REASONING_CONTENT_CLOSE_HEADS: Final = re.compile(
    r"<\|inner_suffix\|>|<\|tools_prefix\|>|<\|assistant_end\|>"
)
_TOOL_CALLS_CLOSE_RUN: Final = re.compile('[^"]*')
_TOOL_CALLS_CLOSE_RUN_END: Final = re.compile('["]')
_TOOL_CALLS_CLOSE_WAKE: Final[Wake] = (_TOOL_CALLS_CLOSE_RUN_END.search, 0)
_TOOL_CALLS_CLOSE_HEADS: Final = re.compile(r"\}")
_ANCHOR_RUN: Final = re.compile("[^<]*")
_ANCHOR_LAST_END: Final = compile_pattern(r"\]|[<]")
_ANCHOR_WAKE: Final[Wake] = (_ANCHOR_LAST_END.search, 0)
_ANCHOR_HEADS: Final = re.compile(r"<\|assistant_start\|>|<\|tools_suffix\|>\[")

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


def _match_content_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    return MATCH, place, None, None


def _match_content_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 16
    return MATCH, place, None, None


def _match_content_open_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 16
    return MATCH, place, None, None


def _match_content_open_4(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("]", place):
        return unfinished(text, place, "]", place)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("<|tools_suffix|>", place):
        return unfinished(text, place, "<|tools_suffix|>", start + 1)
    place += 16
    return MATCH, place, None, None


def _match_content_open_5(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("]", place):
        return unfinished(text, place, "]", place)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("<|assistant_end|>", place):
        return unfinished(text, place, "<|assistant_end|>", start + 1)
    place += 17
    return MATCH, place, None, None


# '<\\|inner_suffix\\|>|<\\|tools_prefix\\|>|\\}\\s*\\]\\s*' … opens 'content'
def _seek_content_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _CONTENT_OPEN_HEADS,
            (
                (0, "<|inner_suffix|>", _match_content_open_2, "", "", None),
                (1, "<|tools_prefix|>", _match_content_open_3, "", "", None),
                (2, "}", _match_content_open_4, "", "", None),
                (3, "}", _match_content_open_5, "", "", None),
            ),
            ((4, seek_at_start(text, pos, at_end, _match_content_open)),),
        ),
    )


# '<|inner_prefix|>' opens 'reasoning_content'
def _seek_reasoning_content_open(text: str, pos: int, at_end: bool) -> Sought:
    return seek_literal(text, pos, at_end, "<|inner_prefix|>", False)


def _match_tool_calls_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 16
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("[", place):
        return unfinished(text, place, "[", place - 15)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    name_start = place
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN, memo, 0)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    name_end = place
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith(":", place):
        return unfinished(text, place, ":", start + 1)
    place += 1
    return MATCH, place, {"name": text[name_start:name_end]}, None


def _match_tool_calls_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith(",", place):
        return unfinished(text, place, ",", place)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    name_start = place
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN_2, memo, 1)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE_2
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    name_end = place
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith(":", place):
        return unfinished(text, place, ":", start + 1)
    place += 1
    return MATCH, place, {"name": text[name_start:name_end]}, None


# '(?:<\\|tools_prefix\\|>\\s*\\[|\\}\\s*,)\\s*\\{\\s*"(?P<' … opens 'tool_calls'
def _seek_tool_calls_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _TOOL_CALLS_OPEN_HEADS,
            (
                (0, "<|tools_prefix|>", _match_tool_calls_open, "", "", None),
                (1, "}", _match_tool_calls_open_2, "", "", None),
            ),
        ),
    )


_OUTSIDE_SEEKERS: Final = (
    (_seek_content_open, _IN_CONTENT, True),
    (_seek_reasoning_content_open, _IN_REASONING_CONTENT, True),
    (_seek_tool_calls_open, _IN_TOOL_CALLS, True),
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _OUTSIDE_SEEKERS)


def _match_content_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 17
    return MATCH, place, None, None


def _match_content_close_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("<|inner_prefix|>", place):
        return unfinished(text, place, "<|inner_prefix|>", start + 1)
    place += 16
    return MATCH, end, None, None


def _match_content_close_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("<|inner_suffix|>", place):
        return unfinished(text, place, "<|inner_suffix|>", start + 1)
    place += 16
    return MATCH, end, None, None


def _match_content_close_4(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("<|tools_prefix|>", place):
        return unfinished(text, place, "<|tools_prefix|>", start + 1)
    place += 16
    return MATCH, end, None, None


# '<\\|assistant_end\\|>|(?=<\\|inner_(?:prefix|suffix)\\|>' … closes 'content'
def _seek_content_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _CONTENT_CLOSE_HEADS,
            (
                (0, "<|assistant_end|>", _match_content_close, "", "", None),
                (1, "<|inner_prefix|>", _match_content_close_2, "", "", None),
                (2, "<|inner_suffix|>", _match_content_close_3, "", "", None),
                (3, "<|tools_prefix|>", _match_content_close_4, "", "", None),
            ),
        ),
    )


_CONTENT_SEEKERS: Final = ((_seek_content_close, CLOSE, True),)


_CONTENT_HEADS: Final = Heads(
    {
        "<|assistant_end|>": (CLOSE, (_match_content_close,), False, True),
        "<|inner_prefix|>": (CLOSE, (_match_content_close_2,), False, True),
        "<|inner_suffix|>": (CLOSE, (_match_content_close_3,), False, True),
        "<|tools_prefix|>": (CLOSE, (_match_content_close_4,), False, True),
    }
)


def _find_end_of_content(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head(text, pos, at_end, seen, _CONTENT_HEADS, _CONTENT_SEEKERS)


def _match_reasoning_content_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("<|inner_suffix|>", place):
        return unfinished(text, place, "<|inner_suffix|>", start + 1)
    place += 16
    return MATCH, end, None, None


def _match_reasoning_content_close_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("<|tools_prefix|>", place):
        return unfinished(text, place, "<|tools_prefix|>", start + 1)
    place += 16
    return MATCH, end, None, None


def _match_reasoning_content_close_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 17
    return MATCH, place, None, None


# '(?=<\\|inner_suffix\\|>|<\\|tools_prefix\\|>)|<\\|assist' … closes 'reasoning_content'
def _seek_reasoning_content_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _REASONING_CONTENT_CLOSE_HEADS,
            (
                (0, "<|inner_suffix|>", _match_reasoning_content_close, "", "", None),
                (1, "<|tools_prefix|>", _match_reasoning_content_close_2, "", "", None),
                (2, "<|assistant_end|>", _match_reasoning_content_close_3, "", "", None),
            ),
        ),
    )


_REASONING_CONTENT_SEEKERS: Final = ((_seek_reasoning_content_close, CLOSE, True),)


_REASONING_CONTENT_HEADS: Final = Heads(
    {
        "<|inner_suffix|>": (CLOSE, (_match_reasoning_content_close,), False, True),
        "<|tools_prefix|>": (CLOSE, (_match_reasoning_content_close_2,), False, True),
        "<|assistant_end|>": (CLOSE, (_match_reasoning_content_close_3,), False, True),
    }
)


def _find_end_of_reasoning_content(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head(
        text, pos, at_end, seen, _REASONING_CONTENT_HEADS, _REASONING_CONTENT_SEEKERS
    )


def _match_tool_calls_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("}", place):
        return unfinished(text, place, "}", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("]", place):
        return unfinished(text, place, "]", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("<|tools_suffix|>", place):
        return unfinished(text, place, "<|tools_suffix|>", start + 1)
    place += 16
    return MATCH, end, None, None


def _match_tool_calls_close_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("}", place):
        return unfinished(text, place, "}", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("]", place):
        return unfinished(text, place, "]", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("<|assistant_end|>", place):
        return unfinished(text, place, "<|assistant_end|>", start + 1)
    place += 17
    return MATCH, end, None, None


def _match_tool_calls_close_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith("}", place):
        return unfinished(text, place, "}", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith(",", place):
        return unfinished(text, place, ",", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_CLOSE_RUN, memo, 2)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_CLOSE_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith(":", place):
        return unfinished(text, place, ":", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


# '(?=\\}\\s*\\]\\s*<\\|(?:tools_suffix|assistant_end)\\|>|' … closes 'tool_calls'
def _seek_tool_calls_close(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _TOOL_CALLS_CLOSE_HEADS,
            (
                (0, "}", _match_tool_calls_close, "", "", None),
                (1, "}", _match_tool_calls_close_2, "", "", None),
                (2, "}", _match_tool_calls_close_3, "", "", None),
            ),
        ),
    )


_TOOL_CALLS_SEEKERS: Final = ((_seek_tool_calls_close, CLOSE, True),)


_TOOL_CALLS_HEADS: Final = Heads(
    {
        "}": (
            CLOSE,
            (
                _match_tool_calls_close,
                _match_tool_calls_close_2,
                _match_tool_calls_close_3,
            ),
            False,
            True,
        )
    }
)


def _find_end_of_tool_calls(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head(text, pos, at_end, seen, _TOOL_CALLS_HEADS, _TOOL_CALLS_SEEKERS)


_FINDERS: Final = (
    _find_outside,
    _find_end_of_content,
    _find_end_of_reasoning_content,
    _find_end_of_tool_calls,
)


def _match_anchor(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 19
    return MATCH, place, None, None


def _match_anchor_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 17
    begin = place
    place = skip_known_run(text, place, _ANCHOR_RUN, memo, 3)
    found = find_last_known(text, "]", begin, place, memo, 4)
    if found < 0:
        if place == len(text):
            return PENDING, begin, None, _ANCHOR_WAKE
        return MISMATCH, start + 1, None, None
    place = found + 1
    return MATCH, place, None, None


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
        "_dropping",
        "_message",
        "_offset",
        "_parameters",
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
        self._parameters = tool_parameters(tools)
        self._state: int = _OUTSIDE
        self._chunk: RegionChunk | None = None
        self._dropping = False
        self._text: str = ""
        self._pos = 0
        self._awaited: Awaited | None = None
        self._waiting: list[str] = []
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._captures: dict[str, str] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (
            begun := after_last_sought(
                prefix,
                lambda text, pos, at_end: settled(
                    text,
                    at_end,
                    seek_ways(
                        text,
                        pos,
                        at_end,
                        _ANCHOR_HEADS,
                        (
                            (0, "<|assistant_start|>", _match_anchor, "", "", None),
                            (1, "<|tools_suffix|>[", _match_anchor_2, "", "", None),
                        ),
                    ),
                ),
            )
        ):
            self.initial_events = self._advance(begun, 0, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "}" not in text:
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            self._text = text
            self._pos = len(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        if self._dropping and text and "<" not in text and "}" not in text:
            self._offset += len(text)
            self._text = text
            self._pos = len(text)
            return []
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
        self._dropping = False
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
        opened_empty_at = -1
        wake: Wake | None = None
        while True:
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
            if action == CLOSE and start == end == opened_empty_at:
                raise endless_error(_CHUNKS[self._state]["field"], self._offset)
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                self._captures = groups or {}
                opened_empty_at = end if start == end else -1
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        # Patterns look back at no more of the consumed text than its last 1 characters.
        context = max(pos - 1, 0)
        self._text, self._pos = text[context:], pos - context
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)
        self._dropping = 0 < pos == len(text) and not at_end and self._state == _OUTSIDE

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it is dropped."""
        if self._state == _OUTSIDE:
            self._offset += len(text)
            return
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
        self.feed(text)
        return self.finalize()[0]

    def _end_reasoning_content(self, body: str) -> str:
        value = body.strip()
        joined = self._message.get("reasoning_content")
        if joined is None:
            joined = value
        else:
            # A string that nothing else holds grows in place. (`+=` would extend a list as well.)
            self._message["reasoning_content"] = None
            joined = joined + "\n"
            joined = joined + value
        self._message["reasoning_content"] = joined
        return value

    def _end_tool_calls(self, body: str) -> Any:
        content = parse_json(body)
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
        joined = self._message.get("content")
        if joined is None:
            joined = value
        else:
            # A string that nothing else holds grows in place. (`+=` would extend a list as well.)
            self._message["content"] = None
            joined = joined + value
        self._message["content"] = joined
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
