# Compiled by respc from llama4_json.json. Do not edit: change the template and compile it again.
# Template sha256: 578bbac9871b09b780bde66322bf4d3123ec61caafdb5bceb23e643fb7de6498
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
from respc_runtime.transforms import descend

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
    content = parse_json(body)
    value: Any = {
        "type": "function",
        "function": {
            "name": descend(content, "content.name", "name"),
            "arguments": descend(content, "content.parameters", "parameters"),
        },
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
    r'(?=\{\s*"name"\s*:\s*"[^\s"{},;]+"\s*,\s*"parameters"\s*:\s*\{)(?P<tool_calls>)'
    r"|(?:<\|python_start\|>\s*|<\|python_end\|>\s*|(?:<\|eot\|>|<\|eom\|>|<\|end_of_text\|>"
    r"|<\|header_start\|>).*)(?P<close>)",
    r'(?~\{\s*(?~"name"\s*(?~:\s*(?~"(?:[^\s"{},;]+(?~"\s*(?~,\s*(?~"parameters"))))?))))\Z'
    r"|(?~<\|python_start\|>|<\|python_end\|>|<\|eot\|>|<\|eom\|>|<\|end_of_text\|>"
    r"|<\|header_start\|>)\Z",
    longer=r'\{\s*(?:\Z(?P<in_blanks>)|"name"\s*(?:\Z(?P<in_blanks_2>)|:\s*(?:\Z(?P<in_blanks_3>)'
    r'|"[^\s"{},;]+(?:\Z(?P<in_run>)|"\s*(?:\Z(?P<in_blanks_4>)|,\s*(?:\Z(?P<in_blanks_5>)'
    r'|"parameters"\s*(?:\Z(?P<in_blanks_6>)|:\s*\Z(?P<in_blanks_7>))))))))'
    r"|<\|python_(?:start\|>\s*\Z(?P<in_blanks_8>)|end\|>\s*\Z(?P<in_blanks_9>))"
    r"|(?:<\|eot\|>|<\|eom\|>|<\|end_of_text\|>|<\|header_start\|>).*\Z(?P<in_rest>)",
    runs={"in_run": run_until(r'[\s"{},;]')},
    waits=["tool_calls", "close"],
    first="[<{]",
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            r"<\|python_end\|>\s*(?P<close>)"
            r'|[;,\n] *(?=\{\s*"name"\s*:\s*"[^\s"{},;]+"\s*,\s*"parameters"\s*:\s*\{)(?P<close_2>)'
            r'|\n(?=[^\s"\[\]{},\d\-tfn])(?P<close_3>)'
            r"|(?:<\|eot\|>|<\|eom\|>|<\|end_of_text\|>|<\|header_start\|>).*(?P<close_4>)",
            longer=r"<\|python_end\|>\s*\Z(?P<in_blanks>)"
            r'|[;,\n] *(?:\Z(?P<in_run>)|\{\s*(?:\Z(?P<in_blanks_2>)|"name"\s*(?:\Z(?P<in_blanks_3>)'
            r'|:\s*(?:\Z(?P<in_blanks_4>)|"[^\s"{},;]+(?:\Z(?P<in_run_b>)|"\s*(?:\Z(?P<in_blanks_5>)'
            r'|,\s*(?:\Z(?P<in_blanks_6>)|"parameters"\s*(?:\Z(?P<in_blanks_7>)'
            r"|:\s*\Z(?P<in_blanks_8>)))))))))"
            r"|(?:<\|eot\|>|<\|eom\|>|<\|end_of_text\|>|<\|header_start\|>).*\Z(?P<in_run_c>)"
            r"|(?~<\|python_end\|>|<\|eot\|>|<\|eom\|>|<\|end_of_text\|>|<\|header_start\|>)\Z"
            r"|(?~[;,\n] *"
            r'(?~\{\s*(?~"name"\s*(?~:\s*(?~"(?:[^\s"{},;]+(?~"\s*(?~,\s*(?~"parameters"))))?)))))\Z'
            r'|(?~\n[^\s"\[\]{},\d\-tfn])\Z',
            runs={
                "in_run": run_until("[^ ]"),
                "in_run_b": Run(
                    compile_pattern(
                        r'[\s"{},;]|<\|python_end\|>|\n(?=[^\s"\[\]{},\d\-tfn])|(?:<\|eot\|>|<\|eom\|>'
                        r"|<\|end_of_text\|>|<\|header_start\|>)"
                    ).search,
                    15,
                ),
                "in_run_c": Run(
                    compile_pattern(
                        r'<\|python_end\|>|\{|\n(?=[^\s"\[\]{},\d\-tfn])|(?:<\|eot\|>|<\|eom\|>|<\|end_of_text\|>'
                        r"|<\|header_start\|>)"
                    ).search,
                    15,
                ),
            },
            hides=True,
            waits=["close", "close_2", "close_3", "close_4"],
            first=r"[\n,;<]",
            make=words_pattern,
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
            direct=False,
        ),
    },
    aliases={"close_2": "close", "close_3": "close", "close_4": "close"},
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "<|header_start|>assistant<|header_end|>\n\n")


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
        if chunk is not None and text and "<" not in text and "{" not in text:
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
            "name": ("content", "name"),
            "id": None,
            "arguments": ("content", "parameters"),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {"content": {"join": "\n", "strip": True}}
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|end_of_text|>",
        "<|eom|>",
        "<|eot|>",
        "<|header_start|>",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "{" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
