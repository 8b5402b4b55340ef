"""Comparison that Python's ``==`` is too kind for: types, key order, NaN and the sign of zero count."""

from __future__ import annotations

from typing import Any

SHOWN = 300


def shorten(value: object) -> str:
    """Return the ``repr`` of a value, cut to what a person reads."""
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def first_difference(expected: Any, actual: Any, path: str = "") -> str | None:
    """Return where and how two values differ first, or None when they are the same to the last type.

    The walk keeps its own stack, for the values of models can be nested deeper than Python may recurse.
    """
    waiting: list[tuple[Any, Any, str]] = [(expected, actual, path)]
    while waiting:
        left, right, place = waiting.pop()
        if type(left) is not type(right):
            return (
                f"{place or 'value'}: type {type(left).__name__} expected, {type(right).__name__} found: "
                f"{shorten(left)} against {shorten(right)}"
            )
        if isinstance(left, dict):
            if list(left) != list(right) or [type(key) for key in left] != [type(key) for key in right]:
                return (
                    f"{place or 'value'}: keys {shorten(list(left))} expected, {shorten(list(right))} found"
                )
            waiting.extend((left[key], right[key], f"{place}[{key!r}]") for key in reversed(list(left)))
        elif isinstance(left, (list, tuple)):
            if len(left) != len(right):
                return (
                    f"{place or 'value'}: {len(left)} elements expected, {len(right)} found: "
                    f"{shorten(left)} against {shorten(right)}"
                )
            pairs = list(zip(left, right, strict=True))
            waiting.extend((a, b, f"{place}[{index}]") for index, (a, b) in reversed(list(enumerate(pairs))))
        elif isinstance(left, float):
            # repr tells 0.0 from -0.0 and is the same for every NaN
            if repr(left) != repr(right):
                return f"{place or 'value'}: {left!r} expected, {right!r} found"
        elif left != right:
            return f"{place or 'value'}: {shorten(left)} expected, {shorten(right)} found"
    return None
