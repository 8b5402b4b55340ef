"""Calls that are JSON values with a name and arguments in them, one by one or in a list."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from respc.inferring.call_formats import CallFormat, call_transform
from respc.inferring.call_sights import INDEX
from respc.inferring.envelope import Envelope, Span, envelope_of
from respc.inferring.probes import FIRST_KEY, FIRST_NAME, FIRST_VALUE, SECOND_NAME
from respc.inferring.tokens import escaped
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_sights import CallSights

_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _Value:
    """A JSON value in a text, and where it is."""

    value: Any
    span: Span


@dataclass(frozen=True, slots=True)
class _Paths:
    """Where the parts of a call are in a record."""

    name: tuple[str, ...]
    arguments: tuple[str, ...]


def json_calls(sights: CallSights) -> Iterator[CallFormat]:
    """Yield the ways to read calls that are JSON values."""
    one = _value_around(sights.one, FIRST_NAME)
    if one is None:
        return
    listed = is_list(one.value)
    record: Any = one.value[0] if listed and one.value else one.value
    paths = _paths(record) if is_object(record) else None
    if paths is None:
        return
    envelope = _envelope(sights, one, listed=listed)
    root = "" if listed else "content."
    function = {"name": _placeholder(root, paths.name), "arguments": _placeholder(root, paths.arguments)}
    begins, signature, ends = r"\{", _signature(record), r"\}"
    if listed:
        begins, signature, ends = r"\[\s*\{", rf"\[\s*{signature}", r"\]"
    kind = "a JSON list of calls" if listed else "a JSON object for each call"
    yield CallFormat(
        kind,
        sights.sight,
        envelope,
        "",
        begins,
        signature,
        ends,
        "json",
        call_transform(function),
        each=listed,
    )


def _signature(record: dict[str, Any]) -> str:
    """Write how a record begins: with its first key, and where that has the name, with the second, too."""
    keys = [escaped(key) for key in record]
    first = rf'\{{\s*"{keys[0]}"\s*:'
    is_name_first = next(iter(record.values())) == FIRST_NAME and len(keys) > 1
    return rf'{first}\s*"[^"]*"\s*,\s*"{keys[1]}"\s*:' if is_name_first else first


def _value_around(text: str, word: str) -> _Value | None:
    """Find the outermost JSON value that a word is in."""
    at = text.find(word)
    for start in (match.start() for match in re.finditer(r"[\[{]", text[:at])):
        read = _read(text, start)
        if read is not None and read.span.end > at:
            return read
    return None


def _read(text: str, start: int) -> _Value | None:
    # What stands for a number is one: two digits, as the place is one character, would move all that follows.
    readable = text.replace(INDEX, "0")
    try:
        value, end = json.JSONDecoder().raw_decode(readable, start)
    except (ValueError, RecursionError):
        return None
    return _Value(value, Span(start, end))


def _envelope(sights: CallSights, one: _Value, *, listed: bool) -> Envelope:
    pair = None if listed or sights.pair is None else sights.pair
    first = None if pair is None else _value_around(pair, FIRST_NAME)
    second = None if pair is None else _value_around(pair, SECOND_NAME)
    return envelope_of(
        sights.one, one.span, pair, first.span if first else None, second.span if second else None
    )


def _paths(record: dict[str, Any]) -> _Paths | None:
    """Find the name and the arguments of the probe in a record."""
    found: dict[str, tuple[str, ...]] = {}

    def walk(value: Any, path: tuple[str, ...]) -> None:
        if value == FIRST_NAME:
            found["name"] = path
        elif _is_arguments(value):
            found["arguments"] = path
        elif is_object(value) and all(_WORD.fullmatch(key) for key in value):
            for key, inner in value.items():
                walk(inner, (*path, key))

    walk(record, ())
    if "name" not in found or "arguments" not in found:
        return None
    return _Paths(found["name"], found["arguments"])


def _is_arguments(value: Any) -> bool:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except ValueError:
            return False
    return bool(value == {FIRST_KEY: FIRST_VALUE})


def _placeholder(root: str, path: tuple[str, ...]) -> str:
    return "{" + root + ".".join(path) + "}"
