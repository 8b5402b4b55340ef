"""No parser is timed before it was seen to give what the interpreter gives: types, key order and all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from benchmarks.engines import Parser

_SHOWN = 200


class UnequalError(Exception):
    """A parser that gives something else than it should."""


@dataclass(frozen=True, slots=True)
class Recording:
    """All that a caller sees of one stream; ``error`` is the nearest built-in class of what ended it."""

    initial_events: list[Any]
    feeds: list[Any]
    message: Any
    final_events: Any
    error: str | None = None


def record(make: Callable[[], Parser], chunks: Sequence[str]) -> Recording:
    """Stream the chunks through a new parser and keep what it gives."""
    parser = make()
    feeds: list[Any] = []
    keep = feeds.append
    feed = parser.feed
    try:
        for chunk in chunks:
            keep(feed(chunk))
        message, final_events = parser.finalize()
    except Exception as error:
        return Recording(parser.initial_events, feeds, None, None, built_in(error))
    return Recording(parser.initial_events, feeds, message, final_events)


def outcome(work: Callable[[], object]) -> object:
    """Call and give the result, or the nearest built-in class of what was raised."""
    try:
        return work()
    except Exception as error:
        return built_in(error)


def built_in(error: BaseException) -> str:
    """Name the nearest built-in class of an exception."""
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def require_same_recording(expected: Recording, actual: Recording, what: str) -> None:
    """Raise unless two recordings are the same.

    Raises:
        UnequalError: they differ.
    """
    for part in Recording.__slots__:
        require_same(getattr(expected, part), getattr(actual, part), f"{what}: {part}")


def require_same(expected: object, actual: object, what: str) -> None:
    """Raise unless two values are the same to the last type and the order of keys.

    Raises:
        UnequalError: they differ.
    """
    difference = _difference(expected, actual, "")
    if difference is not None:
        raise UnequalError(f"{what}{difference}")


def _difference(expected: Any, actual: Any, place: str) -> str | None:
    if type(expected) is not type(actual):
        return f"{place}: {_shown(expected)} expected, {_shown(actual)} found"
    if isinstance(expected, dict):
        if list(expected) != list(actual):
            return f"{place}: keys {_shown(list(expected))} expected, {_shown(list(actual))} found"
        return next(
            (
                found
                for key in expected
                if (found := _difference(expected[key], actual[key], f"{place}[{key!r}]"))
            ),
            None,
        )
    if isinstance(expected, list | tuple):
        if len(expected) != len(actual):
            return f"{place}: {len(expected)} elements expected, {len(actual)} found"
        for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
            found = _difference(one, other, f"{place}[{index}]")
            if found:
                return found
        return None
    # A float's repr is the same for every NaN and tells 0.0 from -0.0.
    same = repr(expected) == repr(actual) if isinstance(expected, float) else expected == actual
    return None if same else f"{place}: {_shown(expected)} expected, {_shown(actual)} found"


def _shown(value: object) -> str:
    text = f"{type(value).__name__} {value!r}"
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
