# Compiled by respc from plamo3.json. Do not edit: change the template and compile it again.
# Template sha256: d350fbc1b1dd7a76f67e5d63b0ef1b0754b23cf08b608774d5fec0a1bf3f3b43
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
from respc_runtime.message_values import join_values
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States, run_until
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

# The event for text of each region, to be copied.
_REASONING_CONTENT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "reasoning_content",
    "text": "",
    "dirty": False,
}
_TOOL_CALLS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "tool_calls",
    "text": "",
    "dirty": True,
}
_CONTENT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "content",
    "text": "",
    "dirty": False,
}


def _end_reasoning_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "reasoning_content", "\n", value)
    return value


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    content = parse_json(body)
    value: Any = {
        "type": "function",
        "function": {"name": parser.captures["name"], "arguments": content},
    }
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("tool_calls", []).append(value)
    return value


def _end_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "content", "\n", value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<\|plamo:begin_think:plamo\|>(?P<reasoning_content>)"
    r"|(?:<\|plamo:begin_tool_request:plamo\|>\s*<\|plamo:begin_tool_name:plamo\|>"
    r"(?P<name>[^<]+)<\|plamo:end_tool_name:plamo\|>\s*<\|plamo:begin_tool_arguments:plamo\|>"
    r"\s*(?:(?:<\|plamo:constrain\|>[^<{]*)?<\|plamo:msg\|>|(?=[^\s<]))"
    r"|<\|plamo:begin_tool_request:plamo\|>\s*<\|plamo:begin_tool_name:plamo\|>(?P<name_2>)"
    r"(?=<))(?P<tool_calls>)"
    r"|(?:<\|plamo:end_think:plamo\|>\s*|<\|plamo:begin_tool_requests:plamo\|>\s*"
    r"|<\|plamo:end_tool_(?:requests?|arguments):plamo\|>\s*"
    r"|<\|plamo:begin_tool_request:plamo\|>\s*(?=<\|plamo:(?:begin"
    r"|end)_tool_requests?:plamo\|>)|<\|plamo:tag\|>.*)(?P<close>)",
    r"(?~<\|plamo:begin_think:plamo\|>|<\|plamo:begin_tool_request(?~:plamo\|>\s*"
    r"(?~<\|plamo:begin_tool_name:plamo\|>(?:[^<]+(?~<\|plamo:end_tool_name:plamo\|>\s*"
    r"(?~<\|plamo:begin_tool_arguments:plamo\|>\s*(?~<\|plamo:constrain\|>"
    r"|(?:<\|plamo:constrain\|>[^<{]*)?(?~<\|plamo:msg\|>)?))))?|<\|plamo:end"
    r"|<\|plamo:(?:begin|end)(?~_tool_request(?:s?(?~:plamo\|>)?)?)?)|s:plamo\|>)?"
    r"|<\|plamo:end_think:plamo\|>|<\|plamo:end_tool_requests|<\|plamo:end_tool_arguments"
    r"|<\|plamo:end_tool_(?:requests?|arguments)(?~:plamo\|>)?|<\|plamo:tag\|>)\Z",
    longer=r"<\|plamo:(?:begin_tool_request(?::plamo\|>\s*(?:\Z(?P<in_blanks>)"
    r"|<\|plamo:begin_tool_name:plamo\|>[^<]+(?:\Z(?P<in_name>)"
    r"|<\|plamo:end_tool_name:plamo\|>\s*(?:\Z(?P<in_blanks_2>)"
    r"|<\|plamo:begin_tool_arguments:plamo\|>\s*(?:\Z(?P<in_blanks_3>)"
    r"|<\|plamo:constrain\|>[^<{]*\Z(?P<in_name_b>)))))|s:plamo\|>\s*\Z(?P<in_blanks_5>))"
    r"|end_t(?:hink:plamo\|>\s*\Z(?P<in_blanks_4>)|ool_(?:requests?"
    r"|arguments):plamo\|>\s*\Z(?P<in_blanks_6>))|tag\|>.*\Z(?P<in_rest>))",
    runs={"in_name": run_until("<"), "in_name_b": run_until("[<{]")},
    waits=["tool_calls", "close"],
    captures={"tool_calls": {"name": "name", "name_2": "name"}},
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"<\|plamo:end_think:plamo\|>\s*(?P<close>)"
            r"|(?=<\|plamo:begin_tool_requests?:plamo\|>)(?P<close_2>)"
            r"|<\|plamo:tag\|>.*(?P<close_3>)",
            r"(?~<\|plamo:end_think:plamo\|>|<\|plamo:begin_tool_request(?:s?(?~:plamo\|>)?)?"
            r"|<\|plamo:tag\|>)\Z",
            longer=r"<\|plamo:(?:end_think:plamo\|>\s*\Z(?P<in_blanks>)|tag\|>.*\Z(?P<in_rest>))",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:<\|plamo:end_tool_arguments:plamo\|>\s*|<\|plamo:end_tool_request:plamo\|>\s*"
            r"|<\|plamo:end_tool_requests:plamo\|>\s*)(?P<close>)"
            r"|(?=<\|plamo:begin_tool_request:plamo\|>)(?P<close_2>)"
            r"|<\|plamo:tag\|>.*(?P<close_3>)",
            r"(?~<\|plamo:end_tool_arguments:plamo\|>|<\|plamo:end_tool_request(?~:plamo\|>"
            r"|s:plamo\|>)?|<\|plamo:begin_tool_request:plamo\|>|<\|plamo:tag\|>)\Z",
            longer=r"<\|plamo:(?:end_tool_(?:arguments:plamo\|>\s*\Z(?P<in_blanks>)"
            r"|request(?::plamo\|>\s*\Z(?P<in_blanks_2>)|s:plamo\|>\s*\Z(?P<in_blanks_3>)))"
            r"|tag\|>.*\Z(?P<in_rest>))",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={"close_2": "close", "close_3": "close"},
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "assistant<|plamo:msg|>")


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
    defaults: ClassVar[dict[str, Any]] = {"role": "assistant"}
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {
        "tool_calls": {
            "name": ("captures", "name"),
            "id": None,
            "arguments": ("content",),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "reasoning_content": {"join": "\n", "strip": True},
        "content": {"join": "\n", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": ("<|plamo:begin_think:plamo|>",),
        "tool_calls": ("<|plamo:begin_tool_request:plamo|>",),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = ("<|plamo:tag|>",)

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
