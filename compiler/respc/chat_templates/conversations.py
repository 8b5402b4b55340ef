"""Conversations as chat templates are given them: as transformers prepares what `apply_chat_template` takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeGuard

from respc.source.json_kinds import is_list

_REASONING: Final = ("reasoning_content", "thinking", "reasoning")
"""The names that reasoning has in messages. Most chat templates read the first; gpt-oss reads the second."""


def prepared_messages(messages: list[dict[str, Any]], *, keep_none: bool = False) -> list[dict[str, Any]]:
    """Copy messages, without the keys that have no value, and with reasoning under the names that are read."""
    return [
        _with_reasoning(plain_value(message if keep_none else _without_none(message))) for message in messages
    ]


def plain_value(value: Any) -> Any:
    """Copy a value into JSON's own types; what is none of them is named in its place, as an image."""
    if value is None or type(value) in (str, int, float, bool):
        return value
    # A subclass can have methods that the sandbox does not know to be dangerous, and others that lie.
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int.__int__(value)
    if isinstance(value, float):
        return float.__float__(value)
    if _is_mapping(value):
        return {plain_value(key): plain_value(item) for key, item in value.items()}
    if is_list(value):
        return [plain_value(item) for item in value]
    if _is_tuple(value):
        return tuple(plain_value(item) for item in value)
    return f"<{type(value).__name__}>"


def _is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    return isinstance(value, Mapping)


def _is_tuple(value: object) -> TypeGuard[tuple[Any, ...]]:
    return isinstance(value, tuple)


def _without_none(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if value is not None}


def _with_reasoning(message: dict[str, Any]) -> dict[str, Any]:
    reasoning = next((message[name] for name in _REASONING if message.get(name) is not None), None)
    if reasoning is None:
        return message
    return {"thinking": reasoning, **message, "reasoning_content": reasoning}
