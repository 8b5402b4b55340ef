# Compiled by respc from gpt_oss.json. Do not edit: change the template and compile it again.
# Template sha256: a9940482ee1589b20a73cd01d105a69f7892e8066dbdf7317af12f3f8f96849c
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
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States, run_until
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
    value = body.strip()
    join_values(parser.message, "content", "\n", value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(?P<reasoning_content>)"
    r"|(?:<\|channel\|>[^\sf<][^\s<]*\s+|<\|start\|>assistant\s*)to=(?:functions\.)?"
    r"(?P<name>[^\s<>\|]+)(?:\s+\w+|\s*)(?:<\|channel\|>[^<]*)?"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>(?P<tool_calls>)"
    r"|(?:<\|channel\|>(?:[^\sa<][^\s<]*)?(?:\s+\w+|\s*)(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"\s*|<\|channel\|>final(?=\s\w*(?:\s+[^\s<]|[^\s\w<=]|\s*<\|[er]))|<\|start\|>"
    r"(?:assistant)?(?=<)|<\|(?:end|call|message)\|>\s*|(?:<\|return\|>|<\|endoftext\|>"
    r"|<\|start\|>(?:user|system|developer|functions|tool)).*)(?P<close>)",
    longer=r"<\|(?:channel\|>(?:analysis[^\s<]*(?:\Z(?P<in_run>)|\s+(?:\Z(?P<in_blanks>)"
    r"|\w+\Z(?P<in_word>))|\s*\Z(?P<in_blanks_2>)"
    r"|(?:\s+\w+|\s*)<\|constrain\|>[^<]*\Z(?P<in_run_b>))|[^\sf<][^\s<]*(?:\Z(?P<in_run_2>)"
    r"|\s+\Z(?P<in_blanks_3>))|[^\sa<][^\s<]*\Z(?P<in_run_3>)|(?:[^\sa<][^\s<]*)?"
    r"(?:\s+(?:\Z(?P<in_blanks_7>)|\w+\Z(?P<in_word_3>))|\s*\Z(?P<in_blanks_8>)|(?:\s+\w+|\s*)"
    r"(?:<\|constrain\|>[^<]*\Z(?P<in_run_b_4>)|(?:<\|constrain\|>[^<]*)?<\|message\|>\s*"
    r"\Z(?P<in_blanks_9>)))|final\s\w*(?:\Z(?P<in_word_4>)|\s+\Z(?P<in_blanks_10>)"
    r"|\s*\Z(?P<in_blanks_11>)))|start\|>assistant\s*\Z(?P<in_blanks_4>)|(?:end|call"
    r"|message)\|>\s*\Z(?P<in_blanks_12>))"
    r"|(?:<\|channel\|>[^\sf<][^\s<]*\s+|<\|start\|>assistant\s*)to=(?:functions\.)?[^\s<>\|]+"
    r"(?:\Z(?P<in_name>)|\s+(?:\Z(?P<in_blanks_5>)|\w+\Z(?P<in_word_2>))"
    r"|\s*\Z(?P<in_blanks_6>)|(?:\s+\w+|\s*)(?:<\|channel\|>[^<]*\Z(?P<in_run_b_2>)"
    r"|(?:<\|channel\|>[^<]*)?<\|constrain\|>[^<]*\Z(?P<in_run_b_3>)))"
    r"|(?:<\|return\|>|<\|endoftext\|>|<\|start\|>(?:user|system|developer|functions"
    r"|tool)).*\Z(?P<in_rest>)"
    r"|(?~<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)(?~<\|constrain\|>"
    r"|(?:<\|constrain\|>[^<]*)?(?~<\|message\|>)?)?|<\|channel\|>(?:[^\sa<][^\s<]*)?"
    r"(?:(?:\s+\w+|\s*)(?~<\|constrain\|>|(?:<\|constrain\|>[^<]*)?(?~<\|message\|>)?)?)?"
    r"|<\|channel\|>final\s\w*\s*(?~<\|[er])|<\|call|<\|start\|>assistant|<\|start\|>"
    r"(?:assistant)?|<\|start\|>user|<\|start\|>system|<\|start\|>developer"
    r"|<\|start\|>functions|<\|start\|>tool|<\|endoftext\|>|<\|message|<\|(?:end|call|message)"
    r"(?~\|>)?|<\|return\|>)\Z"
    r"|(?:<\|channel\|>[^\sf<][^\s<]*\s+|<\|start\|>assistant\s*)(?~to=functions\."
    r"|to=(?:functions\.)?(?:[^\s<>\|]+(?:\s+\w+|\s*)(?~<\|channel\|>|(?:<\|channel\|>[^<]*)?"
    r"(?~<\|constrain\|>|(?:<\|constrain\|>[^<]*)?(?~<\|message\|>)?)?)?)?)?\Z",
    runs={
        "in_run": run_until(r"[\s<]"),
        "in_word": Run(compile_pattern(r"[^\w]").search),
        "in_run_b": run_until("<"),
        "in_name": run_until(r"[\s<>\|]"),
    },
    eager=r"(?=(?P<kept>(?:<\|channel\|>(?:[^\sa<][^\s<]*)?(?:\s+\w+|\s*)"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>\s*|<\|channel\|>final(?=\s\w*(?:\s+[^\s<]"
    r"|[^\s\w<=]|\s*<\|[er]))|<\|start\|>(?:assistant)?(?=<)|<\|(?:end|call|message)\|>\s*"
    r"|(?:<\|return\|>|<\|endoftext\|>|<\|start\|>(?:user|system|developer|functions"
    r"|tool)).*)))(?P=kept)(?:\Z|(?P<close_2>))",
    waits=["reasoning_content", "tool_calls", "close", "close_2"],
    captures={"tool_calls": {"name": "name"}},
    make=words_pattern,
)
_START: Final = State(
    r"<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"(?P<reasoning_content>)"
    r"|(?:<\|channel\|>[^\sf<][^\s<]*\s+|<\|start\|>assistant\s*)to=(?:functions\.)?"
    r"(?P<name>[^\s<>\|]+)(?:\s+\w+|\s*)(?:<\|channel\|>[^<]*)?"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>(?P<tool_calls>)"
    r"|\A ?to=(?:functions\.)?(?P<name_2>[^\s<>\|]+)(?:\s+\w+|\s*)(?:<\|channel\|>[^<]*)?"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>(?P<tool_calls_2>)"
    r"|(?:<\|channel\|>(?:[^\sa<][^\s<]*)?(?:\s+\w+|\s*)(?:<\|constrain\|>[^<]*)?<\|message\|>"
    r"\s*|<\|channel\|>final(?=\s\w*(?:\s+[^\s<]|[^\s\w<=]|\s*<\|[er]))|<\|start\|>"
    r"(?:assistant)?(?=<)|<\|(?:end|call|message)\|>\s*|(?:<\|return\|>|<\|endoftext\|>"
    r"|<\|start\|>(?:user|system|developer|functions|tool)).*)(?P<close>)",
    longer=r"<\|(?:channel\|>(?:analysis[^\s<]*(?:\Z(?P<in_run>)|\s+(?:\Z(?P<in_blanks>)"
    r"|\w+\Z(?P<in_word>))|\s*\Z(?P<in_blanks_2>)"
    r"|(?:\s+\w+|\s*)<\|constrain\|>[^<]*\Z(?P<in_run_b>))|[^\sf<][^\s<]*(?:\Z(?P<in_run_2>)"
    r"|\s+\Z(?P<in_blanks_3>))|[^\sa<][^\s<]*\Z(?P<in_run_3>)|(?:[^\sa<][^\s<]*)?"
    r"(?:\s+(?:\Z(?P<in_blanks_9>)|\w+\Z(?P<in_word_4>))|\s*\Z(?P<in_blanks_10>)"
    r"|(?:\s+\w+|\s*)(?:<\|constrain\|>[^<]*\Z(?P<in_run_b_6>)"
    r"|(?:<\|constrain\|>[^<]*)?<\|message\|>\s*\Z(?P<in_blanks_11>)))|final\s\w*"
    r"(?:\Z(?P<in_word_5>)|\s+\Z(?P<in_blanks_12>)|\s*\Z(?P<in_blanks_13>)))"
    r"|start\|>assistant\s*\Z(?P<in_blanks_4>)|(?:end|call|message)\|>\s*\Z(?P<in_blanks_14>))"
    r"|(?:<\|channel\|>[^\sf<][^\s<]*\s+|<\|start\|>assistant\s*)to=(?:functions\.)?[^\s<>\|]+"
    r"(?:\Z(?P<in_name>)|\s+(?:\Z(?P<in_blanks_5>)|\w+\Z(?P<in_word_2>))"
    r"|\s*\Z(?P<in_blanks_6>)|(?:\s+\w+|\s*)(?:<\|channel\|>[^<]*\Z(?P<in_run_b_2>)"
    r"|(?:<\|channel\|>[^<]*)?<\|constrain\|>[^<]*\Z(?P<in_run_b_3>)))"
    r"|\A ?to=(?:functions\.)?[^\s<>\|]+(?:\Z(?P<in_name_2>)|\s+(?:\Z(?P<in_blanks_7>)"
    r"|\w+\Z(?P<in_word_3>))|\s*\Z(?P<in_blanks_8>)|(?:\s+\w+|\s*)"
    r"(?:<\|channel\|>[^<]*\Z(?P<in_run_b_4>)|(?:<\|channel\|>[^<]*)?<\|constrain\|>[^<]*"
    r"\Z(?P<in_run_b_5>)))"
    r"|(?:<\|return\|>|<\|endoftext\|>|<\|start\|>(?:user|system|developer|functions"
    r"|tool)).*\Z(?P<in_rest>)"
    r"|(?~<\|channel\|>analysis[^\s<]*(?:\s+\w+|\s*)(?~<\|constrain\|>"
    r"|(?:<\|constrain\|>[^<]*)?(?~<\|message\|>)?)?|<\|channel\|>(?:[^\sa<][^\s<]*)?"
    r"(?:(?:\s+\w+|\s*)(?~<\|constrain\|>|(?:<\|constrain\|>[^<]*)?(?~<\|message\|>)?)?)?"
    r"|<\|channel\|>final\s\w*\s*(?~<\|[er])|<\|call|<\|start\|>assistant|<\|start\|>"
    r"(?:assistant)?|<\|start\|>user|<\|start\|>system|<\|start\|>developer"
    r"|<\|start\|>functions|<\|start\|>tool|<\|endoftext\|>|<\|message|<\|(?:end|call|message)"
    r"(?~\|>)?|<\|return\|>)\Z"
    r"|(?:<\|channel\|>[^\sf<][^\s<]*\s+|<\|start\|>assistant\s*)(?~to=functions\."
    r"|to=(?:functions\.)?(?:[^\s<>\|]+(?:\s+\w+|\s*)(?~<\|channel\|>|(?:<\|channel\|>[^<]*)?"
    r"(?~<\|constrain\|>|(?:<\|constrain\|>[^<]*)?(?~<\|message\|>)?)?)?)?)?\Z"
    r"|\A ?(?~to=functions\.|to=(?:functions\.)?(?:[^\s<>\|]+(?:\s+\w+|\s*)(?~<\|channel\|>"
    r"|(?:<\|channel\|>[^<]*)?(?~<\|constrain\|>|(?:<\|constrain\|>[^<]*)?"
    r"(?~<\|message\|>)?)?)?)?)?\Z",
    runs={
        "in_run": run_until(r"[\s<]"),
        "in_word": Run(compile_pattern(r"[^\w]").search),
        "in_run_b": run_until("<"),
        "in_name": run_until(r"[\s<>\|]"),
    },
    eager=r"(?=(?P<kept>(?:<\|channel\|>(?:[^\sa<][^\s<]*)?(?:\s+\w+|\s*)"
    r"(?:<\|constrain\|>[^<]*)?<\|message\|>\s*|<\|channel\|>final(?=\s\w*(?:\s+[^\s<]"
    r"|[^\s\w<=]|\s*<\|[er]))|<\|start\|>(?:assistant)?(?=<)|<\|(?:end|call|message)\|>\s*"
    r"|(?:<\|return\|>|<\|endoftext\|>|<\|start\|>(?:user|system|developer|functions"
    r"|tool)).*)))(?P=kept)(?:\Z|(?P<close_2>))",
    waits=["reasoning_content", "tool_calls", "close", "close_2", "tool_calls_2"],
    captures={"tool_calls": {"name": "name"}, "tool_calls_2": {"name_2": "name"}},
    first="[ <t]",
    make=words_pattern,
    later=_OUTSIDE,
)
_STATES: Final = States(
    _START,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"<\|(?:call|end)\|>\s*(?P<close>)"
            r"|(?=<\|(?:start|channel)\|>)(?P<close_2>)"
            r"|(?:<\|return\|>|<\|endoftext\|>).*(?P<close_3>)",
            r"(?~<\|call|<\|channel|<\|endoftext\|>|<\|(?:call|end)(?~\|>)?|<\|start|<\|(?:start"
            r"|channel)(?~\|>)?|<\|return\|>)\Z",
            longer=r"<\|(?:call|end)\|>\s*\Z(?P<in_blanks>)|(?:<\|return\|>|<\|endoftext\|>).*\Z(?P<in_rest>)",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"<\|(?:call|end)\|>\s*(?P<close>)"
            r"|(?=<\|(?:start|channel)\|>)(?P<close_2>)"
            r"|(?:<\|return\|>|<\|endoftext\|>).*(?P<close_3>)",
            r"(?~<\|call|<\|channel|<\|endoftext\|>|<\|(?:call|end)(?~\|>)?|<\|start|<\|(?:start"
            r"|channel)(?~\|>)?|<\|return\|>)\Z",
            longer=r"<\|(?:call|end)\|>\s*\Z(?P<in_blanks>)|(?:<\|return\|>|<\|endoftext\|>).*\Z(?P<in_rest>)",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={"close_2": "close", "tool_calls_2": "tool_calls", "close_3": "close"},
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
        "tool_calls": {
            "name": ("captures", "name"),
            "id": None,
            "arguments": ("content",),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "reasoning_content": {"join": "\n", "strip": True},
        "content": {"join": "\n", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": ("<|channel|>analysis",),
        "tool_calls": (
            " to=",
            " to=functions.",
            "<|channel|>",
            "<|start|>assistant",
            "to=",
            "to=functions.",
        ),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|endoftext|>",
        "<|return|>",
        "<|start|>developer",
        "<|start|>functions",
        "<|start|>system",
        "<|start|>tool",
        "<|start|>user",
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
