# Compiled by respc from kimi_k3.json. Do not edit: change the template and compile it again.
# Template sha256: 3c97803292785f3a1a1f75ccc977abf1f924720a51cfb4d1a3109cbd303c9062
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
from respc_runtime.json_dialects import (
    NOT_PLAIN,
    json_dialect_or_text,
    lift_strings,
    marked_json,
    refuse_reserved,
    restore_strings,
)
from respc_runtime.message_values import join_values
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States, run_until
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.tag_ways import Closing
from respc_runtime.tags import tag_pairs_of_ways
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

_TOOL_CALLS_TAGS: Final = (
    (
        compiled(
            r'<\|open\|>argument key="(?P<key>[^"]+)"(?: type="(?:number|integer|boolean|null|object'
            r'|array)")?<\|sep\|>'
        ),
        Closing(compiled(r"<\|close\|>argument<\|sep\|>")),
    ),
    (
        compiled(
            r'<\|open\|>argument key="(?P<key>[^"]+)" type="(?P<value_start>)string"<\|sep\|>'
        ),
        Closing(compiled(r"<\|close\|>argument<\|sep\|>(?P<value_end>)")),
    ),
)
_ANCHOR: Final = compiled(r'<\|open\|>message role="assistant"[^<]*<\|sep\|>')


def _read_tool_calls_value(body: str) -> Any:
    refuse_reserved(body)
    value: Any = marked_json(body, 'string"<|sep|>', "<|close|>argument<|sep|>", (), False)
    if value is not NOT_PLAIN:
        return value
    text = body
    strings: list[str] = []
    text = lift_strings(text, 'string"<|sep|>', "<|close|>argument<|sep|>", strings)
    text = restore_strings(text, strings)
    return json_dialect_or_text(text, body)


def _read_tool_calls(parser: AnyStream, body: str) -> dict[str, Any]:
    return {
        key: _read_tool_calls_value(text)
        for key, text in tag_pairs_of_ways(body, _TOOL_CALLS_TAGS, strict=parser.strict_bodies)
    }


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
    r"<\|open\|>think<\|sep\|>(?P<reasoning_content>)"
    r'|(?:<\|open\|>call (?:index="\d+" )?tool="(?P<name>[^\s"<=]+)"[^<]*<\|sep\|>'
    r"(?=\s*<\|(?:open\|>argument |close\|>))|<\|open\|>call(?P<name_2>)"
    r'(?=(?: (?:index="\d+" )?tool=[^<]*<\|sep\|>\s*(?:[^\s<]|<\|open\|>json)'
    r'| index="\d+"<\|sep\|>|<\|sep\|>)))(?P<tool_calls>)'
    r"|(?:<\|open\|>(?:response|tools)<\|sep\|>\s*|<\|close\|>(?:think|response|argument|call"
    r"|tools|message)<\|sep\|>\s*|(?:<\|end_of_msg\|>|<\|open\|>message ).*)(?P<close>)",
    r'(?~<\|open\|>think<\|sep\|>|<\|open\|>tools|<\|open\|>call index="(?:\d+(?~"<\|sep\|>))?'
    r'|<\|open\|>call (?:index="\d+" )?(?~tool="(?:[^\s"<=]+(?~"[^<]*(?~<\|sep\|>\s*'
    r"(?~<\|open\|>argument |<\|close\|>))))?|tool=[^<]*(?~<\|sep\|>\s*(?~<\|open\|>json)))?"
    r"|<\|open\|>call<\|sep\|>|<\|open\|>response|<\|open\|>(?:response|tools)(?~<\|sep\|>)?"
    r"|<\|open\|>message |<\|close\|>think|<\|close\|>tools|<\|close\|>response"
    r"|<\|close\|>argument|<\|close\|>call|<\|close\|>message|<\|close\|>(?:think|response"
    r"|argument|call|tools|message)(?~<\|sep\|>)?|<\|end_of_msg\|>)\Z",
    longer=r'<\|(?:open\|>(?:call (?:index="\d+\Z(?P<in_digits>)|(?:index="\d+" )?tool=(?:"[^\s"<=]+'
    r'(?:\Z(?P<in_name>)|"[^<]*(?:\Z(?P<in_name_b>)|<\|sep\|>\s*\Z(?P<in_blanks>)))'
    r"|[^<]*(?:\Z(?P<in_name_b_2>)|<\|sep\|>\s*\Z(?P<in_blanks_2>))))|(?:response"
    r"|tools)<\|sep\|>\s*\Z(?P<in_blanks_3>))|close\|>(?:think|response|argument|call|tools"
    r"|message)<\|sep\|>\s*\Z(?P<in_blanks_4>))"
    r"|(?:<\|end_of_msg\|>|<\|open\|>message ).*\Z(?P<in_rest>)",
    runs={
        "in_digits": Run(compile_pattern(r"[^\d]").search),
        "in_name": run_until(r'[\s"<=]'),
        "in_name_b": run_until("<"),
    },
    waits=["tool_calls", "close"],
    captures={"tool_calls": {"name": "name", "name_2": "name"}},
    make=words_pattern,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"<\|close\|>think<\|sep\|>\s*(?P<close>)"
            r"|(?:(?=<\|open\|>(?:response|tools)<\|sep\|>)|(?=<\|open\|>call ))(?P<close_2>)"
            r"|(?:<\|close\|>message<\|sep\|>|(?:<\|end_of_msg\|>|<\|open\|>message ).*)(?P<close_3>)",
            r"(?~<\|close\|>think<\|sep\|>|<\|close\|>message<\|sep\|>|<\|open\|>response"
            r"|<\|open\|>tools|<\|open\|>(?:response|tools)(?~<\|sep\|>)?|<\|open\|>call "
            r"|<\|open\|>message |<\|end_of_msg\|>)\Z",
            longer=r"<\|close\|>think<\|sep\|>\s*\Z(?P<in_blanks>)"
            r"|(?:<\|end_of_msg\|>|<\|open\|>message ).*\Z(?P<in_rest>)",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"<\|close\|>(?:call|tools|message)<\|sep\|>\s*(?P<close>)"
            r"|(?=<\|open\|>call )(?P<close_2>)"
            r"|(?:<\|end_of_msg\|>|<\|open\|>message ).*(?P<close_3>)",
            r"(?~<\|close\|>call|<\|close\|>tools|<\|close\|>message|<\|close\|>(?:call|tools|message)"
            r"(?~<\|sep\|>)?|<\|open\|>call |<\|open\|>message |<\|end_of_msg\|>)\Z",
            longer=r"<\|close\|>(?:call|tools|message)<\|sep\|>\s*\Z(?P<in_blanks>)"
            r"|(?:<\|end_of_msg\|>|<\|open\|>message ).*\Z(?P<in_rest>)",
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
        "reasoning_content": ("<|open|>think<|sep|>",),
        "tool_calls": (
            "<|open|>call",
            '<|open|>call index="',
            '<|open|>call tool="',
        ),
    }
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|end_of_msg|>",
        "<|open|>message ",
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
