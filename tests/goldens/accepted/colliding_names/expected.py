# Compiled by respc from template.json. Do not edit: change the template and compile it again.
# Template sha256: 9b4d638c7308d9c29d56c49280c235f75e8b1b5ffc02efee10026d2bd1b82967
# ABI of respc_runtime: 6
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi

# Asked first: another runtime may lack what is imported next.
__abi__ = require_abi(6, __name__)

from respc_runtime.anchors import after_last
from respc_runtime.batches import ParseResponse
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.json_bodies import parse_json
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.string_closers import JSON_QUOTES, QuotesOfFields
from respc_runtime.tools import cast_arguments, prepare_tools

if TYPE_CHECKING:
    from respc_runtime.events import ServingEvent

__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionOpen",
    "ResponseParser",
    "ServingParser",
    "parse_response",
    "prepare_tools",
]

Field: TypeAlias = Literal[
    "tool-calls", "tool_calls", "Tool Calls", "outside", "nothing", "None", "import"
]


# What a response becomes. A key is missing where its field caught nothing.
Message = TypedDict(
    "Message",
    {
        "str": str,
        "role": str,
        "tool-calls": list[Any],
        "tool_calls": int,
        "Tool Calls": float,
        "outside": bool,
        "nothing": str,
        "None": str,
        "import": str,
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

# The event for text of each region, to be copied.
_TOOL_CALLS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "tool-calls",
    "text": "",
    "dirty": True,
}
_TOOL_CALLS_2: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "tool_calls",
    "text": "",
    "dirty": False,
}
_TOOL_CALLS_3: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "Tool Calls",
    "text": "",
    "dirty": False,
}
_OUTSIDE: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "outside",
    "text": "",
    "dirty": False,
}
_NOTHING: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "nothing",
    "text": "",
    "dirty": False,
}
_NONE: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "None",
    "text": "",
    "dirty": False,
}
_IMPORT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "import",
    "text": "",
    "dirty": False,
}


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    value: Any = parse_json(body)
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("tool-calls", []).append(value)
    return value


def _end_tool_calls_2(parser: AnyStream, body: str) -> int:
    value = int(body.strip())
    parser.message["tool_calls"] = value
    return value


def _end_tool_calls_3(parser: AnyStream, body: str) -> float:
    value = float(body.strip())
    parser.message["Tool Calls"] = value
    return value


def _end_outside(parser: AnyStream, body: str) -> bool:
    value = body.strip().lower() in ("true", "1")
    parser.message["outside"] = value
    return value


def _end_nothing(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["nothing"] = value
    return value


def _end_none(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["None"] = value
    return value


def _end_import(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["import"] = value
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE_2: Final = State(
    r"<6>(?P<none>)"
    r"|<3>(?P<tool_calls_3>)"
    r"|<5>(?P<nothing>)"
    r"|<4>(?P<outside>)"
    r"|<1>(?P<tool_calls>)"
    r"|<2>(?P<tool_calls_2>)"
    r"|<end>(?P<close>)",
    r"(?~<6>|<3>|<5>|<4>|<1>|<2>|<end>)\Z",
)
_STATES: Final = States(
    _OUTSIDE_2,
    {
        "close": _OUTSIDE_2,
        "none": State("</6>(?P<close>)", r"(?~</6>)\Z", chunk=_NONE, close=_end_none),
        "tool_calls_3": State(
            "</3>(?P<close>)", r"(?~</3>)\Z", chunk=_TOOL_CALLS_3, close=_end_tool_calls_3
        ),
        "nothing": State("</5>(?P<close>)", r"(?~</5>)\Z", chunk=_NOTHING, close=_end_nothing),
        "outside": State("</4>(?P<close>)", r"(?~</4>)\Z", chunk=_OUTSIDE, close=_end_outside),
        "tool_calls": State(
            "</1>(?P<close>)", r"(?~</1>)\Z", chunk=_TOOL_CALLS, close=_end_tool_calls
        ),
        "tool_calls_2": State(
            "</2>(?P<close>)", r"(?~</2>)\Z", chunk=_TOOL_CALLS_2, close=_end_tool_calls_2
        ),
    },
    implicit=_OUTSIDE_2.changed(chunk=_IMPORT, close=_end_import),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "<|assistant|>")


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
    defaults: ClassVar[dict[str, Any]] = {"str": "s", "role": "assistant"}
    after_anchor = staticmethod(_after_anchor)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


class ServingParser(ServingStream[Message, "ServingEvent"]):
    """The same for serving engines, and its outcome does not depend on how the text is cut.

    Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one
    too. ``calls`` and ``texts`` tell what is known of values before their regions end.
    """

    __slots__ = ()

    states = _STATES.stable()
    defaults: ClassVar[dict[str, Any]] = {"str": "s", "role": "assistant"}
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {
        "tool_calls": {"name": None, "id": None, "arguments": None, "each": False}
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "nothing": {"join": None, "strip": True},
        "None": {"join": None, "strip": True},
        "import": {"join": None, "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "tool-calls": ("<1>",),
        "tool_calls": ("<2>",),
        "Tool Calls": ("<3>",),
        "outside": ("<4>",),
        "nothing": ("<5>",),
        "None": ("<6>",),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool-calls": JSON_QUOTES}
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
