# Compiled by respc from end_anchors.json. Do not edit: change the template and compile it again.
# Template sha256: 4b5780a759bbecce4f76bfd8543a0372144d0552aedfa31ee436a55e111acfc5
# ABI of respc_runtime: 6
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi

# Asked first: another runtime may lack what is imported next.
__abi__ = require_abi(6, __name__)

from respc_runtime.anchors import after_last_match
from respc_runtime.batches import ParseResponse
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.message_values import join_values
from respc_runtime.patterns import Pattern, PatternState, compile_pattern
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.tools import prepare_tools

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

# The event for text of each region, to be copied.
_HEAD: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "head",
    "text": "",
    "dirty": False,
}
_LINE: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "line",
    "text": "",
    "dirty": False,
}
_TAIL: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "tail",
    "text": "",
    "dirty": False,
}
_BODY: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "body",
    "text": "",
    "dirty": False,
}

_ANCHOR: Final = compile_pattern(r"(?<=\n|^)bot:")


def _end_head(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["head"] = value
    return value


def _end_line(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message.setdefault("line", []).append(value)
    return value


def _end_tail(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["tail"] = value
    return value


def _end_body(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "body", "|", value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = PatternState(
    [
        Pattern("head", "^#", reach=3, first="#"),
        Pattern("line", r"\bitem\b", reach=8, first="i"),
        Pattern("tail", r"--\Z", reach=4, first="-"),
        Pattern("close", r"<end>\s*|$"),
    ],
    direct=False,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "head": State(
            "(?!)", waits=["close", "close_2"], newline="close_2", chunk=_HEAD, close=_end_head
        ),
        "line": PatternState(
            [Pattern("close", r"(?<=;)|\Z", reach=3)], chunk=_LINE, close=_end_line, direct=False
        ),
        "tail": State("never(?P<close>)", r"(?~never)\Z", chunk=_TAIL, close=_end_tail),
    },
    aliases={"close_2": "close"},
    implicit=_OUTSIDE.changed(chunk=_BODY, close=_end_body),
    context=1,
    whole=False,
)


def _after_anchor(prefix: str) -> str:
    return after_last_match(prefix, _ANCHOR)


class ResponseParser(Stream[Message, Event]):
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and
    gives the message alone. After an exception the parser refuses further use.

    Args:
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many parsers.
    """

    __slots__ = ()

    states = _STATES
    defaults: ClassVar[dict[str, Any]] = {"role": "assistant"}
    after_anchor = staticmethod(_after_anchor)


class _CollectingParser(ServingStream[Message, dict[str, Any]]):
    """Reads whole texts and collects what cannot be read.

    It has the care of parsers for serving engines, but what it makes of a stream can depend on how
    that is cut.
    """

    __slots__ = ()

    states = _STATES
    defaults: ClassVar[dict[str, Any]] = {"role": "assistant"}
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {}
    texts: ClassVar[dict[str, TextForm]] = {
        "head": {"join": None, "strip": True},
        "line": {"join": None, "strip": True},
        "tail": {"join": None, "strip": True},
        "body": {"join": "|", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "head": ("#",),
        "line": ("item",),
        "tail": ("--",),
    }


parse_response: Final = ParseResponse(ResponseParser, _CollectingParser)
