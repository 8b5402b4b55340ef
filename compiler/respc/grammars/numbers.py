"""Numbers between bounds, as grammars."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.errors import GrammarError
from respc.grammars.nodes import Characters, Literal, Node, Repeat, choice, known, optional, sequence

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_DIGITS: Final = 15
"""Of these every reader has the exact value."""
_CACHED: Final = 1_024
LARGEST: Final = 10**MOST_DIGITS - 1

DIGIT: Final = Characters((("0", "9"),))
_DIGIT_FROM_ONE: Final = Characters((("1", "9"),))
_WHOLE: Final = known(choice(Literal("0"), sequence(_DIGIT_FROM_ONE, Repeat(DIGIT, 0, MOST_DIGITS - 1))))
INTEGER: Final = known(
    choice(Literal("0"), sequence(optional(Literal("-")), _DIGIT_FROM_ONE, Repeat(DIGIT, 0, MOST_DIGITS - 1)))
)
_EXPONENT: Final = sequence(
    Characters((("e", "e"), ("E", "E"))), optional(Characters((("+", "+"), ("-", "-")))), Repeat(DIGIT, 1, 2)
)
NUMBER: Final = sequence(
    optional(Literal("-")),
    _WHOLE,
    optional(sequence(Literal("."), Repeat(DIGIT, 1, MOST_DIGITS))),
    optional(_EXPONENT),
)
_FRACTION: Final = sequence(Literal("."), Repeat(DIGIT, 0, MOST_DIGITS - 1), _DIGIT_FROM_ONE)
"""A fraction that is not zero."""


def number_of(schema: dict[str, Any], path: str, *, whole: bool) -> Node:
    """Write the numbers that a schema allows.

    Raises:
        GrammarError: there is none.
    """
    low, open_low = _bound(schema, "minimum", "exclusiveMinimum", path, max)
    high, open_high = _bound(schema, "maximum", "exclusiveMaximum", path, min)
    if low is None and high is None:
        return INTEGER if whole else NUMBER
    if whole:
        node = integers(*_within(low, high, open_low=open_low, open_high=open_high))
    else:
        node = numbers(low, high, open_low=open_low, open_high=open_high)
    if node is None:
        raise GrammarError("grammar-schema", "no number that can be written is between these bounds", path)
    return node


def whole_bounds(schema: dict[str, Any], path: str) -> tuple[float | None, float | None]:
    """Read the bounds of integers, which are none that the schema excludes."""
    low, open_low = _bound(schema, "minimum", "exclusiveMinimum", path, max)
    high, open_high = _bound(schema, "maximum", "exclusiveMaximum", path, min)
    return _within(low, high, open_low=open_low, open_high=open_high)


def _within(
    low: float | None, high: float | None, *, open_low: bool, open_high: bool
) -> tuple[float | None, float | None]:
    """Give the bounds of the integers between two, of which each may be excluded itself."""
    low = low + 1 if low is not None and open_low and low == int(low) else low
    high = high - 1 if high is not None and open_high and high == int(high) else high
    return low, high


def number_at(schema: dict[str, Any], key: str, path: str) -> float | None:
    """Read a number of a schema; None where it has none."""
    value: Any = schema.get(key)
    if value is None:
        return None
    if isinstance(value, float) and isfinite(value):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise GrammarError("grammar-schema", f"`{key}` has to be a number", f"{path}/{key}")


def _bound(
    schema: dict[str, Any], key: str, exclusive: str, path: str, tighter: Callable[..., Any]
) -> tuple[float | None, bool]:
    """Read a bound, and whether it is excluded itself."""
    other: Any = schema.get(exclusive)
    if isinstance(other, bool):  # as in the fourth draft
        return number_at(schema, key, path), other
    inclusive, other = number_at(schema, key, path), number_at(schema, exclusive, path)
    if other is None:
        return inclusive, False
    if inclusive is None:
        return other, True
    return tighter(inclusive, other), tighter(inclusive, other) == other


@lru_cache(maxsize=_CACHED)
def integers(low: float | None, high: float | None) -> Node | None:
    """Write the integers from one bound to the other; None where there are none."""
    least = -LARGEST if low is None else max(ceil(low), -LARGEST)
    most = LARGEST if high is None else min(floor(high), LARGEST)
    branches: list[Node] = []
    if least < 0:
        branches += [sequence(Literal("-"), each) for each in _from_to(max(1, -most), -least)]
    branches += _from_to(max(least, 0), most)
    return known(choice(*branches)) if branches else None


@lru_cache(maxsize=_CACHED)
def numbers(low: float | None, high: float | None, *, open_low: bool, open_high: bool) -> Node | None:
    """Write the numbers from one bound to the other, as far as they are whole or between whole bounds.

    Args:
        low: the lower bound, None for none.
        high: the upper bound, None for none.
        open_low: whether the lower bound is none of them.
        open_high: whether the upper bound is none of them.
    """
    least = -LARGEST if low is None else max(ceil(low), -LARGEST)
    most = LARGEST if high is None else min(floor(high), LARGEST)
    branches: list[Node] = []
    # What is in front of the point, where all that can stand behind it is in the bounds.
    inner_most, inner_least = most - (high is not None), least + (low is not None)
    if inner_most >= max(least, 0):
        branches += [sequence(each, _FRACTION) for each in _from_to(max(least, 0), inner_most)]
    if inner_least <= min(most, 0):
        branches += [
            sequence(Literal("-"), each, _FRACTION) for each in _from_to(max(0, -most), -inner_least)
        ]
    whole = integers(
        least + (open_low and low is not None and least == low),
        most - (open_high and high is not None and most == high),
    )
    branches += [] if whole is None else [whole]
    return known(choice(*branches)) if branches else None


def _from_to(low: int, high: int) -> list[Node]:
    """Write the integers from one to another, both not negative, by how many digits they have."""
    branches: list[Node] = []
    while low <= high:
        digits, most = len(str(low)), len(str(high + 1)) - 1
        if low == 10 ** (digits - 1) and digits <= most:
            # All that have so many digits, and more.
            branches.append(sequence(_DIGIT_FROM_ONE, Repeat(DIGIT, digits - 1, most - 1)))
            low = 10**most
            continue
        last = min(high, 10**digits - 1)
        branches.append(_same_length(str(low), str(last)))
        low = last + 1
    return branches


@lru_cache(maxsize=_CACHED)
def _same_length(low: str, high: str) -> Node:
    """Write the integers from one to another that has as many digits."""
    if not low:
        return Literal("")
    if set(low) == {"0"} and set(high) == {"9"}:
        return Repeat(DIGIT, len(low), len(low))
    first, last, rest = low[0], high[0], len(low) - 1
    if first == last:
        return sequence(Literal(first), _same_length(low[1:], high[1:]))
    branches: list[Node] = []
    start, end = first, last
    if set(low[1:]) - {"0"}:
        branches.append(sequence(Literal(first), _same_length(low[1:], "9" * rest)))
        start = chr(ord(first) + 1)
    if set(high[1:]) - {"9"}:
        end = chr(ord(last) - 1)
    if start <= end:
        branches.append(sequence(_digits(start, end), *([Repeat(DIGIT, rest, rest)] if rest else [])))
    if end != last:
        branches.append(sequence(Literal(last), _same_length("0" * rest, high[1:])))
    return known(choice(*branches))


def _digits(first: str, last: str) -> Node:
    return Literal(first) if first == last else Characters(((first, last),))
