# Compiled by respc from gpt_oss.json. Do not edit: change the template and compile it again.
# Template sha256: 57af4d5b6a930381841ff1942e38e2a6c54f311704e22af4e7f5e19d9f5fd344
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
    held_from_any,
    undecided,
)
from respc_runtime.errors import MissingPrefixError, ParserStateError, region_error
from respc_runtime.json_bodies import parse_json
from respc_runtime.patterns import compile_pattern
from respc_runtime.seeking import (
    BLANKS,
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
    find_known,
    seek_steps,
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

_CONTENT_OPEN_RUN: Final = compile_pattern(r"[\w]*")
_CONTENT_OPEN_RUN_END: Final = compile_pattern(r"[^\w]")
_CONTENT_OPEN_WAKE: Final[Wake] = (_CONTENT_OPEN_RUN_END.search, 0)
_CONTENT_OPEN_RUN_2: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_2: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_2: Final[Wake] = (_CONTENT_OPEN_RUN_END_2.search, 0)
_CONTENT_OPEN_RUN_3: Final = compile_pattern(r"[\w]*")
_CONTENT_OPEN_RUN_END_3: Final = compile_pattern(r"[^\w]")
_CONTENT_OPEN_WAKE_3: Final[Wake] = (_CONTENT_OPEN_RUN_END_3.search, 0)
_CONTENT_OPEN_RUN_4: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_4: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_4: Final[Wake] = (_CONTENT_OPEN_RUN_END_4.search, 0)
_CONTENT_OPEN_RUN_5: Final = compile_pattern(r"[\w]*")
_CONTENT_OPEN_RUN_END_5: Final = compile_pattern(r"[^\w]")
_CONTENT_OPEN_WAKE_5: Final[Wake] = (_CONTENT_OPEN_RUN_END_5.search, 0)
_CONTENT_OPEN_RUN_6: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_6: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_6: Final[Wake] = (_CONTENT_OPEN_RUN_END_6.search, 0)
_CONTENT_OPEN_RUN_7: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_7: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_7: Final[Wake] = (_CONTENT_OPEN_RUN_END_7.search, 0)
_CONTENT_OPEN_RUN_8: Final = compile_pattern(r"[\w]*")
_CONTENT_OPEN_RUN_END_8: Final = compile_pattern(r"[^\w]")
_CONTENT_OPEN_WAKE_8: Final[Wake] = (_CONTENT_OPEN_RUN_END_8.search, 0)
_CONTENT_OPEN_RUN_9: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_9: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_9: Final[Wake] = (_CONTENT_OPEN_RUN_END_9.search, 0)
_CONTENT_OPEN_RUN_10: Final = compile_pattern(r"[\w]*")
_CONTENT_OPEN_RUN_END_10: Final = compile_pattern(r"[^\w]")
_CONTENT_OPEN_WAKE_10: Final[Wake] = (_CONTENT_OPEN_RUN_END_10.search, 0)
_CONTENT_OPEN_RUN_11: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_11: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_11: Final[Wake] = (_CONTENT_OPEN_RUN_END_11.search, 0)
_CONTENT_OPEN_RUN_12: Final = compile_pattern(r"[\w]*")
_CONTENT_OPEN_RUN_END_12: Final = compile_pattern(r"[^\w]")
_CONTENT_OPEN_WAKE_12: Final[Wake] = (_CONTENT_OPEN_RUN_END_12.search, 0)
_CONTENT_OPEN_RUN_13: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_13: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_13: Final[Wake] = (_CONTENT_OPEN_RUN_END_13.search, 0)
_CONTENT_OPEN_RUN_14: Final = re.compile("[^<]*")
_CONTENT_OPEN_RUN_END_14: Final = re.compile("[<]")
_CONTENT_OPEN_WAKE_14: Final[Wake] = (_CONTENT_OPEN_RUN_END_14.search, 0)
_CONTENT_OPEN_HEADS: Final = re.compile(
    r"<\|channel\|>final\ |<\|channel\|>final<\|constrain\|>|<\|channel\|>final<\|message\|>|<\|channel\|>commentary\ |<\|channel\|>commentary<\|constrain\|>|<\|channel\|>commentary<\|message\|>"
)
_REASONING_CONTENT_OPEN_RUN: Final = compile_pattern(r"[\w]*")
_REASONING_CONTENT_OPEN_RUN_END: Final = compile_pattern(r"[^\w]")
_REASONING_CONTENT_OPEN_WAKE: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END.search, 0)
_REASONING_CONTENT_OPEN_RUN_2: Final = re.compile("[^<]*")
_REASONING_CONTENT_OPEN_RUN_END_2: Final = re.compile("[<]")
_REASONING_CONTENT_OPEN_WAKE_2: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END_2.search, 0)
_REASONING_CONTENT_OPEN_RUN_3: Final = compile_pattern(r"[\w]*")
_REASONING_CONTENT_OPEN_RUN_END_3: Final = compile_pattern(r"[^\w]")
_REASONING_CONTENT_OPEN_WAKE_3: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END_3.search, 0)
_REASONING_CONTENT_OPEN_RUN_4: Final = re.compile("[^<]*")
_REASONING_CONTENT_OPEN_RUN_END_4: Final = re.compile("[<]")
_REASONING_CONTENT_OPEN_WAKE_4: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END_4.search, 0)
_REASONING_CONTENT_OPEN_RUN_5: Final = compile_pattern(r"[\w]*")
_REASONING_CONTENT_OPEN_RUN_END_5: Final = compile_pattern(r"[^\w]")
_REASONING_CONTENT_OPEN_WAKE_5: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END_5.search, 0)
_REASONING_CONTENT_OPEN_RUN_6: Final = re.compile("[^<]*")
_REASONING_CONTENT_OPEN_RUN_END_6: Final = re.compile("[<]")
_REASONING_CONTENT_OPEN_WAKE_6: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END_6.search, 0)
_REASONING_CONTENT_OPEN_RUN_7: Final = re.compile("[^<]*")
_REASONING_CONTENT_OPEN_RUN_END_7: Final = re.compile("[<]")
_REASONING_CONTENT_OPEN_WAKE_7: Final[Wake] = (_REASONING_CONTENT_OPEN_RUN_END_7.search, 0)
_REASONING_CONTENT_OPEN_HEADS: Final = re.compile(
    r"<\|channel\|>analysis\ |<\|channel\|>analysis<\|constrain\|>|<\|channel\|>analysis<\|message\|>"
)
_TOOL_CALLS_OPEN_RUN: Final = re.compile("[^<" + BLANKS + "]*")
_TOOL_CALLS_OPEN_RUN_END: Final = re.compile("[<" + BLANKS + "]")
_TOOL_CALLS_OPEN_WAKE: Final[Wake] = (_TOOL_CALLS_OPEN_RUN_END.search, 0)
_TOOL_CALLS_OPEN_GAP_END: Final = re.compile(r"<\|message\|>")
_TOOL_CALLS_OPEN_WAKE_2: Final[Wake] = (_TOOL_CALLS_OPEN_GAP_END.search, 10)
_CONTENT_DELIMITERS: Final = re.compile(r"<\|endoftext\|>|<\|return\|>|<\|start\|>|<\|end\|>")
_CONTENT_ACTIONS: Final = {
    "<|endoftext|>": CLOSE,
    "<|end|>": CLOSE,
    "<|return|>": CLOSE,
    "<|start|>": CLOSE,
}
_CONTENT_LITERALS: Final = (
    "<|endoftext|>",
    "<|return|>",
    "<|start|>",
    "<|end|>",
)
_CONTENT_BEGINNINGS: Final = beginnings("<|endoftext|>", "<|end|>", "<|return|>", "<|start|>")
_REASONING_CONTENT_DELIMITERS: Final = re.compile(
    r"<\|endoftext\|>|<\|return\|>|<\|start\|>|<\|end\|>"
)
_REASONING_CONTENT_ACTIONS: Final = {
    "<|endoftext|>": CLOSE,
    "<|end|>": CLOSE,
    "<|return|>": CLOSE,
    "<|start|>": CLOSE,
}
_REASONING_CONTENT_LITERALS: Final = (
    "<|endoftext|>",
    "<|return|>",
    "<|start|>",
    "<|end|>",
)
_REASONING_CONTENT_BEGINNINGS: Final = beginnings(
    "<|endoftext|>", "<|end|>", "<|return|>", "<|start|>"
)
_TOOL_CALLS_DELIMITERS: Final = re.compile(
    r"<\|endoftext\|>|<\|return\|>|<\|start\|>|<\|call\|>|<\|end\|>"
)
_TOOL_CALLS_ACTIONS: Final = {
    "<|call|>": CLOSE,
    "<|endoftext|>": CLOSE,
    "<|end|>": CLOSE,
    "<|return|>": CLOSE,
    "<|start|>": CLOSE,
}
_TOOL_CALLS_LITERALS: Final = (
    "<|endoftext|>",
    "<|return|>",
    "<|start|>",
    "<|call|>",
    "<|end|>",
)
_TOOL_CALLS_BEGINNINGS: Final = beginnings(
    "<|call|>", "<|endoftext|>", "<|end|>", "<|return|>", "<|start|>"
)

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
    place = start + 17
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith(" <|constrain|>", place):
        return unfinished(text, place, " <|constrain|>", place - 16)
    place += 14
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_2)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_2
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", start + 1)
    place += 11
    return MATCH, place, None, None


