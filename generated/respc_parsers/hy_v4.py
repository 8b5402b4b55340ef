# Compiled by respc from hy_v4.json. Do not edit: change the template and compile it again.
# Template sha256: d97ce45b1abc3c51a506c8d68d98689b9bde9f7156076db341c5ae1a4758cd41
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
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States, run_until
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

_TOOL_CALLS_TAG_OPENING: Final = compile_pattern(
    r"<arg_key(?::\w+)?>(?P<key>[^<]+)</arg_key(?::\w+)?>\s*<arg_value(?::\w+)?>"
)
_TOOL_CALLS_TAG_CLOSING: Final = Closing(
    compile_pattern(r"</arg_value(?::\w+)?>|(?=<arg_key(?::\w+)?>)"),
    compile_pattern("</arg_value|<arg_key"),
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


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<think(?::\w+)?>(?P<reasoning_content>)"
    r"|(?:<tool_call(?::\w+)?>\s*(?P<name>[^\s<{]+)\s*(?=(?:<arg_key(?::\w+)?>|</tool_call"
    r"(?::\w+)?>))|<tool_call(?P<name_2>)(?=(?::\w+)?>\s*(?:<(?:arg|tool_sep)|\{|[^\s<{]+\s*"
    r"(?:</arg_|<arg_v|(?:<｜hy_eos(?::\w+)?｜>|<｜hy_User(?::\w+)?｜>))"
    r"|[^\s<{]+\s+[^\s<]+</arg_)))(?P<tool_calls>)"
    r"|(?:</think(?::\w+)?>\s*|</?tool_calls(?::\w+)?>\s*|</(?:tool_call|arg_key|arg_value)"
    r"(?::\w+)?>\s*|<tool_call(?::\w+)?>\s*(?=(?:</?tool_call(?::\w+)?>|(?:<｜hy_eos(?::\w+)?｜>"
    r"|<｜hy_User(?::\w+)?｜>)))|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*"
    r"|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*)(?P<close>)",
    r"(?~<think:\w|<think(?::\w+)?|<tool_call:\w|<tool_call(?::\w+)?"
    r"(?~>\s*(?~[^\s<{]+(?:\s*(?~<arg_key:\w|<arg_key(?::\w+)?|</tool_call:\w|</tool_call"
    r"(?::\w+)?|</arg_|<｜hy_eos:\w|<｜hy_eos(?::\w+)?(?~｜>)?|<｜hy_User:\w|<｜hy_User(?::\w+)?"
    r"(?~｜>)?)|\s+[^\s<]+(?~</arg_))|<arg|<tool_sep|</?(?~tool_call:\w|tool_call(?::\w+)?)?"
    r"|<｜hy_eos:\w|<｜hy_eos(?::\w+)?(?~｜>)?|<｜hy_User:\w|<｜hy_User(?::\w+)?(?~｜>)?))?"
    r"|</think:\w|</think(?::\w+)?|</tool_call|</arg_key|</arg_value|</(?:tool_call|arg_key"
    r"|arg_value)(?~:\w|(?::\w+)?)?|</?(?~tool_calls:\w|tool_calls(?::\w+)?)?"
    r"|<｜hy_eos:opensource|<｜hy_eos:\w+(?~｜>)|<｜hy_eos(?::opensource)?(?~｜>)?"
    r"|<｜hy_User:opensource|<｜hy_User:\w+(?~｜>)|<｜hy_User(?::opensource)?(?~｜>)?)\Z",
    longer=r"<(?:t(?:hink:\w+\Z(?P<in_word>)|ool_call(?::\w+\Z(?P<in_word_2>)|(?::\w+)?>\s*"
    r"(?:\Z(?P<in_blanks>)|[^\s<{]+(?:\Z(?P<in_name>)|\s*(?:\Z(?P<in_blanks_2>)"
    r"|<(?:arg_key:\w+\Z(?P<in_word_3>)|/tool_call:\w+\Z(?P<in_word_4>)"
    r"|｜hy_(?:eos:\w+\Z(?P<in_word_5>)|User:\w+\Z(?P<in_word_6>))))|\s+(?:\Z(?P<in_blanks_3>)"
    r"|[^\s<]+\Z(?P<in_name_b>)))|<(?:/?tool_call:\w+\Z(?P<in_word_10>)"
    r"|｜hy_(?:eos:\w+\Z(?P<in_word_11>)|User:\w+\Z(?P<in_word_12>))))))"
    r"|/(?:think(?::\w+\Z(?P<in_word_7>)|(?::\w+)?>\s*\Z(?P<in_blanks_4>))|(?:tool_call"
    r"|arg_key|arg_value)(?::\w+\Z(?P<in_word_9>)|(?::\w+)?>\s*\Z(?P<in_blanks_6>)))"
    r"|/?tool_calls(?::\w+\Z(?P<in_word_8>)|(?::\w+)?>\s*\Z(?P<in_blanks_5>))"
    r"|｜hy_(?:eos:\w+\Z(?P<in_word_13>)|User:\w+\Z(?P<in_word_14>)))"
    r"|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_rest>)"
    r"|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*\Z(?P<in_rest_2>)",
    runs={
        "in_word": Run(compile_pattern(r"[^\w]").search),
        "in_name": run_until(r"[\s<{]"),
        "in_name_b": run_until(r"[\s<]"),
    },
    waits=["reasoning_content", "tool_calls", "close"],
    captures={"tool_calls": {"name": "name", "name_2": "name"}},
    make=words_pattern,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"</think(?::\w+)?>\s*(?P<close>)"
            r"|(?:(?=<tool_calls(?::\w+)?>)|(?=<tool_call(?::\w+)?>\s*[^\s<{]+\s*<(?:arg_key"
            r"|/tool_call)(?::\w+)?>))(?P<close_2>)"
            r"|(?:(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*|(?:<｜hy_eos:\w+｜>"
            r"|<｜hy_User:\w+｜>).*)(?P<close_3>)",
            r"(?~</think:\w|</think(?::\w+)?|<tool_calls:\w|<tool_calls(?::\w+)?|<tool_call:\w"
            r"|<tool_call(?::\w+)?(?~>\s*[^\s<{]+\s*(?~<arg_key|</tool_call|<(?:arg_key|/tool_call)"
            r"(?~:\w|(?::\w+)?)?))?|<｜hy_eos:opensource|<｜hy_eos:\w+(?~｜>)|<｜hy_eos(?::opensource)?"
            r"(?~｜>)?|<｜hy_User:opensource|<｜hy_User:\w+(?~｜>)|<｜hy_User(?::opensource)?(?~｜>)?)\Z",
            longer=r"<(?:/think(?::\w+\Z(?P<in_word>)|(?::\w+)?>\s*\Z(?P<in_blanks>))"
            r"|tool_call(?:s:\w+\Z(?P<in_word_2>)|:\w+\Z(?P<in_word_3>)|(?::\w+)?>\s*"
            r"(?:\Z(?P<in_blanks_2>)|[^\s<{]+(?:\Z(?P<in_run>)|\s*(?:\Z(?P<in_blanks_3>)|<(?:arg_key"
            r"|/tool_call):\w+\Z(?P<in_word_4>)))))|｜hy_(?:eos:\w+\Z(?P<in_word_5>)"
            r"|User:\w+\Z(?P<in_word_6>)))"
            r"|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_rest>)"
            r"|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*\Z(?P<in_rest_2>)",
            runs={"in_word": Run(compile_pattern(r"[^\w]").search), "in_run": run_until(r"[\s<{]")},
            waits=["close", "close_2", "close_3"],
            first="[<]",
            make=words_pattern,
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:</tool_call(?::\w+)?>\s*|</tool_calls(?::\w+)?>\s*)(?P<close>)"
            r"|(?=<tool_call(?::\w+)?>\s*[^\s<{]+\s*<(?:arg_key|/tool_call)(?::\w+)?>)(?P<close_2>)"
            r"|(?:(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*|(?:<｜hy_eos:\w+｜>"
            r"|<｜hy_User:\w+｜>).*)(?P<close_3>)",
            r"(?~</tool_call:\w|</tool_call(?::\w+)?|</tool_calls:\w|</tool_calls(?::\w+)?"
            r"|<tool_call:\w|<tool_call(?::\w+)?(?~>\s*[^\s<{]+\s*(?~<arg_key|</tool_call|<(?:arg_key"
            r"|/tool_call)(?~:\w|(?::\w+)?)?))?|<｜hy_eos:opensource|<｜hy_eos:\w+(?~｜>)"
            r"|<｜hy_eos(?::opensource)?(?~｜>)?|<｜hy_User:opensource|<｜hy_User:\w+(?~｜>)"
            r"|<｜hy_User(?::opensource)?(?~｜>)?)\Z",
            longer=r"<(?:/tool_call(?::\w+\Z(?P<in_word>)|(?::\w+)?>\s*\Z(?P<in_blanks>)"
            r"|s(?::\w+\Z(?P<in_word_2>)|(?::\w+)?>\s*\Z(?P<in_blanks_2>)))"
            r"|tool_call(?::\w+\Z(?P<in_word_3>)|(?::\w+)?>\s*(?:\Z(?P<in_blanks_3>)"
            r"|[^\s<{]+(?:\Z(?P<in_run>)|\s*(?:\Z(?P<in_blanks_4>)|<(?:arg_key"
            r"|/tool_call):\w+\Z(?P<in_word_4>)))))|｜hy_(?:eos:\w+\Z(?P<in_word_5>)"
            r"|User:\w+\Z(?P<in_word_6>)))"
            r"|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_rest>)"
            r"|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*\Z(?P<in_rest_2>)",
            runs={"in_word": Run(compile_pattern(r"[^\w]").search), "in_run": run_until(r"[\s<{]")},
            waits=["close", "close_2", "close_3"],
            first="[<]",
            make=words_pattern,
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
            "<think:",
            "<think>",
        ),
        "tool_calls": (
            "<tool_call",
            "<tool_call:",
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
