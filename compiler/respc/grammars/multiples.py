"""Multiples of an integer, as grammars: where the last digits tell them, or where they are few."""

from __future__ import annotations

from functools import lru_cache
from math import ceil, floor
from typing import Any, Final

from respc.grammars.errors import GrammarError
from respc.grammars.nodes import Literal, Node, choice, sequence
from respc.grammars.numbers import LARGEST, integers, number_at, whole_bounds

_MOST_LISTED: Final = 256
_MOST_LAST_DIGITS: Final = 3
_CACHED: Final = 256


def multiples_of(schema: dict[str, Any], path: str) -> Node:
    """Write the numbers that a schema with `multipleOf` allows.

    Raises:
        GrammarError: there is none, or no grammar can hold a model to them.
    """
    factor = number_at(schema, "multipleOf", path)
    if factor is None or factor <= 0 or factor != int(factor):
        reason = "`multipleOf` cannot be held to by a grammar unless it is an integer above zero"
        raise GrammarError("grammar-schema", reason, f"{path}/multipleOf")
    try:
        node = multiples(int(factor), *whole_bounds(schema, path))
    except ValueError as error:
        reason = f"{error}: give bounds between which they are few"
        raise GrammarError("grammar-schema", reason, f"{path}/multipleOf") from error
    if node is None:
        raise GrammarError("grammar-schema", "no number that can be written is between these bounds", path)
    return node


@lru_cache(maxsize=_CACHED)
def multiples(factor: int, low: float | None, high: float | None) -> Node | None:
    """Write the multiples of a factor from one bound to the other.

    Raises:
        ValueError: neither are they few, nor do their last digits tell them.
    """
    least = -LARGEST if low is None else max(ceil(low), -LARGEST)
    most = LARGEST if high is None else min(floor(high), LARGEST)
    branches: list[Node] = []
    if least < 0:
        branches += [sequence(Literal("-"), each) for each in _from_to(factor, max(1, -most), -least)]
    branches += _from_to(factor, max(least, 0), most)
    return choice(*branches) if branches else None


def _from_to(factor: int, low: int, high: int) -> list[Node]:
    """Write the multiples from one bound to another, both not negative."""
    first, last = -(-low // factor), high // factor
    if last - first < _MOST_LISTED:
        return [Literal(str(each * factor)) for each in range(first, last + 1)]
    digits = next((each for each in range(1, _MOST_LAST_DIGITS + 1) if 10**each % factor == 0), None)
    if digits is None:
        raise ValueError(f"multiples of {factor} are too many to be listed")
    # In front of the last digits there is any number between those of the bounds.
    whole = 10**digits
    first_head, last_head = low // whole + 1, high // whole - 1
    ends = [Literal(f"{each:0{digits}}") for each in range(0, whole, factor)]
    heads = integers(first_head, last_head)
    middle = [] if heads is None else [sequence(heads, choice(*ends))]
    return [
        *_listed(factor, low, first_head * whole - 1),
        *middle,
        *_listed(factor, (last_head + 1) * whole, high),
    ]


def _listed(factor: int, low: int, high: int) -> list[Node]:
    return [Literal(str(each)) for each in range(-(-low // factor) * factor, high + 1, factor)]