def _match_content_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 17
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_3)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_3
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("<|constrain|>", place):
        return unfinished(text, place, "<|constrain|>", place - 16)
    place += 13
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_4)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_4
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", start + 1)
    place += 11
    return MATCH, place, None, None


def _match_content_open_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 17
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_5)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_5
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 16)
    place += 11
    return MATCH, place, None, None


def _match_content_open_4(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 30
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_6)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_6
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 29)
    place += 11
    return MATCH, place, None, None


def _match_content_open_5(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 29
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_7)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_7
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 28)
    place += 11
    return MATCH, place, None, None


def _match_content_open_6(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 27
    return MATCH, place, None, None


def _match_content_open_7(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 22
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_8)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_8
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith(" <|constrain|>", place):
        return unfinished(text, place, " <|constrain|>", place - 21)
    place += 14
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_9)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_9
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", start + 1)
    place += 11
    return MATCH, place, None, None


def _match_content_open_8(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 22
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_10)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_10
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("<|constrain|>", place):
        return unfinished(text, place, "<|constrain|>", place - 21)
    place += 13
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_11)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_11
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", start + 1)
    place += 11
    return MATCH, place, None, None


def _match_content_open_9(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 22
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_12)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_12
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 21)
    place += 11
    return MATCH, place, None, None


