# Compiled by respc from deepseek_v3_2.json. Do not edit: change the template and compile it again.
# Template sha256: bbef7c0e0cb040d56b5b64423d8b153a94c6d8da671dadf94ac491284187ace1
# ABI of respc_runtime: 5
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, TypeAlias, TypedDict

from respc_runtime.abi import require_abi
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
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import BLANK_RUN, State, States, run_until
from respc_runtime.stream import AnyStream, Stream, join_values
from respc_runtime.tags import checked_tags, found_tags
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

_TOOL_CALLS_TAGS: Final = (
    (
        compiled('<｜DSML｜parameter name="(?P<key>[^"]+)" string="false">(?P<value_start>)'),
        compiled("(?P<value_end>)</｜DSML｜parameter>"),
    ),
    (
        compiled('<｜DSML｜parameter name="(?P<key>[^"]+)" string=(?P<value_start>)"true">'),
        compiled("</｜DSML｜parameter>(?P<value_end>)"),
    ),
)
_ANCHOR: Final = compiled(r"(?:<｜Assistant｜>|</function_results>\s*)")


def _read_tool_calls_value(body: str) -> Any:
    refuse_reserved(body)
    value: Any = marked_json(body, '"true">', "</｜DSML｜parameter>", (), False)
    if value is not NOT_PLAIN:
        return value
    text = body
    strings: list[str] = []
    text = lift_strings(text, '"true">', "</｜DSML｜parameter>", strings)
    text = restore_strings(text, strings)
    return json_dialect_or_text(text, body)


def _read_tool_calls(parser: AnyStream, body: str) -> dict[str, Any]:
    return {
        tag["key"]: _read_tool_calls_value(tag["value"])
        for tag in checked_tags(
            body,
            found_tags(body, _TOOL_CALLS_TAGS),
            parser.strict_bodies,
            openings=[way[0] for way in _TOOL_CALLS_TAGS],
        )
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


# What ends each state, and what that leads to; then what has only begun to.
_OUTSIDE: Final = State(
    r'<think>(?P<reasoning_content>)|<｜DSML｜invoke name="(?P<name>[^"]+)">(?=\s*<)(?P<tool_cal'
    r"ls>)|(?:</think>|<｜DSML｜function_calls>|</｜DSML｜function_calls>|<｜end▁of▁sentence｜>)\s*("
    r"?P<close>)",
    r"<(?:t(?:h(?:i(?:nk?)?)?)?|｜(?:D(?:S(?:M(?:L(?:｜(?:i(?:n(?:v(?:o(?:k(?:e(?: (?:n(?:a(?:m("
    r'?:e(?:=(?:"(?:[^"]+")?)?)?)?)?)?)?)?)?)?)?)?)?|f(?:u(?:n(?:c(?:t(?:i(?:o(?:n(?:_(?:c(?:a'
    r"(?:l(?:ls?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:▁(?:o(?:f(?:▁(?:s(?:e(?:n(?:t(?"
    r":e(?:n(?:c(?:e｜?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?|/(?:t(?:h(?:i(?:nk?)?)?)?|｜(?:DSML｜funct("
    r"?:i(?:o(?:n(?:_(?:c(?:a(?:l(?:ls?)?)?)?)?)?)?)?)?|D(?:S(?:M(?:L(?:｜(?:f(?:u(?:nc?)?)?)?)"
    r"?)?)?)?)?)?)?\Z",
    longer=r'<｜DSML｜invoke name="[^"]+(?:\Z(?P<in_name>)|">\s*\Z(?P<in_name_2>))|(?:</think>'
    r"|<｜DSML｜function_calls>|</｜DSML｜function_calls>|<｜end▁of▁sentence｜>)\s*\Z(?P<in_blanks>)",
    runs={"in_name": run_until('"'), "in_name_2": BLANK_RUN, "in_blanks": BLANK_RUN},
    waits=["tool_calls", "close"],
    captures={"tool_calls": {"name": "name"}},
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            r"(?:</think>|<｜DSML｜function_calls>|<｜end▁of▁sentence｜>)\s*(?P<close>)",
            r"<(?:/(?:t(?:h(?:i(?:nk?)?)?)?)?|｜(?:D(?:SML｜functi(?:o(?:n(?:_(?:c(?:a(?:l(?:ls?)?)?)?)?"
            r")?)?)?|S(?:M(?:L(?:｜(?:f(?:u(?:n(?:ct?)?)?)?)?)?)?)?)?|e(?:n(?:d(?:▁(?:o(?:f(?:▁(?:s(?:e"
            r"(?:n(?:t(?:e(?:n(?:c(?:e｜?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"(?:</think>|<｜DSML｜function_calls>|<｜end▁of▁sentence｜>)\s*\Z(?P<in_blanks>)",
            runs={"in_blanks": BLANK_RUN},
            waits=["close"],
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            r"</｜DSML｜invoke>\s*(?P<close>)",
            r"<(?:/(?:｜(?:D(?:S(?:M(?:L(?:｜(?:i(?:n(?:v(?:o(?:ke?)?)?)?)?)?)?)?)?)?)?)?)?\Z",
            longer=r"</｜DSML｜invoke>\s*\Z(?P<in_blanks>)",
            runs={"in_blanks": BLANK_RUN},
            waits=["close"],
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
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
        "reasoning_content": ("<think>",),
        "tool_calls": ('<｜DSML｜invoke name="',),
    }
    open_ended: ClassVar[tuple[str, ...]] = ("tool_calls",)

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
