# Compiled by respc from llama3_1.json. Do not edit: change the template and compile it again.
# Template sha256: 79ce4b603246bbe30071b9d5128e1ec8af0f40b71529c214315f5817885ef4e0
# ABI of respc_runtime: 5
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi
from respc_runtime.anchors import after_last
from respc_runtime.batches import ParseResponse
from respc_runtime.forms import CallForm, TextForm
from respc_runtime.json_bodies import parse_json
from respc_runtime.serving import ServingStream
from respc_runtime.states import BLANK_RUN, State, States, run_until
from respc_runtime.stream import AnyStream, Stream, join_values
from respc_runtime.string_closers import JSON_QUOTES, QuotesOfFields
from respc_runtime.tools import cast_arguments, prepare_tools
from respc_runtime.transforms import descend

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


# What ends each state, and what that leads to; then what has only begun to.
_OUTSIDE: Final = State(
    r'<\|python_tag\|>\s*(?=\{\s*"(?:type":\s*"function",\s*")?name":\s*"[^"{}]+",\s*"paramete'
    r'rs":\s*\{)(?P<tool_calls>)|;\s*(?=\{\s*"(?:type":\s*"function",\s*")?name":\s*"[^"{}]+",'
    r'\s*"parameters":\s*\{)(?P<tool_calls_2>)|(?:<\|end_of_text\|>|<\|eot_id\|>'
    r"|<\|eom_id\|>)(?P<close>)",
    r'<(?:\|(?:p(?:y(?:t(?:h(?:o(?:n(?:_(?:t(?:a(?:g(?:\|(?:>\s*\{\s*"(?:t(?:y(?:p(?:e(?:"(?::'
    r'\s*"(?:f(?:u(?:n(?:c(?:t(?:i(?:o(?:n"?)?)?)?)?)?)?)?)?)?)?)?)?)?|(?:type":\s*"function",'
    r'\s*")?(?:n(?:a(?:m(?:e(?:"(?::\s*"(?:[^"{}]+"(?:,\s*"(?:p(?:a(?:r(?:a(?:m(?:e(?:t(?:e(?:'
    r'r(?:s"?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:_(?:o(?:'
    r"f(?:_(?:t(?:e(?:x(?:t\|?)?)?)?)?)?)?)?)?)?|o(?:t(?:_(?:i(?:d\|?)?)?)?|m(?:_(?:i(?:d\|?)?"
    r')?)?)?)?)?)?\Z|;\s*\{\s*"(?:t(?:y(?:p(?:e(?:"(?::\s*"(?:f(?:u(?:n(?:c(?:t(?:i(?:o(?:n"?)'
    r'?)?)?)?)?)?)?)?)?)?)?)?)?|(?:type":\s*"function",\s*")?(?:n(?:a(?:m(?:e(?:"(?::\s*"(?:[^'
    r'"{}]+"(?:,\s*"(?:p(?:a(?:r(?:a(?:m(?:e(?:t(?:e(?:r(?:s"?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?'
    r")?)?)?\Z",
    longer=r'<\|python_tag\|>\s*(?:\Z(?P<in_blanks>)|\{\s*(?:\Z(?P<in_blanks_2>)|"(?:type":\s*(?:\Z(?'
    r'P<in_blanks_3>)|"function",\s*\Z(?P<in_blanks_4>))|(?:type":\s*"function",\s*")?name":\s'
    r'*(?:\Z(?P<in_blanks_5>)|"[^"{}]+(?:\Z(?P<in_run>)|",\s*(?:\Z(?P<in_blanks_6>)'
    r'|"parameters":\s*\Z(?P<in_blanks_7>)))))))|;\s*(?:\Z(?P<in_blanks_8>)|\{\s*(?:\Z(?P<in_b'
    r'lanks_9>)|"(?:type":\s*(?:\Z(?P<in_blanks_10>)|"function",\s*\Z(?P<in_blanks_11>))'
    r'|(?:type":\s*"function",\s*")?name":\s*(?:\Z(?P<in_blanks_12>)|"[^"{}]+(?:\Z(?P<in_run_2'
    r'>)|",\s*(?:\Z(?P<in_blanks_13>)|"parameters":\s*\Z(?P<in_blanks_14>)))))))',
    runs={
        "in_blanks": BLANK_RUN,
        "in_blanks_2": BLANK_RUN,
        "in_blanks_3": BLANK_RUN,
        "in_blanks_4": BLANK_RUN,
        "in_blanks_5": BLANK_RUN,
        "in_run": run_until('["{}]'),
        "in_blanks_6": BLANK_RUN,
        "in_blanks_7": BLANK_RUN,
        "in_blanks_8": BLANK_RUN,
        "in_blanks_9": BLANK_RUN,
        "in_blanks_10": BLANK_RUN,
        "in_blanks_11": BLANK_RUN,
        "in_blanks_12": BLANK_RUN,
        "in_run_2": run_until('["{}]'),
        "in_blanks_13": BLANK_RUN,
        "in_blanks_14": BLANK_RUN,
    },
    waits=["tool_calls", "tool_calls_2"],
)
_START: Final = State(
    r'(?:\A\s*(?=\{\s*"(?:type":\s*"function",\s*")?name":\s*"[^"{}]+",\s*"parameters":\s*\{)'
    r'|(?:<\|python_tag\|>|;)\s*(?=\{\s*"(?:type":\s*"function",\s*")?name":\s*"[^"{}]+",\s*"p'
    r'arameters":\s*\{))(?P<tool_calls>)|(?:<\|end_of_text\|>|<\|eot_id\|>|<\|eom_id\|>)(?P<cl'
    r"ose>)",
    r'\A\s*\{\s*"(?:t(?:y(?:p(?:e(?:"(?::\s*"(?:f(?:u(?:n(?:c(?:t(?:i(?:o(?:n"?)?)?)?)?)?)?)?)'
    r'?)?)?)?)?)?|(?:type":\s*"function",\s*")?(?:n(?:a(?:m(?:e(?:"(?::\s*"(?:[^"{}]+"(?:,\s*"'
    r'(?:p(?:a(?:r(?:a(?:m(?:e(?:t(?:e(?:r(?:s"?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z'
    r"|<(?:\|(?:p(?:y(?:t(?:h(?:o(?:n(?:_(?:t(?:a(?:g\|?)?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:_(?:o(?"
    r":f(?:_(?:t(?:e(?:x(?:t\|?)?)?)?)?)?)?)?)?)?|o(?:t(?:_(?:i(?:d\|?)?)?)?|m(?:_(?:i(?:d\|?)"
    r'?)?)?)?)?)?)?\Z|(?:<\|python_tag\|>|;)\s*\{\s*"(?:t(?:y(?:p(?:e(?:"(?::\s*"(?:f(?:u(?:n('
    r'?:c(?:t(?:i(?:o(?:n"?)?)?)?)?)?)?)?)?)?)?)?)?)?|(?:type":\s*"function",\s*")?(?:n(?:a(?:'
    r'm(?:e(?:"(?::\s*"(?:[^"{}]+"(?:,\s*"(?:p(?:a(?:r(?:a(?:m(?:e(?:t(?:e(?:r(?:s"?)?)?)?)?)?'
    r")?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z",
    longer=r'\A\s*(?:\Z(?P<in_blanks>)|\{\s*(?:\Z(?P<in_blanks_2>)|"(?:type":\s*(?:\Z(?P<in_blanks_3>'
    r')|"function",\s*\Z(?P<in_blanks_4>))|(?:type":\s*"function",\s*")?name":\s*(?:\Z(?P<in_b'
    r'lanks_5>)|"[^"{}]+(?:\Z(?P<in_run>)|",\s*(?:\Z(?P<in_blanks_6>)|"parameters":\s*\Z(?P<in'
    r"_blanks_7>)))))))|(?:<\|python_tag\|>|;)\s*(?:\Z(?P<in_blanks_8>)|\{\s*(?:\Z(?P<in_blank"
    r's_9>)|"(?:type":\s*(?:\Z(?P<in_blanks_10>)|"function",\s*\Z(?P<in_blanks_11>))'
    r'|(?:type":\s*"function",\s*")?name":\s*(?:\Z(?P<in_blanks_12>)|"[^"{}]+(?:\Z(?P<in_run_2'
    r'>)|",\s*(?:\Z(?P<in_blanks_13>)|"parameters":\s*\Z(?P<in_blanks_14>)))))))',
    runs={
        "in_blanks": BLANK_RUN,
        "in_blanks_2": BLANK_RUN,
        "in_blanks_3": BLANK_RUN,
        "in_blanks_4": BLANK_RUN,
        "in_blanks_5": BLANK_RUN,
        "in_run": run_until('["{}]'),
        "in_blanks_6": BLANK_RUN,
        "in_blanks_7": BLANK_RUN,
        "in_blanks_8": BLANK_RUN,
        "in_blanks_9": BLANK_RUN,
        "in_blanks_10": BLANK_RUN,
        "in_blanks_11": BLANK_RUN,
        "in_blanks_12": BLANK_RUN,
        "in_run_2": run_until('["{}]'),
        "in_blanks_13": BLANK_RUN,
        "in_blanks_14": BLANK_RUN,
    },
    waits=["tool_calls"],
    first=r"[\t\n\v\f\r ;<{\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"
    r"\u2009\u200a\u2028\u2029\u202f\u205f\u3000]",
    later=_OUTSIDE,
)
_STATES: Final = States(
    _START,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            r'(?:<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>)(?P<close>)|(?=;\s*\{\s*"(?:type":\s*"fun'
            r'ction",\s*")?name":\s*"[^"{}]+",\s*"parameters":\s*\{)(?P<close_2>)',
            longer=r';\s*(?:\Z(?P<in_blanks>)|\{\s*(?:\Z(?P<in_blanks_2>)|"(?:type":\s*(?:\Z(?P<in_blanks_3>)'
            r'|"function",\s*\Z(?P<in_blanks_4>))|(?:type":\s*"function",\s*")?name":\s*(?:\Z(?P<in_bl'
            r'anks_5>)|"[^"{}]+(?:\Z(?P<in_run>)|",\s*(?:\Z(?P<in_blanks_6>)|"parameters":\s*\Z(?P<in_'
            r"blanks_7>)))))))|<(?:\|(?:e(?:o(?:t(?:_(?:i(?:d\|?)?)?)?|m(?:_(?:i(?:d\|?)?)?)?)?"
            r'|n(?:d(?:_(?:o(?:f(?:_(?:t(?:e(?:x(?:t\|?)?)?)?)?)?)?)?)?)?)?)?)?\Z|;\s*\{\s*"(?:t(?:y(?'
            r':p(?:e(?:"(?::\s*"(?:f(?:u(?:n(?:c(?:t(?:i(?:o(?:n"?)?)?)?)?)?)?)?)?)?)?)?)?)?'
            r'|(?:type":\s*"function",\s*")?(?:n(?:a(?:m(?:e(?:"(?::\s*"(?:[^"{}]+"(?:,\s*"(?:p(?:a(?:'
            r'r(?:a(?:m(?:e(?:t(?:e(?:r(?:s"?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z',
            runs={
                "in_blanks": BLANK_RUN,
                "in_blanks_2": BLANK_RUN,
                "in_blanks_3": BLANK_RUN,
                "in_blanks_4": BLANK_RUN,
                "in_blanks_5": BLANK_RUN,
                "in_run": run_until(r'["{}]|<\|eot_id\|>|<\|eom_id\|>|<\|end_of_text\|>', 14),
                "in_blanks_6": BLANK_RUN,
                "in_blanks_7": BLANK_RUN,
            },
            hides=True,
            waits=["close", "close_2"],
            first="[;<]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={"tool_calls_2": "tool_calls", "close_2": "close"},
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
        if chunk is not None and text and ";" not in text and "<" not in text:
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
            ";",
            "<|python_tag|>",
        )
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and ";" not in text and "<" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
