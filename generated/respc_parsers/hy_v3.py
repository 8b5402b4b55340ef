# Compiled by respc from hy_v3.json. Do not edit: change the template and compile it again.
# Template sha256: f55dab9010415b1a5ee0f5ffe365d32d4bfa555fd334a5e80e1901dca8c32473
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
    r"<arg_key(?::opensource)?>(?P<key>[^<]+)</arg_key(?::opensource)?>\s*<arg_value(?::openso"
    r"urce)?>"
)
_TOOL_CALLS_TAG_CLOSING: Final = Closing(
    compiled("</arg_value(?::opensource)?>|(?=<arg_key(?::opensource)?>)"),
    compiled("</arg_value|<arg_key"),
)
_ANCHOR: Final = compiled("<｜hy_Assistant[^<｜]*｜>")


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
    r"(?:<think:opensource>|<think>)(?P<reasoning_content>)|(?:<tool_call(?::opensource)?>\s*("
    r"?P<name>[^\s<>{]+)\s*(?:<tool_sep(?::opensource)?>|(?=(?:<arg_key(?::opensource)?>"
    r"|</tool_call(?::opensource)?>)))|<tool_call(?P<name_2>)(?=(?::opensource)?>\s*(?:<(?:arg"
    r"|tool_sep)|\{|[^\s<>{]+\s*(?:</arg_|<arg_v|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::op"
    r"ensource)?｜>))|[^\s<>{]+\s+[^\s<]+</arg_)))(?P<tool_calls>)|(?:</think(?::opensource)?>"
    r"\s*|</?tool_calls(?::opensource)?>\s*|</(?:tool_call|arg_key|arg_value)(?::opensource)?>"
    r"\s*|<tool_call(?::opensource)?>\s*(?=(?:</?tool_call(?::opensource)?>|(?:<｜hy_eos(?::ope"
    r"nsource)?｜>|<｜hy_User(?::opensource)?｜>)))|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::op"
    r"ensource)?｜>).*)(?P<close>)",
    r"<(?:t(?:h(?:i(?:n(?:k(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:r(?:ce?)?)?)?)?)?)?)?)?)?)?)?)?)"
    r"?|o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
    r"|(?::opensource)?(?:>\s*(?:[^\s<>{]+(?:\s*<(?:t(?:o(?:o(?:l(?:_(?:s(?:e(?:p(?::(?:o(?:p("
    r"?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?)?)?)?)?)?)?)?)?"
    r"|a(?:r(?:g(?:_(?:k(?:e(?:y(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
    r"|(?::opensource)?)?)?)?)?)?)?)?|/(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::(?:o(?:p(?:e(?:"
    r"n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?)?)?)?)?)?)?)?)?)?|a(?:rg?)?)?"
    r"|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
    r"|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)"
    r"?)?)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?|\s+[^\s<]+<(?:/(?:a(?:rg?)?)?)?)"
    r"|<(?:ar?|t(?:o(?:o(?:l(?:_(?:se?)?)?)?)?)?|/?(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::(?:"
    r"o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?)?)?)?)?)?)?)?)?)?)?"
    r"|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
    r"|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)"
    r"?)?)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?))?)?)?)?)?)?)?)?)?)?|/(?:t(?:h(?:i(?:n(?:k(?:"
    r":(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?)?)?)?)?"
    r"|o(?:o(?:l(?:_(?:c(?:al?)?)?)?)?)?)?|a(?:r(?:g(?:_(?:ke?|v(?:a(?:lu?)?)?)?)?)?)?"
    r"|(?:tool_call|arg_key|arg_value)(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
    r"|(?::opensource)?)?)?|/?(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?:s(?::(?:o(?:p(?:e(?:n(?:s"
    r"(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?)?)?)?)?)?)?)?)?)?)?)?|｜(?:h(?:y(?:_(?:e("
    r"?:o(?:s(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?｜?)?)?)?"
    r"|U(?:s(?:e(?:r(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?｜?)"
    r"?)?)?)?)?)?)?)?)?\Z",
    longer=r"<(?:tool_call(?::opensource)?>\s*(?:\Z(?P<in_blanks>)|[^\s<>{]+(?:\Z(?P<in_name>)"
    r"|\s*\Z(?P<in_name_2>)|\s+(?:\Z(?P<in_name_3>)|[^\s<]+\Z(?P<in_name_4>))))"
    r"|/(?:think(?::opensource)?>\s*\Z(?P<in_blanks_2>)|(?:tool_call|arg_key|arg_value)(?::ope"
    r"nsource)?>\s*\Z(?P<in_blanks_4>))|/?tool_calls(?::opensource)?>\s*\Z(?P<in_blanks_3>))"
    r"|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_run>)",
    runs={
        "in_blanks": BLANK_RUN,
        "in_name": run_until(r"[\s<>{]"),
        "in_name_2": BLANK_RUN,
        "in_name_3": BLANK_RUN,
        "in_name_4": run_until(r"[\s<]"),
        "in_blanks_2": BLANK_RUN,
        "in_blanks_3": BLANK_RUN,
        "in_blanks_4": BLANK_RUN,
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
            r"</think(?::opensource)?>\s*(?P<close>)|(?:(?=<tool_calls(?::opensource)?>)"
            r"|(?=<tool_call(?::opensource)?>\s*[^\s<>{]+\s*<(?:tool_sep|arg_key|/tool_call)(?::openso"
            r"urce)?>))(?P<close_2>)|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*(?P<c"
            r"lose_3>)",
            r"<(?:/(?:t(?:h(?:i(?:n(?:k(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
            r"|(?::opensource)?)?)?)?)?)?)?|t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?:s(?::(?:o(?:p(?:e(?:n("
            r"?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?)?|:(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?"
            r")?)?)?)?)?)?)?)?|(?::opensource)?(?:>\s*[^\s<>{]+\s*<(?:t(?:o(?:o(?:l(?:_(?:se?)?)?)?)?)"
            r"?|a(?:r(?:g(?:_(?:ke?)?)?)?)?|/(?:t(?:o(?:o(?:l(?:_(?:c(?:al?)?)?)?)?)?)?)?"
            r"|(?:tool_sep|arg_key|/tool_call)(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
            r"|(?::opensource)?)?)?)?)?)?)?)?)?)?)?)?)?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p(?:e(?:n("
            r"?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o(?:p(?:e"
            r"(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/think(?::opensource)?>\s*\Z(?P<in_blanks>)|tool_call(?::opensource)?>\s*(?:\Z(?P<in"
            r"_blanks_2>)|[^\s<>{]+(?:\Z(?P<in_run>)|\s*\Z(?P<in_blanks_3>))))|(?:<｜hy_eos(?::opensour"
            r"ce)?｜>|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_run_2>)",
            runs={
                "in_blanks": BLANK_RUN,
                "in_blanks_2": BLANK_RUN,
                "in_run": run_until(r"[\s<>{]"),
                "in_blanks_3": BLANK_RUN,
                "in_run_2": run_until("(?!)"),
            },
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:</tool_call(?::opensource)?>\s*|</tool_calls(?::opensource)?>\s*)(?P<close>)"
            r"|(?=<tool_call(?::opensource)?>\s*[^\s<>{]+\s*<(?:tool_sep|arg_key|/tool_call)(?::openso"
            r"urce)?>)(?P<close_2>)|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*(?P<cl"
            r"ose_3>)",
            r"<(?:/(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)"
            r"?)?)?)?|(?::opensource)?|s(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?"
            r"|(?::opensource)?)?)?)?)?)?)?)?)?)?)?)?|t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::(?:o(?:p(?:"
            r"e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?(?:>\s*[^\s<>{]+\s*<(?:t(?:o(?:o"
            r"(?:l(?:_(?:se?)?)?)?)?)?|a(?:r(?:g(?:_(?:ke?)?)?)?)?|/(?:t(?:o(?:o(?:l(?:_(?:c(?:al?)?)?"
            r")?)?)?)?)?|(?:tool_sep|arg_key|/tool_call)(?::(?:o(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?"
            r")?)?)?)?|(?::opensource)?)?)?)?)?)?)?)?)?)?)?)?)?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p("
            r"?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o"
            r"(?:p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/tool_call(?:(?::opensource)?>\s*\Z(?P<in_blanks>)|s(?::opensource)?>\s*\Z(?P<in_bla"
            r"nks_2>))|tool_call(?::opensource)?>\s*(?:\Z(?P<in_blanks_3>)|[^\s<>{]+(?:\Z(?P<in_run>)"
            r"|\s*\Z(?P<in_blanks_4>))))|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*"
            r"\Z(?P<in_run_2>)",
            runs={
                "in_blanks": BLANK_RUN,
                "in_blanks_2": BLANK_RUN,
                "in_blanks_3": BLANK_RUN,
                "in_run": run_until(r"[\s<>{]"),
                "in_blanks_4": BLANK_RUN,
                "in_run_2": run_until("(?!)"),
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
            "<think:opensource>",
            "<think>",
        ),
        "tool_calls": (
            "<tool_call",
            "<tool_call:opensource>",
            "<tool_call>",
        ),
    }
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<｜hy_User:opensource｜>",
        "<｜hy_User｜>",
        "<｜hy_eos:opensource｜>",
        "<｜hy_eos｜>",
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
