# Compiled by respc from deepseek_v3.json. Do not edit: change the template and compile it again.
# Template sha256: 30316b92fbe9b41bcfee6460549bdc87180722175c9d47831538a55fb0318614
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
from respc_runtime.searches import compiled
from respc_runtime.serving import ServingStream
from respc_runtime.states import State, States, run_until
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

_ANCHOR: Final = compiled("(?:<｜tool▁outputs▁end｜>|<｜tool▁output▁end｜>|<｜Assistant｜>)")


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    content = parse_json(body)
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


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"(?:<｜tool▁call▁begin｜>\s*function\s*<｜tool▁sep｜>\s*(?P<name>[^\s<{`]+)\s*```(?:json)?\n"
    r"|<｜tool▁call▁begin｜>\s*function\s*<｜tool▁sep｜>\s*(?P<name_2>[^\s<{`]+)\s*(?=\{)"
    r"|<｜tool▁call▁begin｜>\s*(?P<name_3>[^\s<{]+)\s*<｜tool▁sep｜>(?=\s*[{<])"
    r"|<｜tool▁call▁begin｜>(?P<name_4>)(?=[^\s<{][^<]*<｜tool▁calls?▁(?:begin|end)))"
    r"(?P<tool_calls>)"
    r"|(?:<｜tool▁calls▁(?:begin|end)｜>\s*|<｜tool▁call▁end｜>\s*|<｜tool▁call▁begin｜>\s*(?=[<{])"
    r"|(?:<｜end▁of▁sentence｜>|<｜User｜>).*)(?P<close>)",
    r"(?~<｜tool▁call▁begin｜>\s*(?~function\s*(?~<｜tool▁sep｜>\s*[^\s<{`]+\s*(?~```json"
    r"|```(?:json)?))|[^\s<{]+\s*(?~<｜tool▁sep｜>))|<｜tool▁call▁begin｜>[^\s<{][^<]*"
    r"(?~<｜tool▁call(?:s?(?~▁begin|▁end)?)?)|<｜tool▁call▁end｜>|<｜tool▁calls▁begin"
    r"|<｜tool▁calls▁end|<｜tool▁calls▁(?:begin|end)(?~｜>)?|<｜end▁of▁sentence｜>|<｜User｜>)\Z",
    longer=r"<｜tool▁call(?:▁(?:begin｜>(?:\s*(?:\Z(?P<in_blanks>)|function\s*(?:\Z(?P<in_blanks_2>)"
    r"|<｜tool▁sep｜>\s*(?:\Z(?P<in_blanks_3>)|[^\s<{`]+(?:\Z(?P<in_name>)"
    r"|\s*\Z(?P<in_blanks_4>))))|[^\s<{]+(?:\Z(?P<in_name_b>)|\s*(?:\Z(?P<in_blanks_5>)"
    r"|<｜tool▁sep｜>\s*\Z(?P<in_blanks_6>))))|[^\s<{][^<]*\Z(?P<in_name_c>))"
    r"|end｜>\s*\Z(?P<in_blanks_8>))|s▁(?:begin|end)｜>\s*\Z(?P<in_blanks_7>))"
    r"|(?:<｜end▁of▁sentence｜>|<｜User｜>).*\Z(?P<in_rest>)",
    runs={
        "in_name": run_until(r"[\s<{`]"),
        "in_name_b": run_until(r"[\s<{]"),
        "in_name_c": run_until("<"),
    },
    waits=["tool_calls", "close"],
    captures={"tool_calls": {"name": "name", "name_2": "name", "name_3": "name", "name_4": "name"}},
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "tool_calls": State(
            r"\n```\s*(?P<close>)"
            r"|```\s*(?=(?:<｜tool▁call|<｜end▁of))(?P<close_2>)"
            r"|(?:<｜tool▁call▁end｜>\s*|<｜tool▁calls▁(?:begin|end)｜>\s*)(?P<close_3>)"
            r"|(?=<｜tool▁call▁begin｜>)(?P<close_4>)"
            r"|(?:<｜end▁of▁sentence｜>|<｜User｜>).*(?P<close_5>)",
            r"(?~\n```)\Z"
            r"|(?~```\s*(?~<｜tool▁call|<｜end▁of))\Z"
            r"|(?~<｜tool▁call▁end｜>|<｜tool▁call▁begin｜>|<｜tool▁calls▁begin|<｜tool▁calls▁end"
            r"|<｜tool▁calls▁(?:begin|end)(?~｜>)?|<｜end▁of▁sentence｜>|<｜User｜>)\Z",
            longer=r"\n```\s*\Z(?P<in_blanks>)"
            r"|```\s*\Z(?P<in_blanks_2>)"
            r"|<｜tool▁call(?:▁end｜>\s*\Z(?P<in_blanks_3>)|s▁(?:begin|end)｜>\s*\Z(?P<in_blanks_4>))"
            r"|(?:<｜end▁of▁sentence｜>|<｜User｜>).*\Z(?P<in_rest>)",
            waits=["close", "close_2", "close_3", "close_4", "close_5"],
            first=r"[\n<`]",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    aliases={"close_2": "close", "close_3": "close", "close_4": "close", "close_5": "close"},
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
        if chunk is not None and text and "<" not in text and "`" not in text and text[-1] != "\n":
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
            "name": ("captures", "name"),
            "id": None,
            "arguments": ("content",),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {"content": {"join": "\n", "strip": True}}
    marks: ClassVar[dict[str, tuple[str, ...]]] = {"tool_calls": ("<｜tool▁call▁begin｜>",)}
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}
    ends_of_turn: ClassVar[tuple[str, ...]] = (
        "<｜User｜>",
        "<｜end▁of▁sentence｜>",
    )

    def feed(self, text: str) -> list[ServingEvent]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text and "`" not in text and text[-1] != "\n":
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
