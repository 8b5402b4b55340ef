"""Runs rounds of many interleaved streams for as long as asked: each must equal itself alone, and memory stay flat.

    python tests/load/soak.py --minutes 10 --seed 1

Each round has new streams of all families: random chunks, cut-offs, malformed bodies, wrong tools, some abandoned. The
collector of cycles is off. Prints what differs, then the counts; exits with 1 if anything did or if memory grew.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import tracemalloc
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.load import Plans, alone, first_mixed, interleaved

WARM_UP = 2
"""Rounds after which every parser is compiled and every cache is full."""
SLACK = 512 * 1024
"""CPython's cache of attributes fills up with names that the modules `re` and `regex` make anew for each call."""


class Soak:
    """The rounds so far: what ran in them, and what is allocated after each."""

    def __init__(self, seed: int, streams: int) -> None:
        self.random = Random(seed)
        self.plans = Plans(self.random)
        self.streams = streams
        self.counts: Counter[str] = Counter(rounds=0, streams=0, mixed=0)
        self.used: list[int] = []

    def round(self) -> None:
        """Run one round."""
        plans = [self.plans.make() for _ in range(self.streams)]
        ran = [alone(plan) for plan in plans]
        mixed = first_mixed(plans, [stream.results for stream in ran], interleaved(plans, self.random))
        if mixed is not None:
            self.counts["mixed"] += 1
            print(mixed, flush=True)
        self.counts["rounds"] += 1
        self.counts["streams"] += len(plans)
        self.counts["chunks"] += sum(len(plan.chunks) for plan in plans)
        self.counts["characters"] += sum(len(chunk) for plan in plans for chunk in plan.chunks)
        self.counts["abandoned"] += sum(plan.calls is not None for plan in plans)
        self.counts["malformed regions"] += sum(stream.malformed for stream in ran)
        self.counts.update(f"raised {stream.raised}" for stream in ran if stream.raised)

    def run(self, seconds: float) -> None:
        """Run rounds until the time is over, and some at least."""
        until = time.monotonic() + seconds
        gc.collect()
        gc.disable()
        tracemalloc.start()
        while time.monotonic() < until or len(self.used) < WARM_UP + 2:
            self.round()
            self.used.append(tracemalloc.get_traced_memory()[0])

    @property
    def grown(self) -> int:
        """How many bytes more are allocated after the last round than after the first ones."""
        return self.used[-1] - self.used[WARM_UP]


def main() -> int:
    parser = argparse.ArgumentParser(description="Run interleaved streams of all families for a given time.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--streams", type=int, default=1000, help="streams at once")
    options = parser.parse_args()
    soak = Soak(options.seed, options.streams)
    soak.run(options.minutes * 60)
    for name, count in soak.counts.items():
        print(f"{name}: {count}")
    print(f"bytes after the first rounds: {soak.used[WARM_UP]}, after the last: {soak.used[-1]}")
    print(f"unreachable objects: {gc.collect()}")
    return 1 if soak.counts["mixed"] or soak.grown > SLACK else 0


if __name__ == "__main__":
    sys.exit(main())
