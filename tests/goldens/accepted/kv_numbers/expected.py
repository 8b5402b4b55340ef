# Compiled by respc from kv_numbers.json. Do not edit: change the template and compile it again.
# Template sha256: 47669e3e7e985705c15c46f737b8adcb8906c8de6b7a29a48ee887ff6e367c55
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
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States
from respc_runtime.stream import AnyStream, Stream
from respc_runtime.strict_bodies import refuse_line, refuse_second
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

Field: TypeAlias = Literal["scores", "pairs", "meta"]


class Message(TypedDict, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    scores: dict[str, Any]
    pairs: list[dict[str, Any]]
    meta: dict[str, Any]


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
_SCORES: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "scores",
    "text": "",
    "dirty": True,
}
_PAIRS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "pairs",
    "text": "",
    "dirty": True,
}
_META: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "meta",
    "text": "",
    "dirty": True,
}

_ANCHOR: Final = compiled(r"\|bot\|")


def _read_scores(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in body.split("\n"):
        key, found, value = line.partition(":")
        if found:
            key, value = key.strip(), value.strip()
            if parser.strict_bodies:
                refuse_second(key, values)
            values[key] = int(value.strip())
        elif parser.strict_bodies:
            refuse_line(line, body, "\n")
    return values


def _read_pairs(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in body.split(";"):
        key, found, value = line.partition("=>")
        if found:
            if parser.strict_bodies:
                refuse_second(key, values)
            values[key] = json_or_text(value, strip=False)
        elif parser.strict_bodies:
            refuse_line(line, body, ";")
    return values


def _read_meta(parser: AnyStream, body: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for line in body.split("\r\n"):
        key, found, value = line.partition(":")
        if found:
            key, value = key.strip(), value.strip()
            if parser.strict_bodies:
                refuse_second(key, values)
            values[key] = value
        elif parser.strict_bodies:
            refuse_line(line, body, "\r\n")
    return values


def _end_scores(parser: AnyStream, body: str) -> Any:
    value: Any = _read_scores(parser, body)
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["scores"] = value
    return value


def _end_pairs(parser: AnyStream, body: str) -> Any:
    value: Any = _read_pairs(parser, body)
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("pairs", []).append(value)
    return value


def _end_meta(parser: AnyStream, body: str) -> Any:
    content = _read_meta(parser, body)
    value: Any = {"meta": content, "author": descend(content, "content.author", "author")}
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message["meta"] = value
    return value


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    "<meta>(?P<meta>)|<pairs>(?P<pairs>)|<scores>(?P<scores>)", r"(?~<meta>|<pairs>|<scores>)\Z"
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "meta": State("(?!)", chunk=_META, close=_end_meta),
        "pairs": State(
            "</pairs>(?P<close>)|;;;(?P<close_2>)",
            r"(?~</pairs>)\Z|(?~;;;)\Z",
            chunk=_PAIRS,
            close=_end_pairs,
        ),
        "scores": State(
            "</scores>(?P<close>)", r"(?~</scores>)\Z", chunk=_SCORES, close=_end_scores
        ),
    },
    aliases={"close_2": "close"},
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
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {}
    texts: ClassVar[dict[str, TextForm]] = {}
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "scores": ("<scores>",),
        "pairs": ("<pairs>",),
        "meta": ("<meta>",),
    }

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
