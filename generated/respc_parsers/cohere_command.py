# Compiled by respc from cohere_command.json. Do not edit: change the template and compile it again.
# Template sha256: 2a1f0037810f23fd6dcc0c9565acb9e4f87846474bb657e43e497e8bc90fbf44
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
        "id": parser.captures["id"],
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
    r"<\|START_THINKING\|>(?P<reasoning_content>)"
    r'|(?:<\|START_ACTION\|>\s*(?:\[\s*)?\{\s*"tool_call_id"\s*:\s*"'
    r'(?P<id>[^"]*)"\s*,\s*"tool_name"\s*:\s*"(?P<name>[^"]*)"\s*(?:,\s*"\w+"\s*:|(?=\}))'
    r'|<\|START_ACTION\|>\s*(?:\[\s*)?\{\s*(?P<id_2>)"(?:tool_)?name"\s*:\s*"'
    r'(?P<name_2>[^"]*)"\s*(?:,\s*"\w+"\s*:|(?=\}))|<\|START_ACTION\|>(?P<id_3>)(?P<name_3>)'
    r'(?=\s*(?:\[\s*)?\{\s*"[pai])|<\|START_ACTION\|>(?P<id_4>)(?P<name_4>)'
    r'(?=\s*(?:\[\s*)?\{\s*"tool_call_id"\s*:\s*"[^"]*"\s*,\s*"[pai]))(?P<tool_calls>)'
    r'|(?:\},\s*\{\s*"tool_call_id"\s*:\s*"(?P<id_5>[^"]*)"\s*,\s*"tool_name"\s*:\s*"'
    r'(?P<name_5>[^"]*)"\s*(?:,\s*"\w+"\s*:|(?=\}))|\},\s*\{\s*(?P<id_6>)"tool_name"\s*:\s*"'
    r'(?P<name_6>[^"]*)"\s*(?:,\s*"\w+"\s*:|(?=\})))(?P<tool_calls_2>)'
    r"|(?:<\|(?:START|END)_(?:RESPONSE|TEXT)\|>\s*|<\|END_(?:THINKING|ACTION)\|>\s*"
    r"|<\|START_ACTION\|>\s*\[\s*\]\s*|<\|START_ACTION\|>\s*(?=[^\s\[{])"
    r"|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)\|>.*)(?P<close>)",
    r'(?~<\|START_THINKING\|>|<\|START_ACTION\|>\s*(?:\[\s*)?(?~\{\s*(?~"tool_call_id"\s*'
    r"(?~:\s*"
    r'(?~"[^"]*(?~"\s*(?~,\s*(?~"tool_name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"\w))))))))))'
    r'|"(?:tool_)?(?~name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"\w))))))?))?'
    r"|<\|START_OF_TURN_TOKEN|<\|END_THINKING|<\|END_ACTION|<\|END_(?:THINKING|ACTION)(?~\|>)?"
    r"|<\|END_OF_TURN_TOKEN|<\|(?:START|END)(?~_RESPONSE|_TEXT|_(?:RESPONSE|TEXT)(?~\|>)?)?"
    r"|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)(?~\|>)?)\Z"
    r'|(?~\},\s*(?~\{\s*(?~"tool_call_id"\s*'
    r"(?~:\s*"
    r'(?~"[^"]*(?~"\s*(?~,\s*(?~"tool_name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"\w))))))))))'
    r'|"tool_name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"\w))))))))\Z',
    longer=r"<\|(?:START_ACTION\|>\s*(?:\Z(?P<in_blanks>)|\[\s*(?:\Z(?P<in_blanks_2>)"
    r'|\]\s*\Z(?P<in_blanks_36>))|(?:\[\s*)?\{\s*(?:\Z(?P<in_blanks_3>)|"(?:tool_call_id"\s*'
    r'(?:\Z(?P<in_blanks_4>)|:\s*(?:\Z(?P<in_blanks_5>)|"[^"]*(?:\Z(?P<in_id>)'
    r'|"\s*(?:\Z(?P<in_blanks_6>)|,\s*(?:\Z(?P<in_blanks_7>)|"tool_name"\s*'
    r'(?:\Z(?P<in_blanks_8>)|:\s*(?:\Z(?P<in_blanks_9>)|"[^"]*(?:\Z(?P<in_id_2>)'
    r'|"\s*(?:\Z(?P<in_blanks_10>)|,\s*(?:\Z(?P<in_blanks_11>)|"\w+(?:\Z(?P<in_word>)'
    r'|"\s*\Z(?P<in_blanks_12>))))))))))))|(?:tool_)?name"\s*(?:\Z(?P<in_blanks_13>)'
    r'|:\s*(?:\Z(?P<in_blanks_14>)|"[^"]*(?:\Z(?P<in_id_3>)|"\s*(?:\Z(?P<in_blanks_15>)'
    r'|,\s*(?:\Z(?P<in_blanks_16>)|"\w+(?:\Z(?P<in_word_2>)|"\s*\Z(?P<in_blanks_17>))))))))))'
    r"|END_(?:THINKING|ACTION)\|>\s*\Z(?P<in_blanks_35>)|(?:START|END)_(?:RESPONSE"
    r"|TEXT)\|>\s*\Z(?P<in_blanks_34>)|(?:END_OF_TURN_TOKEN"
    r"|START_OF_TURN_TOKEN)\|>.*\Z(?P<in_rest>))"
    r'|\},\s*(?:\Z(?P<in_blanks_18>)|\{\s*(?:\Z(?P<in_blanks_19>)|"tool_(?:call_id"\s*'
    r'(?:\Z(?P<in_blanks_20>)|:\s*(?:\Z(?P<in_blanks_21>)|"[^"]*(?:\Z(?P<in_id_4>)'
    r'|"\s*(?:\Z(?P<in_blanks_22>)|,\s*(?:\Z(?P<in_blanks_23>)|"tool_name"\s*'
    r'(?:\Z(?P<in_blanks_24>)|:\s*(?:\Z(?P<in_blanks_25>)|"[^"]*(?:\Z(?P<in_id_5>)'
    r'|"\s*(?:\Z(?P<in_blanks_26>)|,\s*(?:\Z(?P<in_blanks_27>)|"\w+(?:\Z(?P<in_word_3>)'
    r'|"\s*\Z(?P<in_blanks_28>))))))))))))|name"\s*(?:\Z(?P<in_blanks_29>)'
    r'|:\s*(?:\Z(?P<in_blanks_30>)|"[^"]*(?:\Z(?P<in_id_6>)|"\s*(?:\Z(?P<in_blanks_31>)'
    r'|,\s*(?:\Z(?P<in_blanks_32>)|"\w+(?:\Z(?P<in_word_4>)|"\s*\Z(?P<in_blanks_33>))))))))))',
    runs={"in_id": run_until('"'), "in_word": Run(compile_pattern(r"[^\w]").search)},
    waits=["tool_calls", "close", "tool_calls_2"],
    captures={
        "tool_calls": {
            "id": "id",
            "name": "name",
            "id_2": "id",
            "name_2": "name",
            "id_3": "id",
            "name_3": "name",
            "id_4": "id",
            "name_4": "name",
        },
        "tool_calls_2": {"id_5": "id", "name_5": "name", "id_6": "id", "name_6": "name"},
    },
    make=words_pattern,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"<\|END_THINKING\|>\s*(?P<close>)"
            r"|(?=<\|START_(?:ACTION|RESPONSE|TEXT)\|>)(?P<close_2>)"
            r"|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)\|>.*(?P<close_3>)",
            r"(?~<\|END_THINKING\|>|<\|END_OF_TURN_TOKEN|<\|START_ACTION|<\|START_RESPONSE"
            r"|<\|START_TEXT|<\|START_(?:ACTION|RESPONSE|TEXT)(?~\|>)?|<\|START_OF_TURN_TOKEN"
            r"|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)(?~\|>)?)\Z",
            longer=r"<\|(?:END_THINKING\|>\s*\Z(?P<in_blanks>)|(?:END_OF_TURN_TOKEN"
            r"|START_OF_TURN_TOKEN)\|>.*\Z(?P<in_rest>))",
            waits=["close", "close_2", "close_3"],
            first="[<]",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"(?:\}\s*(?:\]\s*)?<\|END_ACTION\|>\s*|\}\s*(?:\]\s*)?(?=<\|START_(?:THINKING|ACTION"
            r"|RESPONSE|TEXT)\|>))(?P<close>)"
            r'|(?=\},\s*\{\s*"tool_)(?P<close_2>)'
            r"|<\|END_ACTION\|>\s*(?P<close_3>)"
            r"|(?=<\|START_(?:THINKING|ACTION|RESPONSE|TEXT)\|>)(?P<close_4>)"
            r"|\}\s*(?:\]\s*)?<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)\|>.*(?P<close_5>)"
            r"|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)\|>.*(?P<close_6>)",
            r"(?~\}\s*(?:\]\s*)?(?~<\|END_ACTION\|>|<\|END_OF_TURN_TOKEN|<\|START_THINKING"
            r"|<\|START_TEXT|<\|START_ACTION|<\|START_RESPONSE|<\|START_(?:THINKING|ACTION|RESPONSE"
            r"|TEXT)(?~\|>)?|<\|START_OF_TURN_TOKEN|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)"
            r'(?~\|>)?)?|\},\s*(?~\{\s*(?~"tool_)))\Z'
            r"|(?~<\|END_ACTION\|>|<\|END_OF_TURN_TOKEN|<\|START_THINKING|<\|START_TEXT"
            r"|<\|START_ACTION|<\|START_RESPONSE|<\|START_(?:THINKING|ACTION|RESPONSE|TEXT)(?~\|>)?"
            r"|<\|START_OF_TURN_TOKEN|<\|(?:END_OF_TURN_TOKEN|START_OF_TURN_TOKEN)(?~\|>)?)\Z",
            longer=r"\}(?:\s*(?:\Z(?P<in_blanks>)|\]\s*\Z(?P<in_blanks_2>)|(?:\]\s*)?<\|"
            r"(?:END_ACTION\|>\s*\Z(?P<in_blanks_3>)|(?:END_OF_TURN_TOKEN"
            r"|START_OF_TURN_TOKEN)\|>.*\Z(?P<in_rest>)))|,\s*(?:\Z(?P<in_blanks_4>)"
            r"|\{\s*\Z(?P<in_blanks_5>)))"
            r"|<\|(?:END_ACTION\|>\s*\Z(?P<in_blanks_6>)|(?:END_OF_TURN_TOKEN"
            r"|START_OF_TURN_TOKEN)\|>.*\Z(?P<in_rest_2>))",
            waits=["close", "close_2", "close_3", "close_4", "close_5", "close_6"],
            first="[<}]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={
        "tool_calls_2": "tool_calls",
        "close_2": "close",
        "close_3": "close",
        "close_4": "close",
        "close_5": "close",
        "close_6": "close",
    },
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>")


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
        if chunk is not None and text and "<" not in text and "}" not in text:
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
            "id": ("captures", "id"),
            "arguments": ("content",),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "reasoning_content": {"join": "\n", "strip": True},
        "content": {"join": "\n", "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": ("<|START_THINKING|>",),
        "tool_calls": (
            "<|START_ACTION|>",
            "},",
        ),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|END_OF_TURN_TOKEN|>",
        "<|START_OF_TURN_TOKEN|>",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "}" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
