"""Time, measured so that other work on the machine spoils as little as it can."""

from __future__ import annotations

import gc
import time
from contextlib import contextmanager
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping

_Name = TypeVar("_Name")

_COARSE: Final = 1e-6
_LEAST_SECONDS: Final = 0.004
"""Shorter work is repeated until one figure covers about as much."""

# The processor's time of this thread, where the clock is fine enough: waiting for a core does not count then.
clock: Callable[[], float] = (
    time.thread_time if time.get_clock_info("thread_time").resolution <= _COARSE else time.perf_counter
)


@contextmanager
def without_collector() -> Generator[None]:
    """Collect garbage, then keep the collector from running."""
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Give the seconds that one call takes."""
    with without_collector():
        start = clock()
        for _ in range(repeats):
            work()
        return (clock() - start) / repeats


def in_rounds(works: Mapping[_Name, Callable[[], object]], rounds: int) -> dict[_Name, list[float]]:
    """Time pieces of work in turn, so that each round compares what ran side by side; gives seconds, one a round.

    Each round begins with another piece of work. All have run once before the first round.
    """
    repeats = {name: max(1, int(_LEAST_SECONDS / max(seconds(work), 1e-7))) for name, work in works.items()}
    names = list(works)
    times: dict[_Name, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            times[name].append(seconds(works[name], repeats[name]))
    return times


def own_copy(function: Callable[..., Any]) -> Callable[..., Any]:
    """Copy a function with its code.

    CPython 3.11 and later specialise code to the calls that it has made. A loop that feeds parsers of several classes
    would be specialised to none; each gets its own, as in a server that serves one model.
    """
    assert isinstance(function, FunctionType)
    return FunctionType(function.__code__.replace(), function.__globals__)


def pour(feed: Callable[[str], object], chunks: Iterable[str]) -> None:
    """Feed all chunks, as a caller who fetched the method once does."""
    for chunk in chunks:
        feed(chunk)
