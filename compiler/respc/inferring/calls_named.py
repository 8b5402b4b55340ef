"""Calls whose name is written as text, and whose arguments are JSON, or a dialect of it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.inferring.call_formats import (
    FUNCTION,
    CallFormat,
    call_transform,
    has_id,
    name_pattern,
    pattern_with_ids,
)
from respc.inferring.call_sights import ID
from respc.inferring.envelope import Span, envelope_of
from respc.inferring.hardening_headers import with_free_headers
from respc.inferring.hardening_ids import with_ids
from respc.inferring.probes import (
    FIRST_KEY,
    FIRST_NAME,
    FIRST_VALUE,
    SECOND_KEY,
    SECOND_NAME,
    SECOND_VALUE,
)
from respc.inferring.tokens import MARK, marks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.inferring.call_sights import CallSights

_ARGUMENTS: Final = {
    FIRST_NAME: {FIRST_KEY: FIRST_VALUE},
    SECOND_NAME: {SECOND_KEY: SECOND_VALUE},
}


@dataclass(frozen=True, slots=True)
class _Dialect:
    """Arguments that are nearly JSON: where they are, and what is around their strings."""

    span: Span
    quotes: tuple[str, str]


def named_json_calls(sights: CallSights) -> Iterator[CallFormat]:
    """Yield the ways to read calls that are a name and JSON."""
    own = _json_behind(sights.one, FIRST_NAME)
    if own is None:
        return
    pair = sights.pair
    first = None if pair is None else _json_behind(pair, FIRST_NAME)
    second = None if pair is None else _json_behind(pair, SECOND_NAME)
    yield from _formats(sights, own, first, second, "a name, and its arguments as JSON", {})


def named_dialect_calls(sights: CallSights) -> Iterator[CallFormat]:
    """Yield the ways to read calls that are a name and something like JSON: keys without quotes, strings in marks."""
    own = _dialect_behind(sights.one, FIRST_NAME, FIRST_KEY, FIRST_VALUE)
    if own is None:
        return
    pair = sights.pair
    first = second = None
    if pair is not None:
        former = _dialect_behind(pair, FIRST_NAME, FIRST_KEY, FIRST_VALUE)
        other = _dialect_behind(pair, SECOND_NAME, SECOND_KEY, SECOND_VALUE)
        first = None if former is None else former.span
        second = None if other is None else other.span
    args: dict[str, Any] = {"unquoted_keys": True}
    if own.quotes != ('"', '"'):
        args["string_delims"] = [list(own.quotes)]
    yield from _formats(sights, own.span, first, second, "a name, and its arguments nearly as JSON", args)


def _formats(
    sights: CallSights,
    own: Span,
    first: Span | None,
    second: Span | None,
    kind: str,
    args: dict[str, Any],
) -> Iterator[CallFormat]:
    """Yield the ways to read a name and what is found behind it.

    Args:
        sights: calls as they are written.
        own: where the arguments are in a single call.
        first: where those of the first are in a pair.
        second: where those of the second are.
        kind: what the way is called.
        args: what the content parser is given.
    """
    at = sights.one.rindex(FIRST_NAME, 0, own.start)
    middle = sights.one[at + len(FIRST_NAME) : own.start]
    calls: list[Span | None] = [None, None]
    if sights.pair is not None and first is not None and second is not None:
        calls = [
            Span(sights.pair.rindex(FIRST_NAME, 0, first.start), first.end),
            Span(sights.pair.rindex(SECOND_NAME, 0, second.start), second.end),
        ]
    envelope = envelope_of(sights.one, Span(at, own.end), sights.pair, calls[0], calls[1])
    head = name_pattern(middle or "{", envelope.open or envelope.section_open) + _behind_name(middle)
    if not marks(sights.one[: own.start]):
        # Only how the arguments begin tells that the word is a name.
        blank = re.sub(r"\s+", r"\\n" if "\n" in middle else " ", middle) if middle.isspace() else r"\s*"
        head = head.removesuffix(r"\s*") + blank + r"(?=\{)"
    call_id = "{id}" if has_id(envelope.open, middle) else None
    written = CallFormat(
        kind,
        sights.sight,
        envelope,
        head,
        r"\{",
        r"\{",
        r"\}",
        "json",
        call_transform(dict(FUNCTION), call_id),
        args,
    )
    for each in with_ids(written, sights, middle):
        yield from with_free_headers(each, middle)


def _behind_name(middle: str) -> str:
    pattern = pattern_with_ids(middle)
    before = r"\s*" if pattern and (middle[:1].isspace() or MARK.match(middle)) else ""
    behind = r"\s*" if middle[-1:].isspace() or not pattern else ""
    return before + pattern + behind


def _json_behind(text: str, name: str) -> Span | None:
    """Find the JSON arguments behind a name, which may be the last of several."""
    at = text.find(name)
    if at < 0:
        return None
    for match in re.finditer(r"\{", text[at:]):
        start = at + match.start()
        try:
            value, end = json.JSONDecoder().raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        if value == _ARGUMENTS[name]:
            return Span(start, end)
    return None


def _dialect_behind(text: str, name: str, key: str, value: str) -> _Dialect | None:
    match = re.search(
        rf"{name}[^{{}}]{{0,40}}(\{{\s*{key}\s*:\s*(\S{{1,12}}?){value}(\S{{1,12}}?)\s*\}})", text
    )
    if match is None or ID in match[0]:
        return None
    return _Dialect(Span(match.start(1), match.end(1)), (match[2], match[3]))
