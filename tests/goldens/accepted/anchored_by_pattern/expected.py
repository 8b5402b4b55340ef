# Compiled by respc from template.json. Do not edit: change the template and compile it again.
# Template sha256: 18512d89072d92edcb524299fd201d4b7262142bfb562b69b5725e8c2d3c0eb7
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
from respc_runtime.patterns import Pattern, PatternState
from respc_runtime.searches import compiled
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

Field: TypeAlias = Literal["answer", "notes"]


class Message(TypedDict, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    answer: str
    notes: str


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
_ANSWER: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "answer",
    "text": "",
    "dirty": False,
}
_NOTES: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "notes",
    "text": "",
    "dirty": False,
}

_ANCHOR: Final = compiled(r"<\|turn\|>(?:assistant|model)\s")


def _end_answer(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["answer"] = value
    return value


def _end_notes(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "notes", "; ", value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = PatternState(
    [
        Pattern("answer", r"\banswer\b:", reach=11, first="a"),
        Pattern("notes", r"\[note\]", declared=True, first="["),
    ],
    direct=False,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "answer": State(
            r"(?=\n\n)(?P<close>)",
            hidden=r"(?~\n\n)\Z",
            waits=["close", "close_2"],
            newline="close_2",
            first=r"[\n]",
            chunk=_ANSWER,
            close=_end_answer,
        ),
        "notes": State(
            r"(?:\[/note\]\n|\[/note\])(?P<close>)",
            longer=r"(?~\[/note\]\n)\Z",
            waits=["close"],
            chunk=_NOTES,
            close=_end_notes,
        ),
    },
    aliases={"close_2": "close"},
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
    required = ("answer",)
    after_anchor = staticmethod(_after_anchor)


class _CollectingParser(ServingStream[Message, dict[str, Any]]):
    """Reads whole texts and collects what cannot be read.

    It has the care of parsers for serving engines, but what it makes of a stream can depend on how
    that is cut.
    """

    __slots__ = ()

    states = _STATES
    required = ("answer",)
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {}
    texts: ClassVar[dict[str, TextForm]] = {
        "answer": {"join": None, "strip": True},
        "notes": {"join": "; ", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {"answer": ("answer:",), "notes": ("[note]",)}


parse_response: Final = ParseResponse(ResponseParser, _CollectingParser)
