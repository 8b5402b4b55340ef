# Compiled by respc from mimo.json. Do not edit: change the template and compile it again.
# Template sha256: b4f478e8a89a3588c5f656d9fb85e37b0a933c0d704033e6865263986df5a93e
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
from respc_runtime.message_values import join_values
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States, run_until
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.tag_ways import Closing
from respc_runtime.tags import tag_pairs
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

_TOOL_CALLS_TAG_OPENING: Final = compiled(r"<parameter[= ](?P<key>[^<>\n]+)>")
_TOOL_CALLS_TAG_CLOSING: Final = Closing(
    compiled(r"</parameter>(?:\s*</function>)?|(?=<parameter[= ][^<>\n]+>)"),
    compiled("</parameter>|<parameter[= ]"),
)


def _read_tool_calls(parser: AnyStream, body: str) -> dict[str, Any]:
    return dict(
        tag_pairs(
            body, _TOOL_CALLS_TAG_OPENING, _TOOL_CALLS_TAG_CLOSING, strict=parser.strict_bodies
        )
    )


def _end_reasoning_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "reasoning_content", "\n", value)
    return value


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    content = _read_tool_calls(parser, body)
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
    r"<think>(?P<reasoning_content>)"
    r"|(?:<tool_call>\s*<function[= ](?P<name>[^<>\n]+)>(?=\s*(?:<parameter[= ]|</function>))"
    r"|<function[= ](?P<name_2>[^<>\n]+)>(?=\s*(?:<parameter[= ]|</function>))|<tool_call>\s*"
    r"(?P<name_3>)(?=(?:\{|<function(?:[= ]?>|[= ][^<>\n]+(?:[<\n]|>\s*\{|>\n+[^\s<])))))"
    r"(?P<tool_calls>)"
    r"|(?:(?:</think>|</tool_call>|</function>|</parameter>)\s*|<tool_call>\s*"
    r"(?=(?:</?tool_call>|(?:<\|im_end\|>|<\|endoftext\|>|<\|im_start\|>)))|(?:<\|im_end\|>"
    r"|<\|endoftext\|>|<\|im_start\|>).*)(?P<close>)",
    r"(?~<think>|<tool_call>\s*(?~<function[= ](?:[^<>\n]+(?~>(?:\s*(?~<parameter[= ]"
    r"|</function>))?))?|<function[= ]?|</?(?~tool_call>)?|<\|im_end\|>|<\|im_start\|>"
    r"|<\|endoftext\|>)|<function[= ](?:[^<>\n]+(?~>\s*(?~<parameter[= ]|</function>)))?"
    r"|</think>|</tool_call>|</function>|</parameter>|<\|im_end\|>|<\|im_start\|>"
    r"|<\|endoftext\|>)\Z",
    longer=r"<(?:tool_call>\s*(?:\Z(?P<in_blanks>)|<function[= ][^<>\n]+(?:\Z(?P<in_name>)"
    r"|>(?:\s*\Z(?P<in_blanks_2>)|\n+\Z(?P<in_name_b>))))|function[= ][^<>\n]+"
    r"(?:\Z(?P<in_name_2>)|>\s*\Z(?P<in_blanks_3>)))"
    r"|(?:</think>|</tool_call>|</function>|</parameter>)\s*\Z(?P<in_blanks_4>)"
    r"|(?:<\|im_end\|>|<\|endoftext\|>|<\|im_start\|>).*\Z(?P<in_rest>)",
    runs={"in_name": run_until(r"[<>\n]"), "in_name_b": run_until(r"[^\n]")},
    waits=["tool_calls", "close"],
    captures={"tool_calls": {"name": "name", "name_2": "name", "name_3": "name"}},
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"</think>\s*(?P<close>)"
            r"|(?=<tool_call>\s*<function[= ][^<>\n]+>\s*(?:<parameter[= ]|</function>))(?P<close_2>)"
            r"|(?:<\|im_end\|>|<\|endoftext\|>|<\|im_start\|>).*(?P<close_3>)",
            r"(?~</think>|<tool_call>\s*(?~<function[= ](?:[^<>\n]+(?~>\s*(?~<parameter[= ]"
            r"|</function>)))?)|<\|im_end\|>|<\|im_start\|>|<\|endoftext\|>)\Z",
            longer=r"<(?:/think>\s*\Z(?P<in_blanks>)|tool_call>\s*(?:\Z(?P<in_blanks_2>)"
            r"|<function[= ][^<>\n]+(?:\Z(?P<in_run>)|>\s*\Z(?P<in_blanks_3>))))"
            r"|(?:<\|im_end\|>|<\|endoftext\|>|<\|im_start\|>).*\Z(?P<in_rest>)",
            runs={"in_run": run_until(r"[<>\n]")},
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:</function>\s*)?</tool_call>\s*(?P<close>)"
            r"|(?:</function>\s*(?=(?:<function[= ]|<tool_call>))|</function>\n+(?=[^\s<]))"
            r"(?P<close_2>)"
            r"|(?:(?=(?:<tool_call>\s*(?:<function[= ]|<tool_call>|\{)"
            r"|<function[= ][^<>\n]+>\s*<parameter[= ]))|(?:</function>\s*)?(?:<\|im_end\|>"
            r"|<\|endoftext\|>|<\|im_start\|>).*)(?P<close_3>)",
            r"(?~</function>(?:\s*(?~<function[= ]|<tool_call>))?|</tool_call>|<tool_call>\s*"
            r"(?~<function[= ]|<tool_call>)|<function[= ](?:[^<>\n]+(?~>\s*(?~<parameter[= ])))?"
            r"|<\|im_end\|>|<\|im_start\|>|<\|endoftext\|>)\Z"
            r"|(?:</function>\s*)(?~</tool_call>|<\|im_end\|>|<\|im_start\|>|<\|endoftext\|>)?\Z",
            longer=r"<(?:/(?:function>(?:\s*\Z(?P<in_blanks>)|\n+\Z(?P<in_run>))"
            r"|tool_call>\s*\Z(?P<in_blanks_2>))|tool_call>\s*\Z(?P<in_blanks_4>)|function[= ][^<>\n]+"
            r"(?:\Z(?P<in_run_b>)|>\s*\Z(?P<in_blanks_5>)))"
            r"|(?:</function>\s*)(?:</tool_call>\s*\Z(?P<in_blanks_3>)|(?:<\|im_end\|>|<\|endoftext\|>"
            r"|<\|im_start\|>).*\Z(?P<in_rest_2>))"
            r"|(?:<\|im_end\|>|<\|endoftext\|>|<\|im_start\|>).*\Z(?P<in_rest>)",
            runs={"in_run": run_until(r"[^\n]"), "in_run_b": run_until(r"[<>\n]")},
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
    return after_last(prefix, "<|im_start|>assistant\n")


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
        "tool_calls": {"name": ("captures", "name"), "id": None, "arguments": None, "each": False}
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "reasoning_content": {"join": "\n", "strip": True},
        "content": {"join": "\n", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": ("<think>",),
        "tool_calls": (
            "<function",
            "<tool_call>",
        ),
    }
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|endoftext|>",
        "<|im_end|>",
        "<|im_start|>",
    )

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
