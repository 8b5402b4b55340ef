# Compiled by respc from llama3_1.json. Do not edit: change the template and compile it again.
# Template sha256: 629b883767971dd69ffe357e653571034e5240de3801834f5a4a8a068231bcfc
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
from respc_runtime.searches import skip_run
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
    r"(?:<\|python_tag\|>[ \n]?|;+[ \n]?| |\n\n)"
    r'(?=\{\s*"(?:type"\s*:\s*"function"\s*,\s*")?name"\s*:\s*"[^\s"{};<]+"\s*,\s*"'
    r'(?:parameters|arguments)"\s*:\s*"?\{)(?P<tool_calls>)'
    r"|(?:<\|python_tag\|>\s*(?=[^\s{])|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
    r"|<\|start_header_id\|>(?:user|system|ipython)).*)(?P<close>)",
    r"(?~<\|python_tag\|>[ \n]|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
    r"|<\|start_header_id\|>user|<\|start_header_id\|>system|<\|start_header_id\|>ipython)\Z"
    r"|(?~\n\n)\Z"
    r'|(?:<\|python_tag\|>[ \n]?|;+[ \n]?| |\n\n)(?~\{\s*(?~"type"\s*(?~:\s*(?~"function"))'
    r'|"(?:type"\s*:\s*"function"\s*,\s*")?(?~name"\s*'
    r'(?~:\s*(?~"(?:[^\s"{};<]+(?~"\s*(?~,\s*(?~"parameters|"arguments|"(?:parameters'
    r'|arguments)(?~"\s*(?~:\s*"?))?))))?)))?))?\Z',
    longer=r"<\|python_tag\|>\s*\Z(?P<in_blanks_12>)"
    r"|;+\Z(?P<in_run>)"
    r"|(?:<\|python_tag\|>[ \n]?|;+[ \n]?| |\n\n)\{\s*(?:\Z(?P<in_blanks>)"
    r'|"(?:type"\s*(?:\Z(?P<in_blanks_2>)|:\s*(?:\Z(?P<in_blanks_3>)|"function"\s*'
    r"(?:\Z(?P<in_blanks_4>)|,\s*\Z(?P<in_blanks_5>))))"
    r'|(?:type"\s*:\s*"function"\s*,\s*")?name"\s*(?:\Z(?P<in_blanks_6>)'
    r'|:\s*(?:\Z(?P<in_blanks_7>)|"[^\s"{};<]+(?:\Z(?P<in_run_b>)|"\s*(?:\Z(?P<in_blanks_8>)'
    r'|,\s*(?:\Z(?P<in_blanks_9>)|"(?:parameters|arguments)"\s*(?:\Z(?P<in_blanks_10>)'
    r"|:\s*\Z(?P<in_blanks_11>)))))))))"
    r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>(?:user|system"
    r"|ipython)).*\Z(?P<in_rest>)",
    runs={"in_run": run_until("[^;]"), "in_run_b": run_until(r'[\s"{};<]')},
    waits=["tool_calls", "close"],
)
_START: Final = State(
    r'(?:\A\s*(?=\{\s*"(?:type"\s*:\s*"function"\s*,\s*")?name"\s*:\s*"[^\s"{};<]+"\s*,\s*"'
    r'(?:parameters|arguments)"\s*:\s*"?\{)|(?:<\|python_tag\|>[ \n]?|;+[ \n]?| |\n\n)'
    r'(?=\{\s*"(?:type"\s*:\s*"function"\s*,\s*")?name"\s*:\s*"[^\s"{};<]+"\s*,\s*"'
    r'(?:parameters|arguments)"\s*:\s*"?\{))(?P<tool_calls>)'
    r"|(?:<\|python_tag\|>\s*(?=[^\s{])|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
    r"|<\|start_header_id\|>(?:user|system|ipython)).*)(?P<close>)",
    r'\A\s*(?~\{\s*(?~"type"\s*(?~:\s*(?~"function"))|"(?:type"\s*:\s*"function"\s*,\s*")?'
    r'(?~name"\s*(?~:\s*(?~"(?:[^\s"{};<]+(?~"\s*(?~,\s*(?~"parameters|"arguments'
    r'|"(?:parameters|arguments)(?~"\s*(?~:\s*"?))?))))?)))?))\Z'
    r"|(?~<\|python_tag\|>[ \n]|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
    r"|<\|start_header_id\|>user|<\|start_header_id\|>system|<\|start_header_id\|>ipython)\Z"
    r"|(?~\n\n)\Z"
    r'|(?:<\|python_tag\|>[ \n]?|;+[ \n]?| |\n\n)(?~\{\s*(?~"type"\s*(?~:\s*(?~"function"))'
    r'|"(?:type"\s*:\s*"function"\s*,\s*")?(?~name"\s*'
    r'(?~:\s*(?~"(?:[^\s"{};<]+(?~"\s*(?~,\s*(?~"parameters|"arguments|"(?:parameters'
    r'|arguments)(?~"\s*(?~:\s*"?))?))))?)))?))?\Z',
    longer=r'\A\s*(?:\Z(?P<in_blanks>)|\{\s*(?:\Z(?P<in_blanks_2>)|"(?:type"\s*(?:\Z(?P<in_blanks_3>)'
    r'|:\s*(?:\Z(?P<in_blanks_4>)|"function"\s*(?:\Z(?P<in_blanks_5>)'
    r'|,\s*\Z(?P<in_blanks_6>))))|(?:type"\s*:\s*"function"\s*,\s*")?name"\s*'
    r'(?:\Z(?P<in_blanks_7>)|:\s*(?:\Z(?P<in_blanks_8>)|"[^\s"{};<]+(?:\Z(?P<in_run>)'
    r'|"\s*(?:\Z(?P<in_blanks_9>)|,\s*(?:\Z(?P<in_blanks_10>)|"(?:parameters|arguments)"\s*'
    r"(?:\Z(?P<in_blanks_11>)|:\s*\Z(?P<in_blanks_12>))))))))))"
    r"|<\|python_tag\|>\s*\Z(?P<in_blanks_24>)"
    r"|;+\Z(?P<in_run_b>)"
    r"|(?:<\|python_tag\|>[ \n]?|;+[ \n]?| |\n\n)\{\s*(?:\Z(?P<in_blanks_13>)"
    r'|"(?:type"\s*(?:\Z(?P<in_blanks_14>)|:\s*(?:\Z(?P<in_blanks_15>)|"function"\s*'
    r"(?:\Z(?P<in_blanks_16>)|,\s*\Z(?P<in_blanks_17>))))"
    r'|(?:type"\s*:\s*"function"\s*,\s*")?name"\s*(?:\Z(?P<in_blanks_18>)'
    r'|:\s*(?:\Z(?P<in_blanks_19>)|"[^\s"{};<]+(?:\Z(?P<in_run_2>)|"\s*(?:\Z(?P<in_blanks_20>)'
    r'|,\s*(?:\Z(?P<in_blanks_21>)|"(?:parameters|arguments)"\s*(?:\Z(?P<in_blanks_22>)'
    r"|:\s*\Z(?P<in_blanks_23>)))))))))"
    r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>(?:user|system"
    r"|ipython)).*\Z(?P<in_rest>)",
    runs={"in_run": run_until(r'[\s"{};<]'), "in_run_b": run_until("[^;]")},
    waits=["tool_calls", "close"],
    first=r"[\t\n\v\f\r ;<{\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    r"\u2009\u200a\u2028\u2029\u202f\u205f\u3000]",
    later=_OUTSIDE,
)
_STATES: Final = States(
    _START,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            r'(?:(?=<\|python_tag\|>)|(?=(?:;\s*\{\s*"[nt]|\n\n\{\s*"[nt])))(?P<close>)'
            r'|\n\s*(?=(?:[^\s"\[\]{},\d\-tfn]|[tfn][a-z]* [^\s,\]}]|\d+[.)] |- ))(?P<close_2>)'
            r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>(?:user|system"
            r"|ipython)).*(?P<close_3>)",
            r"(?~<\|python_tag\|>|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
            r"|<\|start_header_id\|>user|<\|start_header_id\|>system|<\|start_header_id\|>ipython)\Z"
            r'|(?~;\s*(?~\{\s*(?~"[nt])))\Z'
            r'|(?~\n\n\{\s*(?~"[nt])|\n\s*(?~[tfn][a-z]*(?~ [^\s,\]}])|\d+(?~[.)] )|- ))\Z',
            longer=r";\s*(?:\Z(?P<in_blanks>)|\{\s*\Z(?P<in_blanks_2>))"
            r"|\n(?:\n\{\s*\Z(?P<in_blanks_3>)|\s*(?:\Z(?P<in_blanks_4>)|[tfn][a-z]*\Z(?P<in_run>)"
            r"|\d+\Z(?P<in_digits>)))"
            r"|(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>|<\|start_header_id\|>(?:user|system"
            r"|ipython)).*\Z(?P<in_rest>)",
            runs={
                "in_run": run_until("[^a-z]"),
                "in_digits": Run(compile_pattern(r"[^\d]").search),
            },
            waits=["close", "close_2", "close_3"],
            first=r"[\n;<]",
            skipped=r"\n\s*(?P<skip>)",
            skips={
                "skip": skip_run(
                    1,
                    r"<\|python_tag\|>|;|\n\n\{|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>"
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
    aliases={"close_2": "close", "close_3": "close"},
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
        if (
            chunk is not None
            and text
            and ";" not in text
            and "<" not in text
            and "{" not in text
            and not text[-1].isspace()
        ):
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
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "tool_calls": (
            "\n\n",
            " ",
            "<|python_tag|>",
        )
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<|end_of_text|>",
        "<|eom_id|>",
        "<|eot_id|>",
        "<|start_header_id|>ipython",
        "<|start_header_id|>system",
        "<|start_header_id|>user",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and ";" not in text
            and "<" not in text
            and "{" not in text
            and not text[-1].isspace()
        ):
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
