"""What the tests of the OpenAI form share: serving parsers, and a client that adds deltas up."""

from __future__ import annotations

import itertools
import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import respc
from respc_runtime.openai import ChatCompletionParser, CompletionObjects

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from support.families import Family

OBJECTS: Final = CompletionObjects("chatcmpl-1", "a-model", 1_700_000_000)
CALL: Final = {"type": "function", "function": {"name": "{content.name}", "arguments": "{content.arguments}"}}
TEMPLATE: Final[dict[str, Any]] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<turn>",
    "fields": {
        "reasoning_content": {"open": "<think>", "close": "</think>", "repeats": True, "join": "\n"},
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": CALL,
        },
        "content": {"close": "<end>", "repeats": True, "join": ""},
    },
}


def with_field(name: str, **keys: Any) -> dict[str, Any]:
    """Give the template with other keys of a field; None takes one away."""
    field = {**TEMPLATE["fields"].get(name, {}), **keys}
    kept = {key: value for key, value in field.items() if value is not None}
    return {**TEMPLATE, "fields": {**TEMPLATE["fields"], name: kept}}


@cache
def _compiled(template: str) -> Any:
    return respc.load(json.loads(template), events="serving").ResponseParser


def serving_parser(template: dict[str, Any]) -> Any:
    """Give the parser class of a template, with serving events."""
    return _compiled(json.dumps(template))


def parser_of(family: Family) -> Any:
    return serving_parser(family.template)


def numbered_ids() -> Callable[[], str]:
    numbers = itertools.count()
    return lambda: f"made_{next(numbers)}"


def run(
    template: dict[str, Any],
    chunks: Iterable[str],
    prefix: str = "",
    *,
    length: bool = False,
    stopped: bool = False,
    **options: Any,
) -> tuple[ChatCompletionParser, list[dict[str, Any]]]:
    """Parse a generation, and check that its deltas add up to its message."""
    options = {"make_id": numbered_ids(), **options}
    parser = ChatCompletionParser(serving_parser(template), prefix, **options)
    deltas = list(parser.initial_deltas)
    for chunk in chunks:
        deltas += parser.feed(chunk)
    deltas += parser.finalize(length=length, stopped=stopped)
    check_sum(parser, deltas)
    return parser, deltas


def check_sum(parser: ChatCompletionParser, deltas: list[dict[str, Any]]) -> None:
    """Check that the deltas are whole, in order, and add up to the message."""
    message = parser.message
    assert message is not None
    assert deltas[0] == {"role": "assistant"}
    assert all(list(delta) != ["role"] and all(delta.values()) for delta in deltas[1:])
    total = added_up(deltas)
    assert total["content"] == (message["content"] or "")
    assert total["reasoning_content"] == message.get("reasoning_content", "")
    begun = {index for region in parser.unread for index in region.indexes}
    calls = [call for index, call in enumerate(total["tool_calls"]) if index not in begun]
    assert calls == message.get("tool_calls", [])


def added_up(deltas: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Add deltas up as clients do."""
    texts: dict[str, list[str]] = {"content": [], "reasoning_content": []}
    calls: list[dict[str, Any]] = []
    for delta in deltas:
        for key, parts in texts.items():
            parts.append(delta.get(key) or "")
        for part in delta.get("tool_calls") or ():
            if part["index"] == len(calls):
                assert part["type"] == "function"
                calls.append({"id": part["id"], "type": "function", "function": dict(part["function"])})
            else:
                assert part.keys() == {"index", "function"}
                assert part["function"].keys() == {"arguments"}
                calls[part["index"]]["function"]["arguments"] += part["function"]["arguments"]
    return {**{key: "".join(parts) for key, parts in texts.items()}, "tool_calls": calls}


def argument_values(message: dict[str, Any]) -> list[Any]:
    """Give the arguments of the calls of a message."""
    return [json.loads(call["function"]["arguments"]) for call in message.get("tool_calls", [])]
