"""Time, measured so that other work on the machine spoils as little as it can."""

from __future__ import annotations

import gc
import time
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_Name = TypeVar("_Name")

_COARSE: Final = 1e-6
_LEAST_SECONDS: Final = 0.004
"""Shorter work is repeated until one figure covers about as much."""

# The processor's time of this thread, where the clock is fine enough: waiting for a core does not count then.
clock: Callable[[], float] = (
    time.thread_time if time.get_clock_info("thread_time").resolution <= _COARSE else time.perf_counter
)


def in_rounds(works: Mapping[_Name, Callable[[], object]], rounds: int) -> dict[_Name, list[float]]:
    """Time pieces of work in turn, so that each round compares what ran side by side; gives seconds, one a round.

    Each round begins with another piece of work. All have run once before the first round.
    """
    repeats = {
        name: max(1, int(_LEAST_SECONDS / max(_seconds(work, 1), 1e-7))) for name, work in works.items()
    }
    names = list(works)
    times: dict[_Name, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            times[name].append(_seconds(works[name], repeats[name]))
    return times


def _seconds(work: Callable[[], object], repeats: int) -> float:
    """Give the seconds that one call takes, while no garbage is collected."""
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        start = clock()
        for _ in range(repeats):
            work()
        return (clock() - start) / repeats
    finally:
        if collects:
            gc.enable()


def pour() -> Callable[[Callable[[str], object], Iterable[str]], None]:
    """Give a loop that feeds all chunks, with code of its own.

    CPython 3.11 and later specialise code to the calls that it has made. A loop that feeds parsers of several classes
    would be specialised to none; each gets its own, as in a server that serves one model.
    """
    return FunctionType(_pour.__code__.replace(), _pour.__globals__)


def _pour(feed: Callable[[str], Any], chunks: Iterable[str]) -> None:
    for chunk in chunks:
        feed(chunk)
