"""Conversations and tools of the user's own, from files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from respc.source.json_kinds import is_list, is_object
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
    if is_object(value):
        value = [value]
    if not is_list(value) or not value:
        raise OwnConversationError("conversations have to be a list that is not empty")
    if all(is_object(each) and "role" in each for each in value):
        value = [value]
    return [_messages(each, number) for number, each in enumerate(value, start=1)]


def _lines(text: str, error: ValueError) -> list[Any]:
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        return [json.loads(line) for line in lines]
    except ValueError:
        raise OwnConversationError(f"no JSON: {error}") from None


def _messages(value: Any, number: int) -> list[dict[str, Any]]:
    """Read one conversation, which may be under the key `messages`."""
    if is_object(value):
        value = value.get("messages")
    if not is_list(value) or not value:
        raise OwnConversationError(f"conversation {number}: it has to be a list of messages")
    return [_message(each, f"conversation {number}") for each in value]


def _message(value: Any, place: str) -> dict[str, Any]:
    if not is_object(value) or value.get("role") not in _ROLES:
        raise OwnConversationError(f"{place}: each message needs a `role`, one of {', '.join(_ROLES)}")
    message = {key: inner for key, inner in value.items() if inner is not None}
    if message["role"] != "assistant":
        return message
    if not isinstance(message.get("content", ""), str):
        raise OwnConversationError(f"{place}: the `content` of the assistant has to be a text")
    calls: Any = message.pop("tool_calls", None)
    if calls:
        if not is_list(calls):
            raise OwnConversationError(f"{place}: `tool_calls` has to be a list")
        message["tool_calls"] = [_call(each, place) for each in calls]
    for name in ("reasoning", "thinking"):
        if name in message:
            message.setdefault("reasoning_content", message.pop(name))
    return message


def _call(value: Any, place: str) -> dict[str, Any]:
    given: dict[str, Any] = value if is_object(value) else {}
    function: Any = given.get("function", given)
    if not is_object(function) or not isinstance(function.get("name"), str):
        raise OwnConversationError(f"{place}: each call needs a `function` with a `name` and `arguments`")
    arguments: Any = function.get("arguments", {})
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError as error:
            raise OwnConversationError(f"{place}: the arguments of a call are no JSON: {error}") from None
    made = call(function["name"])
    made["function"]["arguments"] = arguments
    return {**made, **({"id": given["id"]} if isinstance(given.get("id"), str) else {})}


def own_conversations(listed: Sequence[list[dict[str, Any]]], *, with_tools: bool) -> list[Conversation]:
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
    tools: list[Any] = value if is_list(value) else []
    named: list[dict[str, Any]] = [tool for tool in tools if is_object(tool) and _name_of(tool)]
    if not tools or len(named) < len(tools):
        raise OwnConversationError(
            "tools have to be a list of objects, each with a `function` that has a `name`"
        )
    return named


def _name_of(tool: dict[str, Any]) -> str | None:
    function: Any = tool.get("function", tool)
    name: Any = function.get("name") if is_object(function) else None
    return name if isinstance(name, str) else None


def calls_of_tools(tools: Sequence[dict[str, Any]]) -> list[Feature]:
    """Make a call of each tool, with an argument of each type that it declares."""
    features: list[Feature] = []
    for tool in tools:
        name = _name_of(tool) or ""
        parameters: Any = tool.get("function", tool).get("parameters")
        made = call(name)
        made["function"]["arguments"] = _example(parameters or {"type": "object"})
        features.append(Feature(name, {"tool_calls": [made]}))
    return features


def _example(schema: Any) -> Any:
    """Give a value that a schema allows, as far as that can be said without solving it."""
    if not is_object(schema):
        return "a text"
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if is_list(schema.get(key)) and schema[key]:
            return schema[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if is_list(schema.get(key)) and schema[key]:
            return _example(schema[key][0])
    kind: Any = schema.get("type", "object" if "properties" in schema else "string")
    if is_list(kind):
        kind = kind[0] if kind else "string"
    if kind == "object":
        properties: dict[str, Any] = schema.get("properties") or {}
        return {key: _example(inner) for key, inner in properties.items()}
    if kind == "array":
        return [_example(schema.get("items"))]
    examples: dict[str, Any] = {"integer": 3, "number": 2.5, "boolean": True, "null": None}
    return examples.get(str(kind), "a text")
