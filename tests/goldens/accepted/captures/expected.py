# Compiled by respc from captures.json. Do not edit: change the template and compile it again.
# Template sha256: e32adaf3f24b39a51e8c202f8f009a8b8cf3aa458a4ef33213ffb4b1f384351b
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
from respc_runtime.patterns import compile_pattern, words_pattern
from respc_runtime.serving import ServingStream
from respc_runtime.states import Run, State, States
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.string_closers import JSON_QUOTES, QuotesOfFields
from respc_runtime.tools import cast_arguments, prepare_tools
from respc_runtime.transforms import captured, descend, element, records

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

Field: TypeAlias = Literal["items", "shadow", "each", "literal", "text"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    items: list[dict[str, Any]]
    shadow: list[Any]
    each: list[dict[str, Any]]
    literal: str
    text: list[dict[str, Any]]


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
_ITEMS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "items",
    "text": "",
    "dirty": False,
}
_SHADOW: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "shadow",
    "text": "",
    "dirty": False,
}
_EACH: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "each",
    "text": "",
    "dirty": True,
}
_LITERAL: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "literal",
    "text": "",
    "dirty": False,
}
_TEXT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "text",
    "text": "",
    "dirty": False,
}


def _end_items(parser: AnyStream, body: str) -> Any:
    content = body.strip()
    value: Any = {
        "kind": parser.captures["kind"],
        "id": captured(parser.captures, "id"),
        "end": captured(parser.captures, "end"),
        "body": content,
        "fixed": [1, True, None, 1.5, "plain", "{", "{}", "{a b}"],
    }
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("items", []).append(value)
    return value


def _end_shadow(parser: AnyStream, body: str) -> Any:
    content = body.strip()
    value: Any = [content]
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["shadow"] = value
    return value


def _end_each(parser: AnyStream, body: str) -> Any:
    content = parse_json(body)
    value: Any = [
        {
            "{a}": element(record, "a"),
            "list": [[descend(element(record, "b"), "b.c", "c")], element(record, "a")],
        }
        for record in ({**parser.captures, **record} for record in records(content))
    ]
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["each"] = value
    return value


def _end_literal(parser: AnyStream, body: str) -> str:
    value = "always this"
    parser.message["literal"] = value
    return value


def _end_text(parser: AnyStream, body: str) -> Any:
    content = body.strip()
    value: Any = {"text": content, "mark": captured(parser.captures, "mark")}
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("text", []).append(value)
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"%(?P<a>\w)(?:(?P<z>\w))?%(?P<each>)"
    r"|<(?P<kind>\w+)(?: id=(?P<id>\d+))?>(?P<items>)"
    r"|!!(?P<literal>)"
    r"|\[(?P<content>\w+):(?P<shadow>)"
    r"|=(?P<mark>[a-z])=(?P<close>)",
    r"(?~%\w(?:(?:(?:\w))?)?)\Z"
    r"|(?~<(?:\w+(?~ id=\d|(?: id=(?:\d+))?))?)\Z"
    r"|(?~!!)\Z"
    r"|(?~\[\w)\Z"
    r"|(?~=[a-z]=)\Z",
    longer=r"<\w+(?:\Z(?P<in_word>)| id=\d+\Z(?P<in_digits>))|\[\w+\Z(?P<in_word_2>)",
    runs={
        "in_word": Run(compile_pattern(r"[^\w]").search),
        "in_digits": Run(compile_pattern(r"[^\d]").search),
    },
    waits=["each", "items", "shadow", "close"],
    captures={
        "each": {"a": "a", "z": "z"},
        "items": {"kind": "kind", "id": "id"},
        "shadow": {"content": "content"},
        "close": {"mark": "mark"},
    },
    make=words_pattern,
    direct=False,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "each": State("%%(?P<close>)", r"(?~%%)\Z", chunk=_EACH, close=_end_each),
        "items": State(
            r"</(?P<end>\w+)(?: id=(?P<id>\d+))?>(?P<close>)",
            r"(?~</(?:\w+(?~ id=\d|(?: id=(?:\d+))?))?)\Z",
            longer=r"</\w+(?:\Z(?P<in_word>)| id=\d+\Z(?P<in_digits>))",
            runs={
                "in_word": Run(compile_pattern(r"[^\w]").search),
                "in_digits": Run(compile_pattern(r"[^\d]").search),
            },
            waits=["close"],
            captures={"close": {"end": "end", "id": "id"}},
            make=words_pattern,
            chunk=_ITEMS,
            close=_end_items,
        ),
        "literal": State(r"\?\?(?P<close>)", r"(?~\?\?)\Z", chunk=_LITERAL, close=_end_literal),
        "shadow": State(r"\](?P<close>)", chunk=_SHADOW, close=_end_shadow),
    },
    implicit=_OUTSIDE.changed(chunk=_TEXT, close=_end_text),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "A:")


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
            and "%" not in text
            and "<" not in text
            and "?" not in text
            and "]" not in text
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
    calls: ClassVar[dict[str, CallForm]] = {}
    texts: ClassVar[dict[str, TextForm]] = {
        "items": {"join": None, "strip": True},
        "shadow": {"join": None, "strip": True},
        "literal": {"join": None, "strip": True},
        "text": {"join": None, "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "items": ("<",),
        "shadow": ("[",),
        "each": ("%",),
        "literal": ("!!",),
    }
    quotes: ClassVar[QuotesOfFields] = {"each": JSON_QUOTES}

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and "%" not in text
            and "<" not in text
            and "?" not in text
            and "]" not in text
        ):
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
