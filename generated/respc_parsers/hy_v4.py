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
from respc_runtime.states import BLANK_RUN, Run, State, States, run_until
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


# What ends each state, and what that leads to; then what has only begun to.
_OUTSIDE: Final = State(
    r"<think(?::\w+)?>(?P<reasoning_content>)|(?:<tool_call(?::\w+)?>\s*(?P<name>[^\s<{]+)\s*("
    r"?=(?:<arg_key(?::\w+)?>|</tool_call(?::\w+)?>))|<tool_call(?P<name_2>)(?=(?::\w+)?>\s*(?"
    r":<(?:arg|tool_sep)|\{|[^\s<{]+\s*(?:</arg_|<arg_v|(?:<｜hy_eos(?::\w+)?｜>|<｜hy_User(?::\w"
    r"+)?｜>))|[^\s<{]+\s+[^\s<]+</arg_)))(?P<tool_calls>)|(?:</think(?::\w+)?>\s*"
    r"|</?tool_calls(?::\w+)?>\s*|</(?:tool_call|arg_key|arg_value)(?::\w+)?>\s*"
    r"|<tool_call(?::\w+)?>\s*(?=(?:</?tool_call(?::\w+)?>|(?:<｜hy_eos(?::\w+)?｜>"
    r"|<｜hy_User(?::\w+)?｜>)))|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*"
    r"|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*)(?P<close>)",
    r"<(?:t(?:h(?:i(?:n(?:k(?::|(?::\w+)?)?)?)?)?|o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::"
    r"|(?::\w+)?(?:>\s*(?:[^\s<{]+(?:\s*<(?:a(?:r(?:g(?:_(?:k(?:e(?:y(?::|(?::\w+)?)?)?)?)?)?)"
    r"?)?|/(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::|(?::\w+)?)?)?)?)?)?)?)?)?)?"
    r"|a(?:rg?)?)?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::|(?::\w+)?｜?)?)?)?|U(?:s(?:e(?:r(?::"
    r"|(?::\w+)?｜?)?)?)?)?)?)?)?)?)?|\s+[^\s<]+<(?:/(?:a(?:rg?)?)?)?)|<(?:ar?|t(?:o(?:o(?:l(?:"
    r"_(?:se?)?)?)?)?)?|/?(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::|(?::\w+)?)?)?)?)?)?)?)?)?)?"
    r")?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::|(?::\w+)?｜?)?)?)?|U(?:s(?:e(?:r(?::|(?::\w+)?｜?)?)?)?)?"
    r")?)?)?)?)?))?)?)?)?)?)?)?)?)?)?|/(?:t(?:h(?:i(?:n(?:k(?::|(?::\w+)?)?)?)?)?"
    r"|o(?:o(?:l(?:_(?:c(?:al?)?)?)?)?)?)?|a(?:r(?:g(?:_(?:ke?|v(?:a(?:lu?)?)?)?)?)?)?"
    r"|(?:tool_call|arg_key|arg_value)(?::|(?::\w+)?)?)?|/?(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:"
    r"l(?:s(?::|(?::\w+)?)?)?)?)?)?)?)?)?)?)?)?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p(?:e(?:n("
    r"?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?|\w+｜)?|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o(?:"
    r"p(?:e(?:n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?|\w+｜)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?\Z",
    longer=r"<(?:t(?:hink:\w+\Z(?P<in_run>)|ool_call(?::\w+\Z(?P<in_run_2>)|(?::\w+)?>\s*(?:\Z(?P<in_"
    r"blanks>)|[^\s<{]+(?:\Z(?P<in_name>)|\s*(?:\Z(?P<in_name_2>)|<(?:arg_key:\w+\Z(?P<in_name"
    r"_3>)|/tool_call:\w+\Z(?P<in_name_4>)|｜hy_(?:eos:\w+\Z(?P<in_name_5>)|User:\w+\Z(?P<in_na"
    r"me_6>))))|\s+(?:\Z(?P<in_name_7>)|[^\s<]+\Z(?P<in_name_8>)))|<(?:/?tool_call:\w+\Z(?P<in"
    r"_run_6>)|｜hy_(?:eos:\w+\Z(?P<in_run_7>)|User:\w+\Z(?P<in_run_8>))))))|/(?:think(?::\w+\Z"
    r"(?P<in_run_3>)|(?::\w+)?>\s*\Z(?P<in_blanks_2>))|(?:tool_call|arg_key|arg_value)(?::\w+"
    r"\Z(?P<in_run_5>)|(?::\w+)?>\s*\Z(?P<in_blanks_4>)))|/?tool_calls(?::\w+\Z(?P<in_run_4>)"
    r"|(?::\w+)?>\s*\Z(?P<in_blanks_3>))|｜hy_(?:eos:\w+\Z(?P<in_run_10>)|User:\w+\Z(?P<in_run_"
    r"11>)))|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_run_9>)"
    r"|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*\Z(?P<in_run_12>)",
    runs={
        "in_run": Run(compile_pattern(r"[^\w]").search),
        "in_run_2": Run(compile_pattern(r"[^\w]").search),
        "in_blanks": BLANK_RUN,
        "in_name": run_until(r"[\s<{]"),
        "in_name_2": BLANK_RUN,
        "in_name_3": Run(compile_pattern(r"[^\w]").search),
        "in_name_4": Run(compile_pattern(r"[^\w]").search),
        "in_name_5": Run(compile_pattern(r"[^\w]").search),
        "in_name_6": Run(compile_pattern(r"[^\w]").search),
        "in_name_7": BLANK_RUN,
        "in_name_8": run_until(r"[\s<]"),
        "in_run_3": Run(compile_pattern(r"[^\w]").search),
        "in_blanks_2": BLANK_RUN,
        "in_run_4": Run(compile_pattern(r"[^\w]").search),
        "in_blanks_3": BLANK_RUN,
        "in_run_5": Run(compile_pattern(r"[^\w]").search),
        "in_blanks_4": BLANK_RUN,
        "in_run_6": Run(compile_pattern(r"[^\w]").search),
        "in_run_7": Run(compile_pattern(r"[^\w]").search),
        "in_run_8": Run(compile_pattern(r"[^\w]").search),
        "in_run_9": run_until("(?!)"),
        "in_run_10": Run(compile_pattern(r"[^\w]").search),
        "in_run_11": Run(compile_pattern(r"[^\w]").search),
        "in_run_12": run_until("(?!)"),
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
            r"</think(?::\w+)?>\s*(?P<close>)|(?:(?=<tool_calls(?::\w+)?>)|(?=<tool_call(?::\w+)?>\s*["
            r"^\s<{]+\s*<(?:arg_key|/tool_call)(?::\w+)?>))(?P<close_2>)|(?:(?:<｜hy_eos(?::opensource)"
            r"?｜>|<｜hy_User(?::opensource)?｜>).*|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*)(?P<close_3>)",
            r"<(?:/(?:t(?:h(?:i(?:n(?:k(?::|(?::\w+)?)?)?)?)?)?)?|t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?:"
            r"s(?::|(?::\w+)?)?|:|(?::\w+)?(?:>\s*[^\s<{]+\s*<(?:a(?:r(?:g(?:_(?:ke?)?)?)?)?"
            r"|/(?:t(?:o(?:o(?:l(?:_(?:c(?:al?)?)?)?)?)?)?)?|(?:arg_key|/tool_call)(?::"
            r"|(?::\w+)?)?)?)?)?)?)?)?)?)?)?)?)?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p(?:e(?:n(?:s(?:o"
            r"(?:u(?:rc?)?)?)?)?)?)?)?|\w+｜)?|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o(?:p(?:e(?"
            r":n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?|\w+｜)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/think(?::\w+\Z(?P<in_run>)|(?::\w+)?>\s*\Z(?P<in_blanks>))|tool_call(?:s:\w+\Z(?P<i"
            r"n_run_2>)|:\w+\Z(?P<in_run_3>)|(?::\w+)?>\s*(?:\Z(?P<in_blanks_2>)|[^\s<{]+(?:\Z(?P<in_r"
            r"un_4>)|\s*(?:\Z(?P<in_blanks_3>)|<(?:arg_key|/tool_call):\w+\Z(?P<in_run_5>)))))"
            r"|｜hy_(?:eos:\w+\Z(?P<in_run_7>)|User:\w+\Z(?P<in_run_8>)))|(?:<｜hy_eos(?::opensource)?｜>"
            r"|<｜hy_User(?::opensource)?｜>).*\Z(?P<in_run_6>)|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*\Z(?"
            r"P<in_run_9>)",
            runs={
                "in_run": Run(compile_pattern(r"[^\w]").search),
                "in_blanks": BLANK_RUN,
                "in_run_2": Run(compile_pattern(r"[^\w]").search),
                "in_run_3": Run(compile_pattern(r"[^\w]").search),
                "in_blanks_2": BLANK_RUN,
                "in_run_4": run_until(r"[\s<{]"),
                "in_blanks_3": BLANK_RUN,
                "in_run_5": Run(compile_pattern(r"[^\w]").search),
                "in_run_6": run_until("(?!)"),
                "in_run_7": Run(compile_pattern(r"[^\w]").search),
                "in_run_8": Run(compile_pattern(r"[^\w]").search),
                "in_run_9": run_until("(?!)"),
            },
            waits=["close", "close_2", "close_3"],
            first="[<]",
            make=words_pattern,
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:</tool_call(?::\w+)?>\s*|</tool_calls(?::\w+)?>\s*)(?P<close>)|(?=<tool_call(?::\w+)?"
            r">\s*[^\s<{]+\s*<(?:arg_key|/tool_call)(?::\w+)?>)(?P<close_2>)|(?:(?:<｜hy_eos(?::opensou"
            r"rce)?｜>|<｜hy_User(?::opensource)?｜>).*|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*)(?P<close_3>"
            r")",
            r"<(?:/(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::|(?::\w+)?|s(?::|(?::\w+)?)?)?)?)?)?)?)?)?)"
            r"?)?)?|t(?:o(?:o(?:l(?:_(?:c(?:a(?:l(?:l(?::|(?::\w+)?(?:>\s*[^\s<{]+\s*<(?:a(?:r(?:g(?:_"
            r"(?:ke?)?)?)?)?|/(?:t(?:o(?:o(?:l(?:_(?:c(?:al?)?)?)?)?)?)?)?|(?:arg_key|/tool_call)(?::"
            r"|(?::\w+)?)?)?)?)?)?)?)?)?)?)?)?)?|｜(?:h(?:y(?:_(?:e(?:o(?:s(?::(?:o(?:p(?:e(?:n(?:s(?:o"
            r"(?:u(?:rc?)?)?)?)?)?)?)?|\w+｜)?|(?::opensource)?｜?)?)?)?|U(?:s(?:e(?:r(?::(?:o(?:p(?:e(?"
            r":n(?:s(?:o(?:u(?:rc?)?)?)?)?)?)?)?|\w+｜)?|(?::opensource)?｜?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"<(?:/tool_call(?::\w+\Z(?P<in_run>)|(?::\w+)?>\s*\Z(?P<in_blanks>)|s(?::\w+\Z(?P<in_run_"
            r"2>)|(?::\w+)?>\s*\Z(?P<in_blanks_2>)))|tool_call(?::\w+\Z(?P<in_run_3>)|(?::\w+)?>\s*(?:"
            r"\Z(?P<in_blanks_3>)|[^\s<{]+(?:\Z(?P<in_run_4>)|\s*(?:\Z(?P<in_blanks_4>)"
            r"|<(?:arg_key|/tool_call):\w+\Z(?P<in_run_5>)))))|｜hy_(?:eos:\w+\Z(?P<in_run_7>)"
            r"|User:\w+\Z(?P<in_run_8>)))|(?:<｜hy_eos(?::opensource)?｜>|<｜hy_User(?::opensource)?｜>).*"
            r"\Z(?P<in_run_6>)|(?:<｜hy_eos:\w+｜>|<｜hy_User:\w+｜>).*\Z(?P<in_run_9>)",
            runs={
                "in_run": Run(compile_pattern(r"[^\w]").search),
                "in_blanks": BLANK_RUN,
                "in_run_2": Run(compile_pattern(r"[^\w]").search),
                "in_blanks_2": BLANK_RUN,
                "in_run_3": Run(compile_pattern(r"[^\w]").search),
                "in_blanks_3": BLANK_RUN,
                "in_run_4": run_until(r"[\s<{]"),
                "in_blanks_4": BLANK_RUN,
                "in_run_5": Run(compile_pattern(r"[^\w]").search),
                "in_run_6": run_until("(?!)"),
                "in_run_7": Run(compile_pattern(r"[^\w]").search),
                "in_run_8": Run(compile_pattern(r"[^\w]").search),
                "in_run_9": run_until("(?!)"),
            },
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
