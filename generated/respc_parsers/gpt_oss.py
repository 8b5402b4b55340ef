# Compiled by respc from gpt_oss.json. Do not edit: change the template and compile it again.
# Template sha256: 57af4d5b6a930381841ff1942e38e2a6c54f311704e22af4e7f5e19d9f5fd344
# ABI of respc_runtime: 5
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi
from respc_runtime.anchors import after_last
from respc_runtime.batches import ParseResponse
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.json_bodies import parse_json
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.searches import skip_run
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States, run_until
from respc_runtime.stream import AnyStream, Stream, join_values
from respc_runtime.string_closers import JSON_QUOTES, QuotesOfFields
from respc_runtime.tools import cast_arguments, prepare_tools

if TYPE_CHECKING:
    from respc_runtime.events import ServingEvent

require_abi(5, __name__)

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


# What ends each state, and what that leads to; then what has only begun to.
_OUTSIDE: Final = State(
    r"<\|channel\|>(?:final|commentary)(?: \w+)?(?: ?<\|constrain\|>[^<]*)?<\|message\|>(?P<co"
    r"ntent>)|<\|channel\|>analysis(?: \w+)?(?: ?<\|constrain\|>[^<]*)?<\|message\|>(?P<reason"
    r"ing_content>)|(?#once)to=functions\.(?=(?P<kept_2>(?P<name_2>[^\s<]+)))(?P=kept_2).*?<\|"
    r"message\|>(?P<tool_calls>)",
    longer=r"<\|channel\|>(?:(?:final|commentary)(?: \w+\Z(?P<in_run>)|(?: \w+)? ?<\|constrain\|>[^<]"
    r"*\Z(?P<in_run_2>))|analysis(?: \w+\Z(?P<in_run_3>)|(?: \w+)? ?<\|constrain\|>[^<]*\Z(?P<"
    r"in_run_4>)))|to=functions\.[^\s<]+(?:\Z(?P<in_name>)|.*\Z(?P<in_name_2>))"
    r"|<(?:\|(?:c(?:h(?:a(?:n(?:n(?:e(?:l(?:\|(?:>(?:f(?:i(?:na?)?)?|c(?:o(?:m(?:m(?:e(?:n(?:t"
    r"(?:ar?)?)?)?)?)?)?)?|(?:final|commentary)(?: |(?: \w+)?(?: ?(?:<(?:\|(?:c(?:o(?:n(?:s(?:"
    r"t(?:r(?:a(?:i(?:n\|?)?)?)?)?)?)?)?)?)?)?)?|(?: ?<\|constrain\|>[^<]*)?(?:<(?:\|(?:m(?:e("
    r"?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?)?)?)?)?)?|a(?:n(?:a(?:l(?:y(?:s(?:i(?:s(?: "
    r"|(?: \w+)?(?: ?(?:<(?:\|(?:c(?:o(?:n(?:s(?:t(?:r(?:a(?:i(?:n\|?)?)?)?)?)?)?)?)?)?)?)?"
    r"|(?: ?<\|constrain\|>[^<]*)?(?:<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?)?)?)?)?"
    r")?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z|t(?:o(?:=(?:f(?:u(?:n(?:c(?:t(?:i(?:o(?:n(?:s(?"
    r":\.(?:[^\s<]+.*<(?:\|(?:m(?:e(?:s(?:s(?:a(?:g(?:e\|?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?"
    r")?)?)?\Z",
    runs={
        "in_run": Run(compile_pattern(r"[^\w]").search),
        "in_run_2": run_until("<"),
        "in_run_3": Run(compile_pattern(r"[^\w]").search),
        "in_run_4": run_until("<"),
        "in_name": run_until(r"<\|message\|>", 10),
        "in_name_2": run_until(r"<\|message\|>", 10),
    },
    certain=r"to=functions\.(?=(?P<kept>(?P<name>[^\s<]+)))(?P=kept).*?<\|message\|>(?P<tool_calls_2>)",
    waits=["content", "reasoning_content", "tool_calls", "tool_calls_2"],
    captures={"tool_calls_2": {"name": "name"}, "tool_calls": {"name_2": "name"}},
    skipped=r"(?#once)to=functions\.(?:[^\s<]+).*(?P<skip>)",
    skips={"skip": skip_run(None)},
    make=words_pattern,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "content": State(
            r"(?:<\|endoftext\|>|<\|return\|>|<\|start\|>|<\|end\|>)(?P<close>)",
            r"<(?:\|(?:e(?:n(?:d(?:o(?:f(?:t(?:e(?:x(?:t\|?)?)?)?)?)?|\|)?)?)?|r(?:e(?:t(?:u(?:r(?:n\|"
            r"?)?)?)?)?)?|s(?:t(?:a(?:r(?:t\|?)?)?)?)?)?)?\Z",
            chunk=_CONTENT,
            close=_end_content,
        ),
        "reasoning_content": State(
            r"(?:<\|endoftext\|>|<\|return\|>|<\|start\|>|<\|end\|>)(?P<close>)",
            r"<(?:\|(?:e(?:n(?:d(?:o(?:f(?:t(?:e(?:x(?:t\|?)?)?)?)?)?|\|)?)?)?|r(?:e(?:t(?:u(?:r(?:n\|"
            r"?)?)?)?)?)?|s(?:t(?:a(?:r(?:t\|?)?)?)?)?)?)?\Z",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:<\|endoftext\|>|<\|return\|>|<\|start\|>|<\|call\|>|<\|end\|>)(?P<close>)",
            r"<(?:\|(?:e(?:n(?:d(?:o(?:f(?:t(?:e(?:x(?:t\|?)?)?)?)?)?|\|)?)?)?|r(?:e(?:t(?:u(?:r(?:n\|"
            r"?)?)?)?)?)?|s(?:t(?:a(?:r(?:t\|?)?)?)?)?|c(?:a(?:l(?:l\|?)?)?)?)?)?\Z",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={"tool_calls_2": "tool_calls"},
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
        if chunk is not None and text and "<" not in text and "t" not in text:
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
        "reasoning_content": (
            "<|channel|>analysis ",
            "<|channel|>analysis <|constrain|>",
            "<|channel|>analysis<|constrain|>",
            "<|channel|>analysis<|message|>",
        ),
        "tool_calls": ("to=functions.",),
        "content": (
            "<|channel|>commentary ",
            "<|channel|>commentary <|constrain|>",
            "<|channel|>commentary<|constrain|>",
            "<|channel|>commentary<|message|>",
            "<|channel|>final ",
            "<|channel|>final <|constrain|>",
            "<|channel|>final<|constrain|>",
            "<|channel|>final<|message|>",
        ),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "t" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
