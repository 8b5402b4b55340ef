# Compiled by respc from k2_horizon.json. Do not edit: change the template and compile it again.
# Template sha256: a7e1fafae66fee50865f4e821a754c625545f5a2aa0cce77d204cc95aea81925
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
from respc_runtime.states import BLANK_RUN, State, States, run_until
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

_TOOL_CALLS_TAG_OPENING: Final = compiled(
    r"<ifm\|arg_key>(?P<key>[^<]+)</ifm\|arg_key>\s*(?:<ifm\|arg_type>[^<]*</ifm\|arg_type>\s*"
    r")?<ifm\|arg_value>"
)
_TOOL_CALLS_TAG_CLOSING: Final = Closing(
    compiled(r"</ifm\|arg_value>|(?=<ifm\|arg_key>)"), compiled(r"</ifm\|arg_value>|<ifm\|arg_key>")
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


# What ends each state, and what that leads to; then what has only begun to.
_OUTSIDE: Final = State(
    r"(?:<ifm\|think_faster>|<ifm\|think_fast>|<ifm\|think>)(?P<reasoning_content>)"
    r"|(?:<ifm\|tool_call>\s*(?P<name>[^\s<{\[]+)|<ifm\|tool_call>\s*(?P<name_2>)(?=[{\[]))(?P"
    r"<tool_calls>)|(?:</ifm\|think>\s*|</ifm\|think_fast>\s*|</ifm\|think_faster>\s*"
    r"|</?ifm\|tool_calls>\s*|</ifm\|tool_call>\s*|</ifm\|arg_(?:key|type|value)>\s*"
    r"|<ifm\|tool_call>\s*(?=</?ifm\|tool_call)|(?:<\|ifm\|im_end\|>|<\|ifm\|end_of_text\|>"
    r"|<\|ifm\|im_start\|>(?:user|system|tool)).*)(?P<close>)",
    longer=r"<(?:ifm\|tool_call>\s*(?:\Z(?P<in_blanks>)|[^\s<{\[]+\Z(?P<in_name>))|/ifm\|(?:t(?:hink("
    r"?:>\s*\Z(?P<in_blanks_2>)|_fast(?:>\s*\Z(?P<in_blanks_3>)|er>\s*\Z(?P<in_blanks_4>)))"
    r"|ool_call>\s*\Z(?P<in_blanks_6>))|arg_(?:key|type|value)>\s*\Z(?P<in_blanks_7>))"
    r"|/?ifm\|tool_calls>\s*\Z(?P<in_blanks_5>))|(?:<\|ifm\|im_end\|>|<\|ifm\|end_of_text\|>"
    r"|<\|ifm\|im_start\|>(?:user|system|tool)).*\Z(?P<in_run>)|<(?:i(?:f(?:m(?:\|(?:t(?:h(?:i"
    r"(?:n(?:k(?:_(?:f(?:a(?:s(?:t(?:er?)?)?)?)?)?)?)?)?)?|o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?:>\s"
    r"*<(?:/?(?:i(?:f(?:m(?:\|(?:t(?:o(?:o(?:l(?:_(?:c(?:al?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?"
    r")?)?)?)?)?)?)?)?|/(?:i(?:f(?:m(?:\|(?:t(?:h(?:i(?:n(?:k(?:_(?:f(?:a(?:s(?:t(?:er?)?)?)?)"
    r"?)?)?)?)?)?|o(?:o(?:l(?:_(?:c(?:a(?:ll?)?)?)?)?)?)?)?|a(?:r(?:g(?:_(?:ke?"
    r"|t(?:yp?)?|v(?:a(?:lu?)?)?|(?:key|type|value))?)?)?)?)?)?)?)?)?|/?(?:i(?:f(?:m(?:\|(?:t("
    r"?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:ls?)?)?)?)?)?)?)?)?)?)?)?)?)?|\|(?:i(?:f(?:m(?:\|(?:i(?:m("
    r"?:_(?:e(?:n(?:d\|?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:u(?:se?)?|s(?:y(?:s(?:te?)?)?)?"
    r"|t(?:oo?)?)?)?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:_(?:o(?:f(?:_(?:t(?:e(?:x(?:t\|?)?)?)?)?)?)?)"
    r"?)?)?)?)?)?)?)?)?)?\Z",
    runs={
        "in_blanks": BLANK_RUN,
        "in_name": run_until(r"[\s<{\[]"),
        "in_blanks_2": BLANK_RUN,
        "in_blanks_3": BLANK_RUN,
        "in_blanks_4": BLANK_RUN,
        "in_blanks_5": BLANK_RUN,
        "in_blanks_6": BLANK_RUN,
        "in_blanks_7": BLANK_RUN,
        "in_run": run_until("(?!)"),
    },
    waits=["tool_calls", "close"],
    captures={"tool_calls": {"name": "name", "name_2": "name"}},
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"(?:</ifm\|think>\s*|</ifm\|think_fast>\s*|</ifm\|think_faster>\s*)(?P<close>)"
            r"|(?:(?=<ifm\|tool_calls>)|(?=<ifm\|tool_call>\s*[^\s<]))(?P<close_2>)|(?:<\|ifm\|im_end"
            r"\|>|<\|ifm\|end_of_text\|>|<\|ifm\|im_start\|>(?:user|system|tool)).*(?P<close_3>)",
            r"<(?:/(?:i(?:f(?:m(?:\|(?:t(?:h(?:i(?:n(?:k(?:_(?:f(?:a(?:s(?:t(?:er?)?)?)?)?)?)?)?)?)?)?"
            r")?)?)?)?)?|i(?:f(?:m(?:\|(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:ls?)?)?)?)?)?)?)?)?)?)?)?)?"
            r"|\|(?:i(?:f(?:m(?:\|(?:i(?:m(?:_(?:e(?:n(?:d\|?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:u(?:se?"
            r")?|s(?:y(?:s(?:te?)?)?)?|t(?:oo?)?)?)?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:_(?:o(?:f(?:_(?:t(?:e"
            r"(?:x(?:t\|?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/ifm\|think(?:>\s*\Z(?P<in_blanks>)|_fast(?:>\s*\Z(?P<in_blanks_2>)|er>\s*\Z(?P<in_b"
            r"lanks_3>)))|ifm\|tool_call>\s*\Z(?P<in_blanks_4>))|(?:<\|ifm\|im_end\|>|<\|ifm\|end_of_t"
            r"ext\|>|<\|ifm\|im_start\|>(?:user|system|tool)).*\Z(?P<in_run>)",
            runs={
                "in_blanks": BLANK_RUN,
                "in_blanks_2": BLANK_RUN,
                "in_blanks_3": BLANK_RUN,
                "in_blanks_4": BLANK_RUN,
                "in_run": run_until("(?!)"),
            },
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:</ifm\|tool_call>\s*|</ifm\|tool_calls>\s*)(?P<close>)|(?=<ifm\|tool_call>\s*[^\s<])("
            r"?P<close_2>)|(?:<\|ifm\|im_end\|>|<\|ifm\|end_of_text\|>|<\|ifm\|im_start\|>(?:user"
            r"|system|tool)).*(?P<close_3>)",
            r"<(?:/(?:i(?:f(?:m(?:\|(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:ls?)?)?)?)?)?)?)?)?)?)?)?)?)?"
            r"|i(?:f(?:m(?:\|(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:ll?)?)?)?)?)?)?)?)?)?)?)?|\|(?:i(?:f(?:m(?"
            r":\|(?:i(?:m(?:_(?:e(?:n(?:d\|?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:u(?:se?)?"
            r"|s(?:y(?:s(?:te?)?)?)?|t(?:oo?)?)?)?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:_(?:o(?:f(?:_(?:t(?:e(?"
            r":x(?:t\|?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/ifm\|tool_call(?:>\s*\Z(?P<in_blanks>)|s>\s*\Z(?P<in_blanks_2>))|ifm\|tool_call>\s*"
            r"\Z(?P<in_blanks_3>))|(?:<\|ifm\|im_end\|>|<\|ifm\|end_of_text\|>|<\|ifm\|im_start\|>(?:u"
            r"ser|system|tool)).*\Z(?P<in_run>)",
            runs={
                "in_blanks": BLANK_RUN,
                "in_blanks_2": BLANK_RUN,
                "in_blanks_3": BLANK_RUN,
                "in_run": run_until("(?!)"),
            },
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
    return after_last(prefix, "<|ifm|im_start|>assistant\n")


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
        "reasoning_content": (
            "<ifm|think>",
            "<ifm|think_fast>",
            "<ifm|think_faster>",
        ),
        "tool_calls": ("<ifm|tool_call>",),
    }
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|ifm|end_of_text|>",
        "<|ifm|im_end|>",
        "<|ifm|im_start|>system",
        "<|ifm|im_start|>tool",
        "<|ifm|im_start|>user",
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
