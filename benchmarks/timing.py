"""Clocks and ratios beside those of ``respc bench``, which times the rest."""

from __future__ import annotations

import statistics
import time
from typing import TypeVar

_Name = TypeVar("_Name")
Times = dict[_Name, list[float]]
"""The seconds of each piece of work, one figure a round."""


def children_clock() -> float:
    """Give the processor's time of the processes that this one waited for; where that is not known, the time of day."""
    try:
        from resource import RUSAGE_CHILDREN, getrusage
    except ImportError:
        return time.perf_counter()
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def ratio(times: Times[_Name], over: _Name, under: _Name) -> float:
    """Give the median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(times[over], times[under], strict=True))
