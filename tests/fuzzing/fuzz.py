"""Fuzzes templates and texts for as long as asked.

    python tests/fuzzing/fuzz.py --minutes 10 --seed 1
    python tests/fuzzing/fuzz.py --minutes 10 --target texts

An exception that is not one of the documented errors ends the run: hypothesis makes the input small and prints it, and
the exit code is 1.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as with_seed

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.fuzzing import near_templates, streams, texts, try_stream, try_template

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES_A_ROUND = 500
counts: Counter[str] = Counter()


def templates_target(template: Any, text: str) -> None:
    counts[f"templates: {try_template(template, text)}"] += 1


def texts_target(stream: Any) -> None:
    counts[f"texts: {try_stream(stream)}"] += 1


TARGETS: dict[str, tuple[Callable[..., None], tuple[Any, ...]]] = {
    "templates": (templates_target, (near_templates(), texts(("<a>", "</a>", "<|b|>")))),
    "texts": (texts_target, (streams(),)),
}


def fuzzed(name: str, examples: int) -> Any:
    """Return a target as hypothesis runs it."""
    target, strategies = TARGETS[name]
    return settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        print_blob=True,
    )(given(*strategies)(target))


def run_rounds(names: list[str], seconds: float, seed: int) -> int:
    """Run rounds of examples, each with a seed of its own."""
    until = time.monotonic() + seconds
    number = seed * 100_000
    while time.monotonic() < until:
        for name in names:
            number += 1
            # The target is wrapped anew: hypothesis keeps what it knows of one.
            wrapped = fuzzed(name, EXAMPLES_A_ROUND if name == "texts" else EXAMPLES_A_ROUND // 5)
            try:
                with_seed(number)(wrapped)()
            except BaseException as crash:
                if isinstance(crash, KeyboardInterrupt):
                    raise
                traceback.print_exc()
                print(f"{name}, seed {number}: {type(crash).__name__}: {crash}")
                return 1
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Fuzz templates and texts for a given time.")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", choices=[*TARGETS, "both"], default="both", help="what to fuzz")
    options = parser.parse_args()
    names = list(TARGETS) if options.target == "both" else [options.target]
    failed = run_rounds(names, options.minutes * 60, options.seed)
    for name, count in sorted(counts.items()):
        print(f"{name}: {count}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
