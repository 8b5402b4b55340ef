"""Runs random work for as long as asked, in several processes, and counts what came of it."""

from __future__ import annotations

import argparse
import multiprocessing
import os
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

Job = tuple[int, float, int, float]
"""A seed, how many seconds to go on, how many texts for each template, and seconds to make one finding small."""


def soak(
    description: str,
    work: Callable[[Job], Counter[str]],
    replay: Callable[[str], int],
    *,
    texts: int,
    counted: tuple[str, ...],
) -> int:
    """Read the options, run the work, print the counts; return 1 if there was a finding, which is counted last.

    Args:
        description: what is done, for the help.
        work: does a job in a process of its own.
        replay: runs one printed case again.
        texts: how many for each template, if not asked for.
        counted: what is printed also where there was none.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--texts", type=int, default=texts, help="texts for each template")
    parser.add_argument("--shrink-seconds", type=float, default=20.0, help="time to make one finding small")
    parser.add_argument("--replay", help="a case, as printed, to run again")
    options = parser.parse_args()
    if options.replay:
        return replay(options.replay)
    jobs = [
        (options.seed * 1000 + number, options.minutes * 60, options.texts, options.shrink_seconds)
        for number in range(options.processes)
    ]
    total: Counter[str] = Counter(dict.fromkeys(counted, 0))
    with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
        for counts in pool.imap_unordered(work, jobs):
            total.update(counts)
    for name, count in total.items():
        print(f"{name}: {count}")
    return 1 if total[counted[-1]] else 0
