# Compiled by respc from gigachat3.json. Do not edit: change the template and compile it again.
# Template sha256: 85ffcadbfa24154571e7771c23daacb126ab03a6d2e70efce5b5396d8f40db9d
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
from respc_runtime.patterns import words_pattern
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States, run_until
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.string_closers import JSON_QUOTES, QuotesOfFields
from respc_runtime.tools import cast_arguments, prepare_tools
from respc_runtime.transforms import descend

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

# The event for text of each region, to be copied.
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


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    content = parse_json(body)
    value: Any = {
        "type": "function",
        "function": {
            "name": descend(content, "content.name", "name"),
            "arguments": descend(content, "content.arguments", "arguments"),
        },
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
    r"(?:<\|message_sep\|>\s*|<\|function_call\|>\s*<\|message_sep\|>\s*)(?P<close>)"
    r"|(?:</s>|(?:user|system|assistant|function result)<\|role_sep\|>).*(?P<close_2>)"
    r"|function call<\|role_sep\|>(?P<tool_calls>)"
    r"|<\|function_call\|>(?P<tool_calls_2>)",
    longer=r"<\|(?:message_sep\|>\s*\Z(?P<in_blanks>)|function_call\|>\s*(?:\Z(?P<in_blanks_2>)"
    r"|<\|message_sep\|>\s*\Z(?P<in_blanks_3>)))"
    r"|(?:</s>|(?:user|system|assistant|function result)<\|role_sep\|>).*\Z(?P<in_rest>)"
    r"|(?~<\|message_sep\|>|<\|function_call\|>\s*(?~<\|message_sep\|>)|</s>)\Z"
    r"|(?~user)\Z"
    r"|(?~system)\Z"
    r"|(?~assistant)\Z"
    r"|(?~function result|function call<\|role_sep\|>)\Z"
    r"|(?:user|system|assistant|function result)(?~<\|role_sep\|>)?\Z",
    waits=["close", "close_2"],
    first="[<afsu]",
    direct=False,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            r"<\|message_sep\|>\s*(?P<close>)"
            r"|(?=(?:<\|function_call\|>|function call<\|role_sep\|>))(?P<close_2>)"
            r'|\n(?<!\n\n)\n*(?=[^\s"\[\]{},\d\-tfn])(?P<close_3>)'
            r"|(?:</s>|(?:user|system|assistant|function result)<\|role_sep\|>).*(?P<close_4>)",
            longer=r"<\|message_sep\|>\s*\Z(?P<in_blanks>)"
            r"|\n(?<!\n\n)\n*\Z(?P<in_run>)"
            r"|(?:</s>|(?:user|system|assistant|function result)<\|role_sep\|>).*\Z(?P<in_rest>)"
            r"|(?~<\|message_sep\|>|<\|function_call\|>|</s>)\Z"
            r"|(?~function call<\|role_sep\|>|function result)\Z"
            r"|(?~user)\Z"
            r"|(?~system)\Z"
            r"|(?~assistant)\Z"
            r"|(?:user|system|assistant|function result)(?~<\|role_sep\|>)?\Z",
            runs={"in_run": run_until(r"[^\n]")},
            waits=["close", "close_2", "close_3", "close_4"],
            guards=("(?<!\\n\\n)",),
            make=words_pattern,
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
            direct=False,
        ),
    },
    aliases={
        "close_2": "close",
        "tool_calls_2": "tool_calls",
        "close_3": "close",
        "close_4": "close",
    },
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "assistant<|role_sep|>\n")


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
            "name": ("content", "name"),
            "id": None,
            "arguments": ("content", "arguments"),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {"content": {"join": "\n", "strip": True}}
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "tool_calls": (
            "<|function_call|>",
            "function call<|role_sep|>",
        )
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "</s>",
        "assistant<|role_sep|>",
        "function result<|role_sep|>",
        "system<|role_sep|>",
        "user<|role_sep|>",
    )


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
