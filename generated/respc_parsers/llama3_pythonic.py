# Compiled by respc from llama3_pythonic.json. Do not edit: change the template and compile it again.
# Template sha256: 9f8659c9d9344d97776dd4eea1d3c0d458e1c2bd6b2ed8f2b37ae51468a23a8b
# ABI of respc_runtime: 6
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi

# Asked first: another runtime may lack what is imported next.
__abi__ = require_abi(6, __name__)

from respc_runtime.anchors import after_last
from respc_runtime.batches import ParseResponse
from respc_runtime.call_lists import parse_call_list
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.message_values import join_values
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States, run_until
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.tools import cast_arguments, prepare_tools
from respc_runtime.transforms import element, records

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
    content = parse_call_list(body)
    value: Any = [
        {
            "type": "function",
            "function": {
                "name": element(record, "name"),
                "arguments": element(record, "arguments"),
            },
        }
        for record in records(content)
    ]
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["tool_calls"] = value
    return value


def _end_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    join_values(parser.message, "content", "\n", value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<\|python_tag\|>\s*(?=\[\s*[A-Za-z_][\w.\-]*\(\s*(?:\)|[A-Za-z_]\w*\s*=))"
    r"(?P<tool_calls>)"
    r"|(?:<\|python_tag\|>\s*(?=[^\s\[])|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
    r"|<\|start_header_id\|>).*)(?P<close>)",
    r"(?~<\|python_tag\|>|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>)\Z",
    longer=r"<\|python_tag\|>\s*(?:\Z(?P<in_blanks>)|\[\s*(?:\Z(?P<in_blanks_2>)|[A-Za-z_][\w.\-]*"
    r"(?:\Z(?P<in_run>)|\(\s*(?:\Z(?P<in_blanks_3>)|[A-Za-z_]\w*(?:\Z(?P<in_word>)"
    r"|\s*\Z(?P<in_blanks_4>))))))"
    r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>).*\Z(?P<in_rest>)",
    runs={
        "in_run": Run(compile_pattern(r"[^\w.\-]").search),
        "in_word": Run(compile_pattern(r"[^\w]").search),
    },
    waits=["tool_calls", "close"],
    make=words_pattern,
)
_START: Final = State(
    r"\A\s*(?=\[\s*[A-Za-z_][\w.\-]*\(\s*(?:\)|[A-Za-z_]\w*\s*=))(?P<tool_calls>)"
    r"|<\|python_tag\|>\s*(?=\[\s*[A-Za-z_][\w.\-]*\(\s*(?:\)|[A-Za-z_]\w*\s*=))"
    r"(?P<tool_calls_2>)"
    r"|(?:<\|python_tag\|>\s*(?=[^\s\[])|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
    r"|<\|start_header_id\|>).*)(?P<close>)",
    r"(?~<\|python_tag\|>|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>)\Z",
    longer=r"\A\s*(?:\Z(?P<in_blanks>)|\[\s*(?:\Z(?P<in_blanks_2>)|[A-Za-z_][\w.\-]*(?:\Z(?P<in_run>)"
    r"|\(\s*(?:\Z(?P<in_blanks_3>)|[A-Za-z_]\w*(?:\Z(?P<in_word>)|\s*\Z(?P<in_blanks_4>))))))"
    r"|<\|python_tag\|>\s*(?:\Z(?P<in_blanks_5>)|\[\s*(?:\Z(?P<in_blanks_6>)|[A-Za-z_][\w.\-]*"
    r"(?:\Z(?P<in_run_2>)|\(\s*(?:\Z(?P<in_blanks_7>)|[A-Za-z_]\w*(?:\Z(?P<in_word_2>)"
    r"|\s*\Z(?P<in_blanks_8>))))))"
    r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>).*\Z(?P<in_rest>)",
    runs={
        "in_run": Run(compile_pattern(r"[^\w.\-]").search),
        "in_word": Run(compile_pattern(r"[^\w]").search),
    },
    waits=["tool_calls", "close", "tool_calls_2"],
    first=r"[\t\n\v\f\r <\[\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    r"\u2009\u200a\u2028\u2029\u202f\u205f\u3000]",
    make=words_pattern,
    later=_OUTSIDE,
)
_STATES: Final = States(
    _START,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            "\\n(?<!\\n\\n)\\n*(?=(?:[^\\s\"'\\[\\]{}(),\\d\\-TFN]|[TFN][a-z']* [a-z]))(?P<close>)"
            r"|(?=<\|python_tag\|>)(?P<close_2>)"
            r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>).*(?P<close_3>)",
            longer=r"\n(?<!\n\n)\n*(?:\Z(?P<in_run>)|[TFN][a-z']*\Z(?P<in_run_b>))"
            r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>).*\Z(?P<in_rest>)"
            r"|(?~\n(?<!\n\n)\n*(?~[TFN][a-z']*(?~ [a-z])))\Z"
            r"|(?~<\|python_tag\|>|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
            r"|<\|start_header_id\|>)\Z",
            runs={"in_run": run_until(r"[^\n]"), "in_run_b": run_until("[^a-z']")},
            waits=["close", "close_2", "close_3"],
            guards=("(?<!\\n\\n)",),
            make=words_pattern,
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
            direct=False,
        ),
    },
    aliases={"tool_calls_2": "tool_calls", "close_2": "close", "close_3": "close"},
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
    whole=False,
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "<|start_header_id|>assistant<|end_header_id|>\n\n")


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
        "tool_calls": {"name": None, "id": None, "arguments": None, "each": True}
    }
    texts: ClassVar[dict[str, TextForm]] = {"content": {"join": "\n", "strip": True}}
    marks: ClassVar[dict[str, tuple[str, ...]]] = {"tool_calls": ("<|python_tag|>",)}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|end_of_text|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|start_header_id|>",
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
