# Compiled by respc from reka_edge.json. Do not edit: change the template and compile it again.
# Template sha256: 6f5f7c906b2e8f95e49e1ec127f02d14ff43411cabcf5fcfc8935f8db8e7a0e1
# ABI of respc_runtime: 6
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi

# Asked first: another runtime may lack what is imported next.
__abi__ = require_abi(6, __name__)

from respc_runtime.anchors import after_last_match
from respc_runtime.batches import ParseResponse
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.json_bodies import parse_json
from respc_runtime.message_values import join_values
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States
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

_ANCHOR: Final = compiled("<sep>assistant: ?")


def _end_reasoning_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "reasoning_content", "\n", value)
    return value


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
    r" <think>(?P<reasoning_content>)"
    r"|<think>(?P<reasoning_content_2>)"
    r"|(?:</think>\s*|</tool_call>\s*|<tool_call>\s*</tool_call>\s*|<sep>.*)(?P<close>)"
    r"|<tool_call>(?P<tool_calls>)",
    longer=r"<(?:tool_call>\s*(?:\Z(?P<in_blanks_3>)|</tool_call>\s*\Z(?P<in_blanks_4>))"
    r"|/t(?:hink>\s*\Z(?P<in_blanks>)|ool_call>\s*\Z(?P<in_blanks_2>))|sep>.*\Z(?P<in_rest>))"
    r"|(?~ <think>)\Z"
    r"|(?~<think>|<tool_call>\s*(?~</tool_call>)|</think>|</tool_call>|<sep>)\Z",
    waits=["close"],
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"</think>\s*(?P<close>)|(?=<tool_call>\s*\{)(?P<close_2>)|<sep>.*(?P<close_3>)",
            r"(?~</think>|<tool_call>|<sep>)\Z",
            longer=r"<(?:/think>\s*\Z(?P<in_blanks>)|tool_call>\s*\Z(?P<in_blanks_2>)|sep>.*\Z(?P<in_rest>))",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"</tool_call>\s*(?P<close>)|(?=<tool_call>\s*\{)(?P<close_2>)|<sep>.*(?P<close_3>)",
            r"(?~</tool_call>|<tool_call>|<sep>)\Z",
            longer=r"<(?:/tool_call>\s*\Z(?P<in_blanks>)|tool_call>\s*\Z(?P<in_blanks_2>)"
            r"|sep>.*\Z(?P<in_rest>))",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={"reasoning_content_2": "reasoning_content", "close_2": "close", "close_3": "close"},
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
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

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and not text[-1].isspace():
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
            "name": ("content", "name"),
            "id": None,
            "arguments": ("content", "arguments"),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "reasoning_content": {"join": "\n", "strip": True},
        "content": {"join": "\n", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": (
            " <think>",
            "<think>",
        ),
        "tool_calls": ("<tool_call>",),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = ("<sep>",)

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and not text[-1].isspace():
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
