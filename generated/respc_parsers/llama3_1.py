# Compiled by respc from llama3_1.json. Do not edit: change the template and compile it again.
# Template sha256: 79ce4b603246bbe30071b9d5128e1ec8af0f40b71529c214315f5817885ef4e0
# ABI of respc_runtime: 2
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias, TypedDict, cast, overload

from respc_runtime.abi import require_abi
from respc_runtime.alternatives import seek_ways
from respc_runtime.batches import Tools, with_prefixes
from respc_runtime.delimiters import CLOSE, LONG_HELD, NOTHING, Wake, after_last
from respc_runtime.errors import MissingPrefixError, ParserStateError, endless_error, region_error
from respc_runtime.heads import Heads, find_by_head
from respc_runtime.json_bodies import parse_json
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
    earliest,
    seek_any,
    seek_at_start,
    settled,
    skip_known_run,
    skip_run,
    unfinished,
)
from respc_runtime.tools import cast_arguments, prepare_tools, tool_parameters
from respc_runtime.transforms import descend

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

Field: TypeAlias = Literal["tool_calls", "content"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

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
_IN_TOOL_CALLS: Final = 2

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_TOOL_CALLS_OPEN_RUN: Final = re.compile('[^"{}]*')
_TOOL_CALLS_OPEN_RUN_END: Final = re.compile('["{}]')
_TOOL_CALLS_OPEN_WAKE: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END.search, 0)
_TOOL_CALLS_OPEN_RUN_2: Final = re.compile('[^"{}]*')
_TOOL_CALLS_OPEN_RUN_END_2: Final = re.compile('["{}]')
_TOOL_CALLS_OPEN_WAKE_2: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END_2.search, 0)
_TOOL_CALLS_OPEN_RUN_3: Final = re.compile('[^"{}]*')
_TOOL_CALLS_OPEN_RUN_END_3: Final = re.compile('["{}]')
_TOOL_CALLS_OPEN_WAKE_3: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END_3.search, 0)
_TOOL_CALLS_OPEN_RUN_4: Final = re.compile('[^"{}]*')
_TOOL_CALLS_OPEN_RUN_END_4: Final = re.compile('["{}]')
_TOOL_CALLS_OPEN_WAKE_4: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END_4.search, 0)
_TOOL_CALLS_OPEN_RUN_5: Final = re.compile('[^"{}]*')
_TOOL_CALLS_OPEN_RUN_END_5: Final = re.compile('["{}]')
_TOOL_CALLS_OPEN_WAKE_5: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END_5.search, 0)
_TOOL_CALLS_OPEN_RUN_6: Final = re.compile('[^"{}]*')
_TOOL_CALLS_OPEN_RUN_END_6: Final = re.compile('["{}]')
_TOOL_CALLS_OPEN_WAKE_6: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END_6.search, 0)
_TOOL_CALLS_OPEN_HEADS: Final = re.compile(r"<\|python_tag\|>|;")
_CONTENT_CLOSE: Final = re.compile(r"<\|end_of_text\|>|<\|eot_id\|>|<\|eom_id\|>")
_TOOL_CALLS_CLOSE_RUN: Final = re.compile('[^"{}]*')
_TOOL_CALLS_CLOSE_RUN_END: Final = re.compile('["{}]')
_TOOL_CALLS_CLOSE_WAKE: Final[Wake] = (_TOOL_CALLS_CLOSE_RUN_END.search, 0)
_TOOL_CALLS_CLOSE_RUN_2: Final = re.compile('[^"{}]*')
_TOOL_CALLS_CLOSE_RUN_END_2: Final = re.compile('["{}]')
_TOOL_CALLS_CLOSE_WAKE_2: Final[Wake] = (_TOOL_CALLS_CLOSE_RUN_END_2.search, 0)
_TOOL_CALLS_CLOSE_HEADS: Final = re.compile(r"<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|;")

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_CONTENT: {
        "type": "region_chunk",
        "field": "content",
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


def _match_tool_calls_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    end = place
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"type":', place):
        return unfinished(text, place, '"type":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"function",', place):
        return unfinished(text, place, '"function",', start + 1)
    place += 11
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, _TOOL_CALLS_OPEN_RUN)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


def _match_tool_calls_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    end = place
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, _TOOL_CALLS_OPEN_RUN_2)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE_2
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


def _match_tool_calls_open_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 14
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    end = place
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"type":', place):
        return unfinished(text, place, '"type":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"function",', place):
        return unfinished(text, place, '"function",', start + 1)
    place += 11
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN_3, memo, 0)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE_3
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


def _match_tool_calls_open_4(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 14
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    end = place
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN_4, memo, 1)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE_4
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


def _match_tool_calls_open_5(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    end = place
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"type":', place):
        return unfinished(text, place, '"type":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"function",', place):
        return unfinished(text, place, '"function",', start + 1)
    place += 11
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN_5, memo, 2)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE_5
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


def _match_tool_calls_open_6(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    end = place
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN_6, memo, 3)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE_6
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


