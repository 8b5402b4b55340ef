"""Tools, calls to them that are valid, and texts that a grammar of them has to refuse."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from jsonschema import Draft202012Validator

from respc.grammars.formats import family_spelling
from respc.grammars.spelling import KINDS
from respc_runtime.openai import ChatCompletionParser
from respc_runtime.outside_text import OUTSIDE_REASONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from support.families import Family

Call = tuple[str, dict[str, Any]]


def _tool(name: str, required: list[str], **properties: Any) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
    return {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}


_FILTERS: Final = {
    "type": "object",
    "properties": {"tags": {"type": "array", "items": {"type": "string"}}, "year": {"type": "integer"}},
    "required": ["year"],
    "additionalProperties": False,
}
TOOLS: Final = [
    _tool("get_weather", ["city"], city={"type": "string"}, days={"type": "integer"}),
    _tool(
        "set_alarm",
        ["label", "on", "level"],
        label={"type": "string"},
        on={"type": "boolean"},
        level={"type": "string", "enum": ["low", "high"]},
    ),
    _tool("ping", []),
    _tool("search", ["query", "filters"], query={"type": "string"}, filters=_FILTERS),
]
RARE_TOOLS: Final = [
    _tool("set_level", ["level"], level={"type": "number"}, until={"type": ["string", "null"]}),
    _tool("set_hours", ["hours"], hours={"type": "array", "items": {"type": "integer"}, "maxItems": 3}),
    _tool("set_range", ["low"], low={"type": "integer", "minimum": -5, "maximum": 120}),
    _tool("set_state", ["state"], state={"enum": ["on", "off", 0, None, True]}, fixed={"const": "a b"}),
    _tool("set_either", ["value"], value={"anyOf": [{"type": "integer"}, {"type": "boolean"}]}),
    _tool("set_title", ["title"], title={"type": "string", "minLength": 1, "maxLength": 8}),
    _tool(
        "set_places",
        ["places"],
        places={
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": {"type": "string"},
                    "at": {"type": "array", "items": {"type": "number"}},
                },
                "required": ["name"],
                "additionalProperties": False,
            },
        },
    ),
    _tool("set_note", [], note={"type": "string"}, text={"type": "string"}, last={"type": "boolean"}),
]
"""Tools with arguments of kinds that tools have rarely, each for itself: not every format can write all."""
SCHEMAS: Final = {tool["function"]["name"]: tool["function"]["parameters"] for tool in (*TOOLS, *RARE_TOOLS)}
_VALIDATORS: Final = {name: Draft202012Validator(schema) for name, schema in SCHEMAS.items()}

BERGEN: Final[Call] = ("get_weather", {"city": "Bergen", "days": 2})
PING: Final[Call] = ("ping", {})
VALID: Final[tuple[Call, ...]] = (
    BERGEN,
    ("get_weather", {"city": 'São "Paulo" 東京'}),
    PING,
    ("set_alarm", {"label": "x", "on": True, "level": "low"}),
    ("search", {"query": "a < b & c", "filters": {"tags": ["u"], "year": 3}}),
    ("get_weather", {"city": "line\ntwo", "days": -1}),
)


@dataclass(frozen=True)
class Read:
    """What a parser makes of a text.

    Attributes:
        reasoning: the reasoning.
        content: the content.
        calls: names and arguments.
        unread: what could not be read.
    """

    reasoning: str
    content: str
    calls: tuple[Call, ...]
    unread: tuple[str, ...]


def read(family: Family, text: str, *, opened: bool = False) -> Read:
    """Parse a whole answer of a model of a family, behind a prompt that has opened the reasoning or not."""
    spelling = family_spelling(family.name)
    assert spelling is not None
    prefix = spelling.opened_prefix if opened else spelling.prefix
    chat = ChatCompletionParser(family.module.ServingParser, prefix, tools=[*TOOLS, *RARE_TOOLS])
    chat.feed(text)
    chat.finalize(stopped=True)
    message = chat.message or {}
    functions = [call["function"] for call in message.get("tool_calls", ())]
    # What a text ends with can be the beginning of a mark: servers give that out as content.
    begun = [region.text for region in chat.unread if OUTSIDE_REASONS["begun"] in str(region.error)]
    return Read(
        message.get("reasoning_content") or "",
        (message.get("content") or "") + "".join(begun),
        tuple((function["name"], json.loads(function["arguments"])) for function in functions),
        tuple(region.text for region in chat.unread if region.text not in begun),
    )


def faults_of(found: Read, *, content: bool = False, reasoning: bool = False) -> Iterator[str]:
    """Say what is wrong with a message whose text a grammar has held: there may be content and reasoning, or not."""
    if not found.calls and not content:
        yield "there is no call"
    for name, arguments in found.calls:
        if name not in SCHEMAS:
            yield f"the name {name!r} is that of no tool"
        elif error := _error(name, arguments):
            yield f"arguments of {name}: {error}"
    if found.content.strip() and not content:
        yield f"content: {found.content!r}"
    if found.reasoning.strip() and not reasoning:
        yield f"reasoning: {found.reasoning!r}"
    yield from (f"not read: {text!r}" for text in found.unread)


def _error(name: str, arguments: Any) -> str | None:
    error = next(iter(_VALIDATORS[name].iter_errors(arguments)), None)
    return None if error is None else str(error.message)


@dataclass(frozen=True)
class Bad:
    """A text that no grammar of one required call may let through.

    Attributes:
        kind: what is bad in it.
        text: the text.
    """

    kind: str
    text: str


def tools_of_kinds(kinds: Collection[str]) -> list[dict[str, Any]]:
    """List the tools whose arguments are all of these kinds."""
    return [tool for tool in TOOLS if _kinds_of(tool).issubset(kinds)]


def valid_calls(kinds: Collection[str]) -> list[Call]:
    """List the calls whose arguments are all of these kinds."""
    names = {tool["function"]["name"] for tool in tools_of_kinds(kinds)}
    return [call for call in VALID if call[0] in names]


def _kinds_of(tool: dict[str, Any]) -> set[str]:
    return {each["type"] for each in tool["function"]["parameters"]["properties"].values()}


def bad_texts(good: str, written: Callable[[Call], str], kinds: Collection[str] = KINDS) -> Iterator[Bad]:
    """Yield texts that are bad in one way each.

    Args:
        good: a call of `BERGEN`, as the grammar has it.
        written: writes another call so.
        kinds: the kinds of arguments that it can write.
    """
    yield Bad("another name", good.replace("get_weather", "get_weathers"))
    yield Bad("no tool", good.replace("get_weather", "drop_table"))
    yield Bad("text in front", f"Sure. {good}")
    yield Bad("text behind", f"{good} Done.")
    yield Bad("no call", "It rains in Bergen.")
    yield Bad("nothing", "")
    yield Bad("cut in the arguments", good[: good.index("Berg") + 4])
    yield Bad("cut in the name", good[: good.index("get_wea") + 7])
    yield Bad("another key", good.replace("days", "dayz"))
    yield Bad("a mark misspelled", good.lstrip()[1:])
    yield Bad("another type", written(("get_weather", {"city": "Bergen", "days": "two"})))
    yield Bad("an argument missing", written(("get_weather", {"days": 2})))
    yield Bad("an argument too many", written(("get_weather", {"city": "Bergen", "days": 2, "hour": 3})))
    if "boolean" in kinds:
        yield Bad("another value", written(("set_alarm", {"label": "x", "on": True, "level": "mid"})))
    if "object" not in kinds:
        return
    yield Bad("another type within", written(("search", {"query": "q", "filters": {"year": "soon"}})))
    yield Bad("missing within", written(("search", {"query": "q", "filters": {"tags": []}})))
