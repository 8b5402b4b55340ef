# Compiled by respc from apertus.json. Do not edit: change the template and compile it again.
# Template sha256: 0c8dffdf6054b28b2bafcd0ce46979c484a079a51bb00f57097e103de3cecb69
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

_ANCHOR: Final = compiled(r"(?:<\|assistant_start\|>|<\|tools_suffix\|>\[[^<]*\])")


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
    value = body
    join_values(parser.message, "content", "", value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<\|inner_prefix\|>(?P<reasoning_content>)"
    r'|<\|tools_prefix\|>\s*\[\s*\{\s*"(?P<name>[^"]+)"\s*:(?P<tool_calls>)'
    r'|\},\s*\{\s*"(?P<name_2>[^"]+)"\s*:(?P<tool_calls_2>)'
    r"|(?:<\|inner_suffix\|>|<\|tools_(?:prefix|suffix)\|>)(?P<content>)"
    r"|\}\s*\]\s*(?P<content_2>)",
    longer=r"<\|tools_prefix\|>\s*(?:\Z(?P<in_blanks>)|\[\s*(?:\Z(?P<in_blanks_2>)"
    r'|\{\s*(?:\Z(?P<in_blanks_3>)|"[^"]+(?:\Z(?P<in_name>)|"\s*\Z(?P<in_blanks_4>)))))'
    r'|\}(?:,\s*(?:\Z(?P<in_blanks_5>)|\{\s*(?:\Z(?P<in_blanks_6>)|"[^"]+(?:\Z(?P<in_name_2>)'
    r'|"\s*\Z(?P<in_blanks_7>))))|\s*(?:\Z(?P<in_blanks_8>)|\]\s*\Z(?P<in_blanks_9>)))'
    r"|(?~<\|inner_prefix\|>|<\|inner_suffix\|>|<\|tools_prefix\|>\s*"
    r'(?~\[\s*(?~\{\s*(?~"[^"])))|<\|tools_suffix|<\|tools_(?:prefix|suffix)(?~\|>)?)\Z'
    r'|(?~\},\s*(?~\{\s*(?~"[^"])))\Z',
    runs={"in_name": run_until('"')},
    waits=["tool_calls", "content", "tool_calls_2", "content_2"],
    captures={"tool_calls": {"name": "name"}, "tool_calls_2": {"name_2": "name"}},
)
_START: Final = State(
    r"<\|inner_prefix\|>(?P<reasoning_content>)"
    r'|<\|tools_prefix\|>\s*\[\s*\{\s*"(?P<name>[^"]+)"\s*:(?P<tool_calls>)'
    r'|\},\s*\{\s*"(?P<name_2>[^"]+)"\s*:(?P<tool_calls_2>)'
    r"|(?:<\|inner_suffix\|>|<\|tools_(?:prefix|suffix)\|>)(?P<content>)"
    r"|\}\s*\]\s*(?P<content_2>)"
    r"|\A(?P<content_3>)",
    longer=r"<\|tools_prefix\|>\s*(?:\Z(?P<in_blanks>)|\[\s*(?:\Z(?P<in_blanks_2>)"
    r'|\{\s*(?:\Z(?P<in_blanks_3>)|"[^"]+(?:\Z(?P<in_name>)|"\s*\Z(?P<in_blanks_4>)))))'
    r'|\},\s*(?:\Z(?P<in_blanks_5>)|\{\s*(?:\Z(?P<in_blanks_6>)|"[^"]+(?:\Z(?P<in_name_2>)'
    r'|"\s*\Z(?P<in_blanks_7>))))'
    r'|(?~<\|inner_prefix\|>|<\|tools_prefix\|>\s*(?~\[\s*(?~\{\s*(?~"[^"]))))\Z'
    r'|(?~\},\s*(?~\{\s*(?~"[^"])))\Z',
    runs={"in_name": run_until('"')},
    hidden=r"\}\s*(?:\Z(?P<in_blanks_8>)|\]\s*\Z(?P<in_blanks_9>))"
    r"|(?~<\|inner_suffix\|>|<\|tools_prefix|<\|tools_suffix|<\|tools_(?:prefix|suffix)"
    r"(?~\|>)?)\Z",
    waits=["tool_calls", "content", "tool_calls_2", "content_2", "content_3"],
    captures={"tool_calls": {"name": "name"}, "tool_calls_2": {"name_2": "name"}},
    later=_OUTSIDE,
)
_STATES: Final = States(
    _START,
    {
        "close": _OUTSIDE,
        "content": State(
            r"(?=<\|(?:inner|tools)_(?:prefix|suffix)\|>)(?P<close>)"
            r"|\[\s*\](?=\s*<\|tools_suffix\|>)(?P<close_2>)"
            r"|<\|(?:assistant_end|user_start)\|>.*(?P<close_3>)",
            r"(?~<\|inner|<\|tools|<\|(?:inner|tools)(?~_prefix|_suffix|_(?:prefix|suffix)(?~\|>)?)?"
            r"|<\|assistant_end|<\|user_start|<\|(?:assistant_end|user_start)(?~\|>)?)\Z"
            r"|(?~\[\s*(?~\]\s*(?~<\|tools_suffix\|>)))\Z",
            longer=r"<\|(?:assistant_end|user_start)\|>.*\Z(?P<in_rest>)"
            r"|\[\s*(?:\Z(?P<in_blanks>)|\]\s*\Z(?P<in_blanks_2>))",
            waits=["close", "close_2", "close_3"],
            first=r"[<\[]",
            chunk=_CONTENT,
            close=_end_content,
        ),
        "reasoning_content": State(
            r"(?=(?:<\|inner_suffix\|>|<\|tools_prefix\|>))(?P<close>)"
            r"|<\|(?:assistant_end|user_start)\|>.*(?P<close_2>)",
            r"(?~<\|inner_suffix\|>|<\|tools_prefix\|>|<\|assistant_end|<\|user_start"
            r"|<\|(?:assistant_end|user_start)(?~\|>)?)\Z",
            longer=r"<\|(?:assistant_end|user_start)\|>.*\Z(?P<in_rest>)",
            waits=["close", "close_2"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r'(?=(?:\}\s*\]\s*[^\s,}\]]|\},\s*\{\s*"[^"]+"\s*:\s*\{|<\|(?:tools_(?:prefix|suffix)'
            r"|inner_prefix)\|>))(?P<close>)"
            r"|<\|(?:assistant_end|user_start)\|>.*(?P<close_2>)",
            longer=r"\}(?:\s*(?:\Z(?P<in_blanks>)|\]\s*\Z(?P<in_blanks_2>))|,\s*(?:\Z(?P<in_blanks_3>)"
            r'|\{\s*(?:\Z(?P<in_blanks_4>)|"[^"]+(?:\Z(?P<in_run>)|"\s*(?:\Z(?P<in_blanks_5>)'
            r"|:\s*\Z(?P<in_blanks_6>))))))"
            r"|<\|(?:assistant_end|user_start)\|>.*\Z(?P<in_run_b>)"
            r'|(?~\},\s*(?~\{\s*(?~"[^"])))\Z'
            r"|(?~<\|tools_prefix|<\|tools_suffix|<\|inner_prefix|<\|(?:tools_(?:prefix|suffix)"
            r"|inner_prefix)(?~\|>)?|<\|assistant_end|<\|user_start|<\|(?:assistant_end|user_start)"
            r"(?~\|>)?)\Z",
            runs={
                "in_run": run_until(
                    r'"|[^\s,}\]]|\{|<\|(?:tools_(?:prefix|suffix)|inner_prefix)\|>|<\|(?:assistant_end'
                    r"|user_start)\|>",
                    16,
                ),
                "in_run_b": run_until(
                    r"[^\s,}\]]|\{|<\|(?:tools_(?:prefix|suffix)|inner_prefix)\|>|<\|(?:assistant_end"
                    r"|user_start)\|>",
                    16,
                ),
            },
            hides=True,
            waits=["close", "close_2"],
            first="[<}]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={
        "tool_calls_2": "tool_calls",
        "content_2": "content",
        "content_3": "content",
        "close_2": "close",
        "close_3": "close",
    },
    whole=False,
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
        if chunk is not None and text and "<" not in text and "[" not in text and "}" not in text:
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
        "content": {"join": "", "strip": False},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": ("<|inner_prefix|>",),
        "tool_calls": (
            "<|tools_prefix|>",
            "},",
        ),
        "content": (
            "<|inner_suffix|>",
            "<|tools_prefix|>",
            "<|tools_suffix|>",
            "}",
        ),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|assistant_end|>",
        "<|user_start|>",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "[" not in text and "}" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
