"""One source of choices for generators: hypothesis, which can shrink them, or ``random``, which is fast.

Every choice is an integer, and the first of a sequence is the simplest: that is where shrinking goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from hypothesis.strategies import DrawFn

Choice = TypeVar("Choice")


class Chooser:
    """Makes choices; a subclass says where the integers come from."""

    def integer(self, low: int, high: int) -> int:
        """Return an integer between two bounds, both included."""
        raise NotImplementedError

    def pick(self, options: Sequence[Choice]) -> Choice:
        """Return one of the options."""
        return options[self.integer(0, len(options) - 1)]

    def percent(self, chance: int) -> bool:
        """Return True that many times in a hundred; False is the simpler answer."""
        return self.integer(0, 99) >= 100 - chance

    def weighted(self, options: Sequence[tuple[int, Choice]]) -> Choice:
        """Return one of the options, each as often as its weight says."""
        place = self.integer(0, sum(weight for weight, _ in options) - 1)
        for weight, option in options:
            place -= weight
            if place < 0:
                return option
        raise AssertionError("the weights cover every place")


class RandomChooser(Chooser):
    """Choices of a seeded ``random.Random``."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def integer(self, low: int, high: int) -> int:
        return self._random.randint(low, high)


class HypothesisChooser(Chooser):
    """Choices that hypothesis draws, records and shrinks."""

    def __init__(self, draw: DrawFn) -> None:
        self._draw = draw

    def integer(self, low: int, high: int) -> int:
        return self._draw(st.integers(low, high))
