# Compiled by respc from muse.json. Do not edit: change the template and compile it again.
# Template sha256: f05e226390f784a011ae2823439d9429a7bbcb2fb8aea80b2b68d9b93f55715e
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

_TOOL_CALLS_TAG_OPENING: Final = compiled('<atem:parameter name="(?P<key>[^"]+)">')
_TOOL_CALLS_TAG_CLOSING: Final = Closing(
    compiled("</atem:parameter>|(?=<atem:parameter name=)"),
    compiled("</atem:parameter>|<atem:parameter name="),
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
    r" to=[^\s<=]+<\|message\|>\s*<atem:function_calls>\s*(?:<atem:function_calls>\s*)?<atem:i"
    r'nvoke name="(?P<name>[^"]+)">(?P<tool_calls>)|to=[^\s<=]+<\|message\|>\s*<atem:function_'
    r'calls>\s*(?:<atem:function_calls>\s*)?<atem:invoke name="(?P<name_2>[^"]+)">(?P<tool_cal'
    r'ls_2>)|</atem:invoke>\s*<atem:invoke name="(?P<name_3>[^"]+)">(?P<tool_calls_3>)'
    r"| to=self<\|message\|>(?P<reasoning_content>)|to=self<\|message\|>(?P<reasoning_content_"
    r"2>)| to=(?:user|commentary)<\|message\|>(?P<close>)|to=(?:user|commentary)<\|message\|>("
    r"?P<close_2>)|(?:<\|message\|>|<\|start\|>assistant|<\|eom\|>\s*|(?:<\|eot\|>"
    r"|<\|start\|>(?:user|system|tool)).*)(?P<close_3>)",
    longer=r" to=[^\s<=]+(?:\Z(?P<in_run>)|<\|message\|>\s*(?:\Z(?P<in_blanks>)|<atem:function_calls>"
    r"\s*(?:\Z(?P<in_blanks_2>)|<atem:function_calls>\s*\Z(?P<in_blanks_3>)|(?:<atem:function_"
    r'calls>\s*)?<atem:invoke name="[^"]+\Z(?P<in_name>))))|to=[^\s<=]+(?:\Z(?P<in_run_2>)'
    r"|<\|message\|>\s*(?:\Z(?P<in_blanks_4>)|<atem:function_calls>\s*(?:\Z(?P<in_blanks_5>)"
    r"|<atem:function_calls>\s*\Z(?P<in_blanks_6>)|(?:<atem:function_calls>\s*)?<atem:invoke n"
    r'ame="[^"]+\Z(?P<in_name_2>))))|<(?:/atem:invoke>\s*(?:\Z(?P<in_blanks_7>)'
    r'|<atem:invoke name="[^"]+\Z(?P<in_name_3>))|\|eom\|>\s*\Z(?P<in_blanks_8>))'
    r"|(?:<\|eot\|>|<\|start\|>(?:user|system|tool)).*\Z(?P<in_run_3>)| (?:t(?:o(?:=(?:[^\s<=]"
    r"+<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e(?:\|(?:>\s*<(?:atem:functi(?:o(?:n(?:_(?:c(?:a(?:l(?"
    r":l(?:s(?:>\s*(?:<(?:atem:funct(?:i(?:o(?:n(?:_(?:c(?:a(?:l(?:ls?)?)?)?)?)?)?)?)?"
    r"|a(?:t(?:e(?:m(?::(?:f(?:u(?:nc?)?)?)?)?)?)?)?)?|(?:<atem:function_calls>\s*)?(?:<atem:i"
    r'nvok(?:e(?: (?:n(?:a(?:m(?:e(?:=(?:"(?:[^"]+")?)?)?)?)?)?)?)?)?|<(?:a(?:t(?:e(?:m(?::(?:'
    r"i(?:n(?:vo?)?)?)?)?)?)?)?)?)?))?)?)?)?)?)?)?)?)?|a(?:t(?:e(?:m(?::(?:f(?:u(?:n(?:ct?)?)?"
    r")?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?|s(?:e(?:l(?:f(?:<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e\|?"
    r")?)?)?)?)?)?)?)?)?)?)?)?|u(?:se?)?|c(?:o(?:m(?:m(?:e(?:n(?:t(?:ar?)?)?)?)?)?)?)?"
    r"|(?:user|commentary)(?:<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z"
    r"|t(?:o(?:=(?:[^\s<=]+<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e(?:\|(?:>\s*<(?:atem:functi(?:o(?"
    r":n(?:_(?:c(?:a(?:l(?:l(?:s(?:>\s*(?:<(?:atem:funct(?:i(?:o(?:n(?:_(?:c(?:a(?:l(?:ls?)?)?"
    r")?)?)?)?)?)?|a(?:t(?:e(?:m(?::(?:f(?:u(?:nc?)?)?)?)?)?)?)?)?|(?:<atem:function_calls>\s*"
    r')?(?:<atem:invok(?:e(?: (?:n(?:a(?:m(?:e(?:=(?:"(?:[^"]+")?)?)?)?)?)?)?)?)?'
    r"|<(?:a(?:t(?:e(?:m(?::(?:i(?:n(?:vo?)?)?)?)?)?)?)?)?)?))?)?)?)?)?)?)?)?)?"
    r"|a(?:t(?:e(?:m(?::(?:f(?:u(?:n(?:ct?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?"
    r"|s(?:e(?:l(?:f(?:<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?)?)?)?)?)?)?"
    r"|u(?:se?)?|c(?:o(?:m(?:m(?:e(?:n(?:t(?:ar?)?)?)?)?)?)?)?|(?:user|commentary)(?:<(?:\|(?:"
    r"m(?:e(?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?)?)?)?)?)?)?\Z|<(?:/(?:a(?:t(?:e(?:m(?::(?:i(?:n"
    r'(?:v(?:o(?:k(?:e(?:>\s*<(?:atem:invok(?:e(?: (?:n(?:a(?:m(?:e(?:=(?:"(?:[^"]+")?)?)?)?)?'
    r")?)?)?)?|a(?:t(?:e(?:m(?::(?:i(?:n(?:vo?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?"
    r"|\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:a(?:s(?:s(?:"
    r"i(?:s(?:t(?:an?)?)?)?)?)?)?|u(?:se?)?|s(?:y(?:s(?:te?)?)?)?|t(?:oo?)?)?)?)?)?)?)?)?"
    r"|e(?:o(?:m\|?|t\|?)?)?)?)?\Z",
    runs={
        "in_run": run_until(r"[\s<=]"),
        "in_blanks": BLANK_RUN,
        "in_blanks_2": BLANK_RUN,
        "in_blanks_3": BLANK_RUN,
        "in_name": run_until('"'),
        "in_run_2": run_until(r"[\s<=]"),
        "in_blanks_4": BLANK_RUN,
        "in_blanks_5": BLANK_RUN,
        "in_blanks_6": BLANK_RUN,
        "in_name_2": run_until('"'),
        "in_blanks_7": BLANK_RUN,
        "in_name_3": run_until('"'),
        "in_blanks_8": BLANK_RUN,
        "in_run_3": run_until("(?!)"),
    },
    waits=["tool_calls", "close", "tool_calls_2", "tool_calls_3", "close_2", "close_3"],
    captures={
        "tool_calls": {"name": "name"},
        "tool_calls_2": {"name_2": "name"},
        "tool_calls_3": {"name_3": "name"},
    },
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"<\|eom\|>\s*(?P<close>)|(?=<\|start\|>assistant)(?P<close_2>)|(?:<\|eot\|>"
            r"|<\|start\|>(?:user|system|tool)).*(?P<close_3>)",
            r"<(?:\|(?:e(?:o(?:m\|?|t\|?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:a(?:s(?:s(?:i(?:s(?:t(?:an?)"
            r"?)?)?)?)?)?|u(?:se?)?|s(?:y(?:s(?:te?)?)?)?|t(?:oo?)?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<\|eom\|>\s*\Z(?P<in_blanks>)|(?:<\|eot\|>|<\|start\|>(?:user|system|tool)).*\Z(?P<in_ru"
            r"n>)",
            runs={"in_blanks": BLANK_RUN, "in_run": run_until("(?!)")},
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"</atem:invoke>\s*</atem:function_calls>\s*(?P<close>)|(?=</atem:invoke>\s*<atem:invoke )"
            r"(?P<close_2>)|(?:</atem:invoke>\s*(?=(?:<\|eom\|>|<\|start\|>assistant))|<\|eom\|>\s*)(?"
            r"P<close_3>)|(?:(?=<\|start\|>assistant)|(?:</atem:invoke>\s*)?(?:<\|eot\|>"
            r"|<\|start\|>(?:user|system|tool)).*)(?P<close_4>)",
            r"<(?:/(?:a(?:t(?:e(?:m(?::(?:i(?:n(?:v(?:o(?:k(?:e(?:>\s*<(?:/(?:atem:funct(?:i(?:o(?:n(?"
            r":_(?:c(?:a(?:l(?:ls?)?)?)?)?)?)?)?)?|a(?:t(?:e(?:m(?::(?:f(?:u(?:nc?)?)?)?)?)?)?)?)?"
            r"|a(?:t(?:e(?:m(?::(?:i(?:n(?:v(?:o(?:ke?)?)?)?)?)?)?)?)?)?|\|(?:e(?:o(?:m\|?)?)?"
            r"|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:a(?:s(?:s(?:i(?:s(?:t(?:an?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)"
            r"?)?)?)?)?)?)?)?)?)?)?)?|\|(?:e(?:o(?:m\|?|t\|?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:a(?:s(?:"
            r"s(?:i(?:s(?:t(?:an?)?)?)?)?)?)?|u(?:se?)?|s(?:y(?:s(?:te?)?)?)?|t(?:oo?)?)?)?)?)?)?)?)?)"
            r"?)?\Z|(?:</atem:invoke>\s*)(?:<(?:\|(?:e(?:o(?:t\|?)?)?|s(?:t(?:a(?:r(?:t(?:\|(?:>(?:u(?"
            r":se?)?|s(?:y(?:s(?:te?)?)?)?|t(?:oo?)?)?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/atem:invoke>\s*(?:\Z(?P<in_blanks>)|</atem:function_calls>\s*\Z(?P<in_blanks_2>))"
            r"|\|eom\|>\s*\Z(?P<in_blanks_3>))|(?:<\|eot\|>|<\|start\|>(?:user|system|tool)).*\Z(?P<in"
            r"_run>)|(?:</atem:invoke>\s*)(?:<\|eot\|>|<\|start\|>(?:user|system|tool)).*\Z(?P<in_run_"
            r"2>)",
            runs={
                "in_blanks": BLANK_RUN,
                "in_blanks_2": BLANK_RUN,
                "in_blanks_3": BLANK_RUN,
                "in_run": run_until("(?!)"),
                "in_run_2": run_until("(?!)"),
            },
            waits=["close", "close_2", "close_3", "close_4"],
            first="[<]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={
        "tool_calls_2": "tool_calls",
        "tool_calls_3": "tool_calls",
        "reasoning_content_2": "reasoning_content",
        "close_2": "close",
        "close_3": "close",
        "close_4": "close",
    },
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "<|start|>assistant")


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
        if chunk is not None and text and " " not in text and "<" not in text and "t" not in text:
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
            " to=self<|message|>",
            "to=self<|message|>",
        ),
        "tool_calls": (
            " to=",
            "</atem:invoke>",
            "to=",
        ),
    }
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|eot|>",
        "<|start|>system",
        "<|start|>tool",
        "<|start|>user",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and " " not in text and "<" not in text and "t" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
