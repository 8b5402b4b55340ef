"""Comparing the message that came back with the one that was written."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeGuard

from respc.source.json_kinds import is_list, is_object

Part = Literal["reasoning_content", "content", "tool_calls"]
_REASONING: Final = ("reasoning_content", "thinking", "reasoning")
MISSING: Final = "<nothing>"


def comparable(message: dict[str, Any]) -> dict[Part, Any]:
    """Give what is compared of a message: texts without outer blanks, and calls with the JSON values of arguments."""
    compared: dict[Part, Any] = {}
    reasoning = next((message[key] for key in _REASONING if message.get(key)), None)
    if text := _text(reasoning):
        compared["reasoning_content"] = text
    if text := _text(message.get("content")):
        compared["content"] = text
    if calls := message.get("tool_calls"):
        listed: list[Any] = calls if is_list(calls) else [calls]
        compared["tool_calls"] = [_call(each) for each in listed]
    return compared


def _text(value: object) -> str:
    if isinstance(value, str):
        return value.strip()
    return "" if value is None else json.dumps(value, default=repr)


def _call(call: Any) -> tuple[Any, Any]:
    function: Any = call.get("function", call) if is_object(call) else call
    if not is_object(function):
        return None, function
    arguments: Any = function.get("arguments")
    if isinstance(arguments, str):
        with suppress(ValueError, RecursionError):
            arguments = json.loads(arguments)
    return function.get("name"), arguments


def same(one: Any, other: Any) -> bool:
    """Tell whether two values are the same JSON, where 1.0 is 1 and True is not."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, (int, float)) and isinstance(other, (int, float)):
        return one == other
    if is_object(one) and is_object(other):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if _is_sequence(one) and _is_sequence(other):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def _is_sequence(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    return isinstance(value, (list, tuple))


@dataclass(frozen=True, slots=True)
class Difference:
    """The first thing of a message that did not come back.

    Attributes:
        part: the key of the message.
        wanted: what was written; MISSING for nothing.
        got: what came back; MISSING for nothing.
        argument: the argument that it is of; None where it is of no single one.
        call: the number of the call that it is of; None where it is of none, or of their number.
    """

    part: Part
    wanted: Any
    got: Any
    argument: str | None = None
    call: int | None = None


def difference(wanted: dict[Part, Any], got: dict[Part, Any]) -> Difference | None:
    """Find what of a message did not come back: its calls first, since what they lose is in its text."""
    order: tuple[Part, ...] = ("tool_calls", "reasoning_content", "content")
    for part in order:
        ours, theirs = wanted.get(part, MISSING), got.get(part, MISSING)
        if not same(ours, theirs):
            if part == "tool_calls" and MISSING not in (ours, theirs) and len(ours) == len(theirs):
                return _of_calls(ours, theirs)
            return Difference(part, ours, theirs)
    return None


def _of_calls(wanted: list[Any], got: list[Any]) -> Difference:
    number, (ours, theirs) = next(
        (number, pair) for number, pair in enumerate(zip(wanted, got, strict=True)) if not same(*pair)
    )
    if ours[0] != theirs[0]:
        return Difference("tool_calls", ours[0], theirs[0], None, number)
    one, other = ours[1], theirs[1]
    if is_object(one) and is_object(other):
        for key in [*one, *other]:
            if not same(one.get(key, MISSING), other.get(key, MISSING)):
                return Difference("tool_calls", one.get(key, MISSING), other.get(key, MISSING), key, number)
    return Difference("tool_calls", ours[1], theirs[1], "", number)