# '(?:^|<\\|python_tag\\|>|;)\\s*(?=\\{\\s*"(?:type":\\s*"f' … opens 'tool_calls'
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
                (2, "<|python_tag|>", _match_tool_calls_open_3, "", "", None),
                (3, "<|python_tag|>", _match_tool_calls_open_4, "", "", None),
                (4, ";", _match_tool_calls_open_5, "", "", None),
                (5, ";", _match_tool_calls_open_6, "", "", None),
            ),
            (
                (0, seek_at_start(text, pos, at_end, _match_tool_calls_open)),
                (1, seek_at_start(text, pos, at_end, _match_tool_calls_open_2)),
            ),
        ),
    )


# '<|eot_id|>' or another closes 'content'
def _seek_content_close(text: str, pos: int, at_end: bool) -> Sought:
    return seek_any(
        text,
        pos,
        at_end,
        _CONTENT_CLOSE,
        (
            "<|end_of_text|>",
            "<|eot_id|>",
            "<|eom_id|>",
        ),
        False,
    )


_OUTSIDE_SEEKERS: Final = (
    (_seek_tool_calls_open, _IN_TOOL_CALLS, True),
    (_seek_content_close, CLOSE, True),
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _OUTSIDE_SEEKERS)


def _match_tool_calls_close(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 10
    return MATCH, place, None, None


def _match_tool_calls_close_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 10
    return MATCH, place, None, None


def _match_tool_calls_close_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 15
    return MATCH, place, None, None


def _match_tool_calls_close_4(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith(";", place):
        return unfinished(text, place, ";", start + 1)
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
    if not text.startswith('"type":', place):
        return unfinished(text, place, '"type":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"function",', place):
        return unfinished(text, place, '"function",', start + 1)
    place += 11
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_CLOSE_RUN, memo, 4)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_CLOSE_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


def _match_tool_calls_close_5(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start
    end = place
    if not text.startswith(";", place):
        return unfinished(text, place, ";", start + 1)
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
    if not text.startswith('"name":', place):
        return unfinished(text, place, '"name":', start + 1)
    place += 7
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"', place):
        return unfinished(text, place, '"', start + 1)
    place += 1
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_CLOSE_RUN_2, memo, 5)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_CLOSE_WAKE_2
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith('",', place):
        return unfinished(text, place, '",', start + 1)
    place += 2
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith('"parameters":', place):
        return unfinished(text, place, '"parameters":', start + 1)
    place += 13
    begin = place
    place = skip_run(text, place, BLANK_RUN)
    if place == len(text):
        return PENDING, begin, None, BLANKS_END
    if not text.startswith("{", place):
        return unfinished(text, place, "{", start + 1)
    place += 1
    return MATCH, end, None, None


# '<\\|eot_id\\|>|<\\|eom_id\\|>|<\\|end_of_text\\|>|(?=;\\' … closes 'tool_calls'
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
                (0, "<|eot_id|>", _match_tool_calls_close, "", "", None),
                (1, "<|eom_id|>", _match_tool_calls_close_2, "", "", None),
                (2, "<|end_of_text|>", _match_tool_calls_close_3, "", "", None),
                (3, ";", _match_tool_calls_close_4, "", "", None),
                (4, ";", _match_tool_calls_close_5, "", "", None),
            ),
        ),
    )


_TOOL_CALLS_SEEKERS: Final = ((_seek_tool_calls_close, CLOSE, True),)


_TOOL_CALLS_HEADS: Final = Heads(
    {
        "<|eot_id|>": (CLOSE, (_match_tool_calls_close,), False, True),
        "<|eom_id|>": (CLOSE, (_match_tool_calls_close_2,), False, True),
        "<|end_of_text|>": (CLOSE, (_match_tool_calls_close_3,), False, True),
        ";": (
            CLOSE,
            (
                _match_tool_calls_close_4,
                _match_tool_calls_close_5,
            ),
            False,
            True,
        ),
    }
)


def _find_end_of_tool_calls(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return find_by_head(text, pos, at_end, seen, _TOOL_CALLS_HEADS, _TOOL_CALLS_SEEKERS)


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_tool_calls,
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
        self._text: str = ""
        self._pos = 0
        self._awaited: Awaited | None = None
        self._waiting: list[str] = []
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (
            begun := after_last(prefix, "<|start_header_id|>assistant<|end_header_id|>\n\n")
        ):
            self.initial_events = self._advance(begun, 0, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and ";" not in text and "<" not in text:
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
        opened_empty_at = -1
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
            if action == CLOSE and start == end == opened_empty_at:
                raise endless_error(_CHUNKS[self._state]["field"], self._offset)
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                opened_empty_at = end if start == end else -1
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        # Patterns look back at no more of the consumed text than its last 1 characters.
        context = max(pos - 1, 0)
        self._text, self._pos = text[context:], pos - context
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_CONTENT
            events.append({"type": "region_open", "field": "content"})
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

    def _end_tool_calls(self, body: str) -> Any:
        content = parse_json(body)
        value: Any = {
            "type": "function",
            "function": {
                "name": descend(content, "content.name", "name"),
                "arguments": descend(content, "content.parameters", "parameters"),
            },
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
            joined = joined + "\n"
            joined = joined + value
        self._message["content"] = joined
        return value

    _ENDS: Final = {
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