def _match_content_open_10(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 35
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_13)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_13
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 34)
    place += 11
    return MATCH, place, None, None


def _match_content_open_11(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 34
    begin = place
    place = skip_run(text, place, _CONTENT_OPEN_RUN_14)
    if place == len(text):
        return PENDING, begin, None, _CONTENT_OPEN_WAKE_14
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 33)
    place += 11
    return MATCH, place, None, None


def _match_content_open_12(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 32
    return MATCH, place, None, None


# '<\\|channel\\|>(?:final|commentary)(?: \\w+)?(?: ?<\\|co' … opens 'content'
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
                (0, "<|channel|>final ", _match_content_open, "", "", None),
                (1, "<|channel|>final ", _match_content_open_2, "", "", None),
                (2, "<|channel|>final ", _match_content_open_3, "", "", None),
                (3, "<|channel|>final <|constrain|>", _match_content_open_4, "", "", None),
                (4, "<|channel|>final<|constrain|>", _match_content_open_5, "", "", None),
                (5, "<|channel|>final<|message|>", _match_content_open_6, "", "", None),
                (6, "<|channel|>commentary ", _match_content_open_7, "", "", None),
                (7, "<|channel|>commentary ", _match_content_open_8, "", "", None),
                (8, "<|channel|>commentary ", _match_content_open_9, "", "", None),
                (9, "<|channel|>commentary <|constrain|>", _match_content_open_10, "", "", None),
                (10, "<|channel|>commentary<|constrain|>", _match_content_open_11, "", "", None),
                (11, "<|channel|>commentary<|message|>", _match_content_open_12, "", "", None),
            ),
        ),
    )


def _match_reasoning_content_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 20
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith(" <|constrain|>", place):
        return unfinished(text, place, " <|constrain|>", place - 19)
    place += 14
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN_2)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE_2
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", start + 1)
    place += 11
    return MATCH, place, None, None


def _match_reasoning_content_open_2(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 20
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN_3)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE_3
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("<|constrain|>", place):
        return unfinished(text, place, "<|constrain|>", place - 19)
    place += 13
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN_4)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE_4
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", start + 1)
    place += 11
    return MATCH, place, None, None


def _match_reasoning_content_open_3(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 20
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN_5)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE_5
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 19)
    place += 11
    return MATCH, place, None, None


def _match_reasoning_content_open_4(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 33
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN_6)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE_6
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 32)
    place += 11
    return MATCH, place, None, None


