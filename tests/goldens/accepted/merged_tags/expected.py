# Compiled by respc from merged_tags.json. Do not edit: change the template and compile it again.
# Template sha256: d45157c540a5b5e6cc71f6b0ac772cef6fdd34683b018729954d43645c83059b
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
from respc_runtime.json_bodies import json_or_text
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.strict_bodies import refuse_line, refuse_second
from respc_runtime.tags import checked_tags, found_tags, tag_pairs
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

Field: TypeAlias = Literal["tool_calls", "notes", "tags", "plain_calls"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    tool_calls: list[dict[str, Any]]
    notes: dict[str, Any]
    tags: dict[str, Any]
    plain_calls: list[dict[str, Any]]


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
_NOTES: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "notes",
    "text": "",
    "dirty": True,
}
_TAGS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "tags",
    "text": "",
    "dirty": True,
}
_PLAIN_CALLS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "plain_calls",
    "text": "",
    "dirty": True,
}

_TOOL_CALLS_TAG: Final = compile_pattern(r"<(?P<key>\w+)>(?P<value>.*?)</(?P=key)>")
_NOTES_TAG: Final = compile_pattern(r"(?P<key>\w+)(?:=(?P<value>\w+))?")
_TAGS_TAGS: Final = ((compile_pattern(r"#(?P<key>\w+)"),),)
_PLAIN_CALLS_TAG_OPENING: Final = compile_pattern(r"<(?P<key>\w+)>")
_ANCHOR: Final = compiled(">>")


def _read_tool_calls_value(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in body.split(","):
        key, found, value = line.partition("=")
        if found:
            key, value = key.strip(), value.strip()
            if parser.strict_bodies:
                refuse_second(key, values)
            values[key] = json_or_text(value)
        elif parser.strict_bodies:
            refuse_line(line, body, ",")
    return values


def _read_tool_calls(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for tag in checked_tags(
        body, _TOOL_CALLS_TAG.finditer(body), parser.strict_bodies, merged=True
    ):
        key = tag["key"]
        value = _read_tool_calls_value(parser, tag["value"])
        if key not in values:
            values[key] = value
        elif key in merged:
            values[key].append(value)
        else:
            values[key] = [values[key], value]
            merged.add(key)
    return values


def _read_notes(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for tag in checked_tags(body, _NOTES_TAG.finditer(body), parser.strict_bodies, merged=True):
        key = tag["key"]
        value = tag["value"]
        if key not in values:
            values[key] = value
        elif key in merged:
            values[key].append(value)
        else:
            values[key] = [values[key], value]
            merged.add(key)
    return values


def _read_tags(parser: AnyStream, body: str) -> dict[str, Any]:
    return {
        tag["key"]: ""
        for tag in checked_tags(
            body,
            found_tags(body, _TAGS_TAGS),
            parser.strict_bodies,
            openings=[way[0] for way in _TAGS_TAGS],
        )
    }


def _read_plain_calls(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    merged: set[str] = set()
    for key, text in tag_pairs(
        body, _PLAIN_CALLS_TAG_OPENING, "</>", strict=parser.strict_bodies, merged=True
    ):
        value = text
        if key not in values:
            values[key] = value
        elif key in merged:
            values[key].append(value)
        else:
            values[key] = [values[key], value]
            merged.add(key)
    return values


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


def _end_notes(parser: AnyStream, body: str) -> Any:
    value: Any = _read_notes(parser, body)
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["notes"] = value
    return value


def _end_tags(parser: AnyStream, body: str) -> Any:
    value: Any = _read_tags(parser, body)
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["tags"] = value
    return value


def _end_plain_calls(parser: AnyStream, body: str) -> Any:
    content = _read_plain_calls(parser, body)
    value: Any = {
        "type": "function",
        "function": {"name": parser.captures["name"], "arguments": content},
    }
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("plain_calls", []).append(value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<notes>(?P<notes>)"
    r"|<plain (?P<name>\w+)>(?P<plain_calls>)"
    r"|<tags>(?P<tags>)"
    r"|<call (?P<name_2>\w+)>(?P<tool_calls>)",
    r"(?~<notes>|<plain \w|<tags>|<call \w)\Z",
    longer=r"<(?:plain \w+\Z(?P<in_word>)|call \w+\Z(?P<in_word_2>))",
    runs={"in_word": Run(compile_pattern(r"[^\w]").search)},
    waits=["plain_calls", "tool_calls"],
    captures={"plain_calls": {"name": "name"}, "tool_calls": {"name_2": "name"}},
    make=words_pattern,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "notes": State("</notes>(?P<close>)", r"(?~</notes>)\Z", chunk=_NOTES, close=_end_notes),
        "plain_calls": State(
            "</plain>(?P<close>)", r"(?~</plain>)\Z", chunk=_PLAIN_CALLS, close=_end_plain_calls
        ),
        "tags": State("</tags>(?P<close>)", r"(?~</tags>)\Z", chunk=_TAGS, close=_end_tags),
        "tool_calls": State(
            "</call>(?P<close>)", r"(?~</call>)\Z", chunk=_TOOL_CALLS, close=_end_tool_calls
        ),
    },
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
    texts: ClassVar[dict[str, TextForm]] = {}
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "tool_calls": ("<call ",),
        "notes": ("<notes>",),
        "tags": ("<tags>",),
        "plain_calls": ("<plain ",),
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
