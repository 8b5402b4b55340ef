# Compiled by respc from xlam.json. Do not edit: change the template and compile it again.
# Template sha256: 5a18dab97ce1c505168f33dcc939d0222a70d6d4e685cd4f7adc5ca1bf86f2a6
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
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.searches import compiled, skip_run
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States, run_until
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.string_closers import JSON_QUOTES, QuotesOfFields
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

_ANCHOR: Final = compiled(
    r"(?:<\|start_header_id\|>assistant<\|end_header_id\|>\n\n|<\|im_start\|>assistant\n)"
)


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    content = parse_json(body)
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
    r"(?:(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)[ \n]?|)"
    r'(?=\[\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"arguments"\s*:)(?P<tool_calls>)'
    r"|(?:</tool_call>\s*|(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>(?:user"
    r"|system|tool)|<\|start_header_id\|>(?:user|system|ipython)).*)(?P<close>)",
    r"(?~<tool_call>|</tool_call>|<\|im_end\|>|<\|im_start\|>user|<\|im_start\|>system"
    r"|<\|im_start\|>tool|<\|eot_id\|>|<\|endoftext\|>|<\|start_header_id\|>user"
    r"|<\|start_header_id\|>system|<\|start_header_id\|>ipython)\Z"
    r"|(?~\[TOOL_CALLS\])\Z"
    r"|`{1,2}\Z"
    r"|`{3}(?~json)?\Z"
    r"|(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)\Z"
    r"|(?:(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)[ \n]?|)"
    r'(?~\[\s*(?~\{\s*(?~"name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"arguments"))))))))?\Z',
    longer=r"</tool_call>\s*\Z(?P<in_blanks_8>)"
    r"|(?:(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)[ \n]?|)\[\s*(?:\Z(?P<in_blanks>)"
    r'|\{\s*(?:\Z(?P<in_blanks_2>)|"name"\s*(?:\Z(?P<in_blanks_3>)|:\s*(?:\Z(?P<in_blanks_4>)'
    r'|"[^"]*(?:\Z(?P<in_run>)|"\s*(?:\Z(?P<in_blanks_5>)|,\s*(?:\Z(?P<in_blanks_6>)'
    r'|"arguments"\s*\Z(?P<in_blanks_7>))))))))'
    r"|(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>(?:user|system|tool)"
    r"|<\|start_header_id\|>(?:user|system|ipython)).*\Z(?P<in_rest>)",
    runs={"in_run": run_until('"')},
    waits=["tool_calls", "close"],
    first=r"[<\[`]",
)
_START: Final = State(
    r'(?:\A\s*(?=\[\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"arguments"\s*:)'
    r"|(?:(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)[ \n]?|)"
    r'(?=\[\s*\{\s*"name"\s*:\s*"[^"]*"\s*,\s*"arguments"\s*:))(?P<tool_calls>)'
    r"|(?:</tool_call>\s*|(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>(?:user"
    r"|system|tool)|<\|start_header_id\|>(?:user|system|ipython)).*)(?P<close>)",
    r'\A\s*(?~\[\s*(?~\{\s*(?~"name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"arguments"))))))))\Z'
    r"|(?~<tool_call>|</tool_call>|<\|im_end\|>|<\|im_start\|>user|<\|im_start\|>system"
    r"|<\|im_start\|>tool|<\|eot_id\|>|<\|endoftext\|>|<\|start_header_id\|>user"
    r"|<\|start_header_id\|>system|<\|start_header_id\|>ipython)\Z"
    r"|(?~\[TOOL_CALLS\])\Z"
    r"|`{1,2}\Z"
    r"|`{3}(?~json)?\Z"
    r"|(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)\Z"
    r"|(?:(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)[ \n]?|)"
    r'(?~\[\s*(?~\{\s*(?~"name"\s*(?~:\s*(?~"[^"]*(?~"\s*(?~,\s*(?~"arguments"))))))))?\Z',
    longer=r"\A\s*(?:\Z(?P<in_blanks>)|\[\s*(?:\Z(?P<in_blanks_2>)|\{\s*(?:\Z(?P<in_blanks_3>)"
    r'|"name"\s*(?:\Z(?P<in_blanks_4>)|:\s*(?:\Z(?P<in_blanks_5>)|"[^"]*(?:\Z(?P<in_run>)'
    r'|"\s*(?:\Z(?P<in_blanks_6>)|,\s*(?:\Z(?P<in_blanks_7>)'
    r'|"arguments"\s*\Z(?P<in_blanks_8>)))))))))'
    r"|</tool_call>\s*\Z(?P<in_blanks_16>)"
    r"|(?:(?:<tool_call>|\[TOOL_CALLS\]|`{3}(?:json)?)[ \n]?|)\[\s*(?:\Z(?P<in_blanks_9>)"
    r'|\{\s*(?:\Z(?P<in_blanks_10>)|"name"\s*(?:\Z(?P<in_blanks_11>)'
    r'|:\s*(?:\Z(?P<in_blanks_12>)|"[^"]*(?:\Z(?P<in_run_2>)|"\s*(?:\Z(?P<in_blanks_13>)'
    r'|,\s*(?:\Z(?P<in_blanks_14>)|"arguments"\s*\Z(?P<in_blanks_15>))))))))'
    r"|(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>(?:user|system|tool)"
    r"|<\|start_header_id\|>(?:user|system|ipython)).*\Z(?P<in_rest>)",
    runs={"in_run": run_until('"')},
    waits=["tool_calls", "close"],
    first=r"[\t\n\v\f\r <\[`\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    r"\u2009\u200a\u2028\u2029\u202f\u205f\u3000]",
    later=_OUTSIDE,
)
_STATES: Final = States(
    _START,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            r"</tool_call>\s*(?P<close>)"
            r'|(?:\n```\s*|\n\s*(?=(?:[^\s"\[\]{},\d\-tfn`]|[tfn][a-z]* [^\s,\]}]|\d+[.)] |- )))'
            r"(?P<close_2>)"
            r"|(?=<tool_call>\s*\[)(?P<close_3>)"
            r"|(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>(?:user|system|tool)"
            r"|<\|start_header_id\|>(?:user|system|ipython)).*(?P<close_4>)",
            r"(?~</tool_call>|<tool_call>|<\|im_end\|>|<\|im_start\|>user|<\|im_start\|>system"
            r"|<\|im_start\|>tool|<\|eot_id\|>|<\|endoftext\|>|<\|start_header_id\|>user"
            r"|<\|start_header_id\|>system|<\|start_header_id\|>ipython)\Z"
            r"|(?~\n```|\n\s*(?~[tfn][a-z]*(?~ [^\s,\]}])|\d+(?~[.)] )|- ))\Z",
            longer=r"<(?:/tool_call>\s*\Z(?P<in_blanks>)|tool_call>\s*\Z(?P<in_blanks_4>))"
            r"|\n(?:```\s*\Z(?P<in_blanks_2>)|\s*(?:\Z(?P<in_blanks_3>)|[tfn][a-z]*\Z(?P<in_run>)"
            r"|\d+\Z(?P<in_digits>)))"
            r"|(?:<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>(?:user|system|tool)"
            r"|<\|start_header_id\|>(?:user|system|ipython)).*\Z(?P<in_rest>)",
            runs={
                "in_run": run_until("[^a-z]"),
                "in_digits": Run(compile_pattern(r"[^\d]").search),
            },
            waits=["close", "close_2", "close_3", "close_4"],
            first=r"[\n<]",
            skipped=r"\n\s*(?P<skip>)",
            skips={
                "skip": skip_run(
                    1,
                    r"</tool_call>|\n```|<tool_call>|<\|im_end\|>|<\|eot_id\|>|<\|endoftext\|>|<\|im_start\|>"
                    r"|<\|start_header_id\|>",
                    19,
                )
            },
            make=words_pattern,
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
            direct=False,
        ),
    },
    aliases={"close_2": "close", "close_3": "close", "close_4": "close"},
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
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
        if chunk is not None and text and "<" not in text and "[" not in text and "`" not in text:
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
            "arguments": ("content", "arguments"),
            "each": True,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {"content": {"join": "\n", "strip": True}}
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "tool_calls": (
            "<tool_call>",
            "[TOOL_CALLS]",
        )
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|endoftext|>",
        "<|eot_id|>",
        "<|im_end|>",
        "<|im_start|>system",
        "<|im_start|>tool",
        "<|im_start|>user",
        "<|start_header_id|>ipython",
        "<|start_header_id|>system",
        "<|start_header_id|>user",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "[" not in text and "`" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
