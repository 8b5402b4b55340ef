"""Conversations and tools of the user's own, from files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, cast

from respc.verifying.features import Context, Conversation, Feature, call

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROLES: Final = ("assistant", "developer", "system", "tool", "user")


class OwnConversationError(ValueError):
    """What was given is no conversation or no tool; the message says which, and what is missing."""


def conversations_of_text(text: str) -> list[list[dict[str, Any]]]:
    """Read conversations: a JSON list of them, a single one, or one in each line.

    Raises:
        OwnConversationError: it is none of these.
    """
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        value = _lines(text, error)
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list) or not value:
        raise OwnConversationError("conversations have to be a list that is not empty")
    listed = cast("list[Any]", value)
    if all(isinstance(each, dict) and "role" in each for each in listed):
        listed = [listed]
    return [_messages(each, number) for number, each in enumerate(listed, start=1)]


def _lines(text: str, error: ValueError) -> list[Any]:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        raise OwnConversationError(f"no JSON: {error}") from None


def _messages(value: Any, number: int) -> list[dict[str, Any]]:
    """Read one conversation, which may be under the key `messages`."""
    if isinstance(value, dict):
        value = cast("dict[str, Any]", value).get("messages")
    if not isinstance(value, list) or not value:
        raise OwnConversationError(f"conversation {number}: it has to be a list of messages")
    return [_message(each, f"conversation {number}") for each in cast("list[Any]", value)]


def _message(value: Any, place: str) -> dict[str, Any]:
    if not isinstance(value, dict) or cast("dict[str, Any]", value).get("role") not in _ROLES:
        raise OwnConversationError(f"{place}: each message needs a `role`, one of {', '.join(_ROLES)}")
    message = {key: inner for key, inner in cast("dict[str, Any]", value).items() if inner is not None}
    if message["role"] != "assistant":
        return message
    if not isinstance(message.get("content", ""), str):
        raise OwnConversationError(f"{place}: the `content` of the assistant has to be a text")
    if calls := message.pop("tool_calls", None):
        message["tool_calls"] = [_call(each, place) for each in calls]
    for name in ("reasoning", "thinking"):
        if name in message:
            message.setdefault("reasoning_content", message.pop(name))
    return message


def _call(value: Any, place: str) -> dict[str, Any]:
    found: Any = value.get("function", value) if isinstance(value, dict) else None
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        raise OwnConversationError(f"{place}: each call needs a `function` with a `name` and `arguments`")
    function = cast("dict[str, Any]", found)
    arguments: Any = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise OwnConversationError(f"{place}: the arguments of a call are no JSON: {error}") from None
    made = call(function["name"])
    made["function"]["arguments"] = arguments
    return {**made, **({"id": value["id"]} if isinstance(value.get("id"), str) else {})}


def own_conversations(
    listed: Sequence[list[dict[str, Any]]], *, with_tools: bool
) -> list[Conversation]:
    """Make conversations of lists of messages, of which the last is the model's.

    Raises:
        OwnConversationError: there is nothing before the last message, or it is not the model's.
    """
    made: list[Conversation] = []
    for number, messages in enumerate(listed, start=1):
        *history, last = messages
        if not history or last["role"] != "assistant":
            raise OwnConversationError(
                f"conversation {number}: the last message has to be the assistant's, behind what it answers"
            )
        message = {key: value for key, value in last.items() if key != "role"}
        context = Context("own", history, with_tools)
        made.append(Conversation(Feature(f"conversation {number}", message), context))
    return made


def tools_of_text(text: str) -> list[dict[str, Any]]:
    """Read a JSON list of tools, as `apply_chat_template` takes them.

    Raises:
        OwnConversationError: it is none.
    """
    try:
        value: Any = json.loads(text)
    except ValueError as error:
        raise OwnConversationError(f"no JSON: {error}") from None
    tools = cast("list[Any]", value) if isinstance(value, list) else []
    named = [tool for tool in tools if isinstance(tool, dict) and _name_of(tool)]
    if not tools or len(named) < len(tools):
        raise OwnConversationError("tools have to be a list of objects, each with a `function` that has a `name`")
    return named


def _name_of(tool: dict[str, Any]) -> str | None:
    function: Any = tool.get("function", tool)
    name: Any = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else None


def calls_of_tools(tools: Sequence[dict[str, Any]]) -> list[Feature]:
    """Make a call of each tool, with an argument of each type that it declares."""
    features: list[Feature] = []
    for tool in tools:
        name = _name_of(tool) or ""
        parameters: Any = cast("dict[str, Any]", tool.get("function", tool)).get("parameters")
        made = call(name)
        made["function"]["arguments"] = _example(parameters or {"type": "object"})
        features.append(Feature(name, {"tool_calls": [made]}))
    return features


def _example(schema: Any) -> Any:
    """Give a value that a schema allows, as far as that can be said without solving it."""
    if not isinstance(schema, dict):
        return "a text"
    described = cast("dict[str, Any]", schema)
    for key in ("const", "default"):
        if key in described:
            return described[key]
    for key in ("enum", "examples"):
        if isinstance(described.get(key), list) and described[key]:
            return described[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(described.get(key), list) and described[key]:
            return _example(described[key][0])
    kind: Any = described.get("type", "object" if "properties" in described else "string")
    if isinstance(kind, list):
        kind = kind[0] if kind else "string"
    if kind == "object":
        properties = cast("dict[str, Any]", described.get("properties") or {})
        return {key: _example(inner) for key, inner in properties.items()}
    if kind == "array":
        return [_example(described.get("items"))]
    examples: dict[str, Any] = {"integer": 3, "number": 2.5, "boolean": True, "null": None}
    return examples.get(kind, "a text")
