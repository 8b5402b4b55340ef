# Compiled by respc from odd_names.json. Do not edit: change the template and compile it again.
# Template sha256: a4bce4f9dcd49eac66d6eefbbf4500007885658ce6974868e13ef16cfdd247bc
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
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States
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

Field: TypeAlias = Literal[
    "class", "__init__", "self", "feed", "a'b\"c\\d\n", "naïve-имя 名", "{x}", "1", ""
]


# What a response becomes. A key is missing where its field caught nothing.
# The field without a name is left out: no TypedDict has an empty key.
Message = TypedDict(
    "Message",
    {
        "__class__": str,
        "class": list[Any] | list[str],
        "__init__": str,
        "self": Any,
        "feed": str,
        "a'b\"c\\d\n": str,
        "naïve-имя 名": str,
        "{x}": str,
        "1": str,
    },
    total=False,
)


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
_CLASS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "class",
    "text": "",
    "dirty": False,
}
_INIT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "__init__",
    "text": "",
    "dirty": False,
}
_SELF: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "self",
    "text": "",
    "dirty": True,
}
_FEED: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "feed",
    "text": "",
    "dirty": False,
}
_A_B_C_D: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "a'b\"c\\d\n",
    "text": "",
    "dirty": False,
}
_NA_VE: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "naïve-имя 名",
    "text": "",
    "dirty": False,
}
_X: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "{x}",
    "text": "",
    "dirty": False,
}
_1: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "1",
    "text": "",
    "dirty": False,
}
_FIELD: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "",
    "text": "",
    "dirty": False,
}


def _end_class(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message.setdefault("class", []).append(value)
    return value


def _end_init(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["__init__"] = value
    return value


def _end_self(parser: AnyStream, body: str) -> Any:
    value: Any = parse_json(body)
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["self"] = value
    return value


def _end_feed(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["feed"] = value
    return value


def _end_a_b_c_d(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["a'b\"c\\d\n"] = value
    return value


def _end_na_ve(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["naïve-имя 名"] = value
    return value


def _end_x(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["{x}"] = value
    return value


def _end_1(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["1"] = value
    return value


def _end_field(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message[""] = value
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"\x5c1(?P<field_1>)"
    r"|<init>(?P<init>)"
    "|'\"(?P<a_b_c_d>)"
    r"|<class>(?P<class>)"
    r"|<feed>(?P<feed>)"
    r"|«(?P<na_ve>)"
    r"|<self>(?P<self>)"
    r"|\{\{(?P<x>)"
    r"|\u2028(?P<close>)",
    "(?~\\x5c1)\\Z|(?~<init>|<class>|<feed>|<self>)\\Z|(?~'\")\\Z|(?~\\{\\{)\\Z",
    direct=False,
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "field_1": State(r"\x5c(?P<close>)", chunk=_1, close=_end_1),
        "init": State("</init>(?P<close>)", r"(?~</init>)\Z", chunk=_INIT, close=_end_init),
        "a_b_c_d": State("\"'(?P<close>)", "(?~\"')\\Z", chunk=_A_B_C_D, close=_end_a_b_c_d),
        "class": State("</class>(?P<close>)", r"(?~</class>)\Z", chunk=_CLASS, close=_end_class),
        "feed": State("</feed>(?P<close>)", r"(?~</feed>)\Z", chunk=_FEED, close=_end_feed),
        "na_ve": State("»(?P<close>)", chunk=_NA_VE, close=_end_na_ve),
        "self": State("</self>(?P<close>)", r"(?~</self>)\Z", chunk=_SELF, close=_end_self),
        "x": State(r"\}\}(?P<close>)", r"(?~\}\})\Z", chunk=_X, close=_end_x, direct=False),
    },
    implicit=_OUTSIDE.changed(chunk=_FIELD, close=_end_field),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "^.*$")


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
    defaults: ClassVar[dict[str, Any]] = {"__class__": "d", "class": []}
    nested = True
    after_anchor = staticmethod(_after_anchor)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and '"' not in text
            and "<" not in text
            and "\\" not in text
            and "»" not in text
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
    defaults: ClassVar[dict[str, Any]] = {"__class__": "d", "class": []}
    nested = True
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {}
    texts: ClassVar[dict[str, TextForm]] = {
        "class": {"join": None, "strip": True},
        "__init__": {"join": None, "strip": True},
        "feed": {"join": None, "strip": True},
        "a'b\"c\\d\n": {"join": None, "strip": True},
        "naïve-имя 名": {"join": None, "strip": True},
        "{x}": {"join": None, "strip": True},
        "1": {"join": None, "strip": True},
        "": {"join": None, "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "class": ("<class>",),
        "__init__": ("<init>",),
        "self": ("<self>",),
        "feed": ("<feed>",),
        "a'b\"c\\d\n": ("'\"",),
        "naïve-имя 名": ("«",),
        "{x}": ("{{",),
        "1": ("\\1",),
    }
    quotes: ClassVar[QuotesOfFields] = {"self": JSON_QUOTES}

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if (
            chunk is not None
            and text
            and '"' not in text
            and "<" not in text
            and "\\" not in text
            and "»" not in text
        ):
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