def _match_reasoning_content_open_5(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 32
    begin = place
    place = skip_run(text, place, _REASONING_CONTENT_OPEN_RUN_7)
    if place == len(text):
        return PENDING, begin, None, _REASONING_CONTENT_OPEN_WAKE_7
    if not text.startswith("<|message|>", place):
        return unfinished(text, place, "<|message|>", place - 31)
    place += 11
    return MATCH, place, None, None


def _match_reasoning_content_open_6(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 30
    return MATCH, place, None, None


# '<\\|channel\\|>analysis(?: \\w+)?(?: ?<\\|constrain\\|>[' … opens 'reasoning_content'
def _seek_reasoning_content_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text,
        at_end,
        seek_ways(
            text,
            pos,
            at_end,
            _REASONING_CONTENT_OPEN_HEADS,
            (
                (0, "<|channel|>analysis ", _match_reasoning_content_open, "", "", None),
                (1, "<|channel|>analysis ", _match_reasoning_content_open_2, "", "", None),
                (2, "<|channel|>analysis ", _match_reasoning_content_open_3, "", "", None),
                (
                    3,
                    "<|channel|>analysis <|constrain|>",
                    _match_reasoning_content_open_4,
                    "",
                    "",
                    None,
                ),
                (
                    4,
                    "<|channel|>analysis<|constrain|>",
                    _match_reasoning_content_open_5,
                    "",
                    "",
                    None,
                ),
                (
                    5,
                    "<|channel|>analysis<|message|>",
                    _match_reasoning_content_open_6,
                    "",
                    "",
                    None,
                ),
            ),
        ),
    )


def _match_tool_calls_open(text: str, start: int, memo: Memo | None = None) -> Matched:
    place = start + 13
    name_start = place
    begin = place
    place = skip_known_run(text, place, _TOOL_CALLS_OPEN_RUN, memo, 0)
    if place == len(text):
        return PENDING, begin, None, _TOOL_CALLS_OPEN_WAKE
    if place < begin + 1:
        return MISMATCH, start + 1, None, None
    name_end = place
    found = find_known(text, "<|message|>", place, memo, 1)
    if found < 0:
        return PENDING, place, None, _TOOL_CALLS_OPEN_WAKE_2
    place = found + 11
    return MATCH, place, {"name": text[name_start:name_end]}, None


# 'to=functions\\.(?P<name>[^\\s<]+).*?<\\|message\\|>' opens 'tool_calls'
def _seek_tool_calls_open(text: str, pos: int, at_end: bool) -> Sought:
    return settled(
        text, at_end, seek_steps(text, pos, at_end, "to=functions.", _match_tool_calls_open)
    )


_OUTSIDE_SEEKERS: Final = (
    (_seek_content_open, _IN_CONTENT, True),
    (_seek_reasoning_content_open, _IN_REASONING_CONTENT, True),
    (_seek_tool_calls_open, _IN_TOOL_CALLS, True),
)


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    return earliest(text, pos, at_end, seen, _OUTSIDE_SEEKERS)


def _find_end_of_content(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    match = _CONTENT_DELIMITERS.search(text, pos)
    if match is None:
        start = len(text) if at_end else held_from_any(text, pos, _CONTENT_LITERALS)
        return NOTHING, start, start, None, None
    start, end = match.span()
    return _CONTENT_ACTIONS[match[0]], start, end, None, None


def _hold_content(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if ">" in text and _CONTENT_DELIMITERS.search(text):
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _CONTENT_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_reasoning_content(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    match = _REASONING_CONTENT_DELIMITERS.search(text, pos)
    if match is None:
        start = len(text) if at_end else held_from_any(text, pos, _REASONING_CONTENT_LITERALS)
        return NOTHING, start, start, None, None
    start, end = match.span()
    return _REASONING_CONTENT_ACTIONS[match[0]], start, end, None, None


def _hold_reasoning_content(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if ">" in text and _REASONING_CONTENT_DELIMITERS.search(text):
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _REASONING_CONTENT_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_tool_calls(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    match = _TOOL_CALLS_DELIMITERS.search(text, pos)
    if match is None:
        start = len(text) if at_end else held_from_any(text, pos, _TOOL_CALLS_LITERALS)
        return NOTHING, start, start, None, None
    start, end = match.span()
    return _TOOL_CALLS_ACTIONS[match[0]], start, end, None, None


def _hold_tool_calls(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if ">" in text and _TOOL_CALLS_DELIMITERS.search(text):
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _TOOL_CALLS_BEGINNINGS:
        start = len(text)
    return start


_FINDERS: Final = (
    _find_outside,
    _find_end_of_content,
    _find_end_of_reasoning_content,
    _find_end_of_tool_calls,
)

_HOLDS: Final = (
    undecided,
    _hold_content,
    _hold_reasoning_content,
    _hold_tool_calls,
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
        "_dropping",
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
        self._dropping = False
        self._held: str = ""
        self._awaited: Awaited | None = None
        self._waiting: list[str] = []
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._captures: dict[str, str] = {}
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last(prefix, "<|start|>assistant")):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "t" not in text:
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            event = chunk.copy()
            event["text"] = text
            return [event]
        if self._dropping and text and "<" not in text and "t" not in text:
            self._offset += len(text)
            return []
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
        if state == _OUTSIDE:
            self._offset += end
            self._dropping = end == len(text)
            return []
        if end == 0:
            self._chunk = None
            return []
        chunk = _CHUNKS[state]
        self._chunk = chunk if end == len(text) else None
        text = text[:end]
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = chunk.copy()
        event["text"] = text
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
        self._dropping = False
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
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                self._captures = groups or {}
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        self._held = text[pos:]
        if wake is not None and not at_end and len(text) - pos >= LONG_HELD:
            self._awaited = Awaited(wake, text[pos:])
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)
        self._dropping = pos == len(text) and not at_end and self._state == _OUTSIDE

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
            joined = joined + "\n"
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
