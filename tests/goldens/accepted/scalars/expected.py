# Compiled by respc from scalars.json. Do not edit: change the template and compile it again.
# Template sha256: 33780bcf7986a3bf176109bb44c582984c8d9719402c028f11ddf22af878a58a
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
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.tools import prepare_tools

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

Field: TypeAlias = Literal["count", "ratio", "flag", "loose", "raw", "rest"]


class _Defaults(TypedDict):
    count: int
    kept: None
    flag: bool


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    ratio: float
    loose: list[bool]
    raw: str
    rest: str


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
_COUNT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "count",
    "text": "",
    "dirty": False,
}
_RATIO: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "ratio",
    "text": "",
    "dirty": False,
}
_FLAG: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "flag",
    "text": "",
    "dirty": False,
}
_LOOSE: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "loose",
    "text": "",
    "dirty": False,
}
_RAW: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "raw",
    "text": "",
    "dirty": False,
}
_REST: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "rest",
    "text": "",
    "dirty": False,
}

_ANCHOR: Final = compiled(r"(?:BOT|Bot):\s?")


def _end_count(parser: AnyStream, body: str) -> int:
    value = int(body.strip())
    parser.message["count"] = value
    return value


def _end_ratio(parser: AnyStream, body: str) -> float:
    value = float(body)
    parser.message["ratio"] = value
    return value


def _end_flag(parser: AnyStream, body: str) -> bool:
    value = body.strip().lower() in ("true", "1")
    parser.message["flag"] = value
    return value


def _end_loose(parser: AnyStream, body: str) -> bool:
    value = body.lower() in ("true", "1")
    parser.message.setdefault("loose", []).append(value)
    return value


def _end_raw(parser: AnyStream, body: str) -> str:
    value = body
    parser.message["raw"] = value
    return value


def _end_rest(parser: AnyStream, body: str) -> str:
    value = body
    parser.message["rest"] = value
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    "<i>(?P<count>)|<b>(?P<flag>)|<l>(?P<loose>)|<f>(?P<ratio>)|<r>(?P<raw>)",
    r"(?~<i>|<b>|<l>|<f>|<r>)\Z",
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "count": State("</i>(?P<close>)", r"(?~</i>)\Z", chunk=_COUNT, close=_end_count),
        "flag": State("</b>(?P<close>)", r"(?~</b>)\Z", chunk=_FLAG, close=_end_flag),
        "loose": State("</l>(?P<close>)", r"(?~</l>)\Z", chunk=_LOOSE, close=_end_loose),
        "ratio": State("</f>(?P<close>)", r"(?~</f>)\Z", chunk=_RATIO, close=_end_ratio),
        "raw": State("</r>(?P<close>)", r"(?~</r>)\Z", chunk=_RAW, close=_end_raw),
    },
    implicit=_OUTSIDE.changed(chunk=_REST, close=_end_rest),
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
    defaults: ClassVar[dict[str, Any]] = {"count": 7, "kept": None, "flag": True}
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
    defaults: ClassVar[dict[str, Any]] = {"count": 7, "kept": None, "flag": True}
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {}
    texts: ClassVar[dict[str, TextForm]] = {
        "raw": {"join": None, "strip": False},
        "rest": {"join": None, "strip": False},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "count": ("<i>",),
        "ratio": ("<f>",),
        "flag": ("<b>",),
        "loose": ("<l>",),
        "raw": ("<r>",),
    }

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
