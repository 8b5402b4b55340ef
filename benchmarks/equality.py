"""Raises where a parser or a floor gives something else than it should: nothing of the kind is timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.measuring.equality import first_difference, first_difference_of_streams

if TYPE_CHECKING:
    from respc.measuring.equality import Difference, Recording


class UnequalError(Exception):
    """A parser that gives something else than it should."""


def require_same_recording(expected: Recording, actual: Recording, what: str) -> None:
    """Raise unless two recordings are the same.

    Raises:
        UnequalError: they differ.
    """
    _refuse(first_difference_of_streams(expected, actual), f"{what}: ")


def require_same(expected: object, actual: object, what: str) -> None:
    """Raise unless two values are the same to the last type and the order of keys.

    Raises:
        UnequalError: they differ.
    """
    _refuse(first_difference(expected, actual, what))


def _refuse(found: Difference | None, what: str = "") -> None:
    if found is not None:
        raise UnequalError(f"{what}{found.place}: {found.expected} expected, {found.actual} found")
