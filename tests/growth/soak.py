"""Looks for templates whose parsers take time that grows faster than the text, though the compiler does not say so.

    python tests/growth/soak.py --minutes 10 --seed 1
    python tests/growth/soak.py --replay '{"template": …, "text": "<a over and over", "how": "whole"}'

Templates are generated ones, and real ones changed a little, with texts that are hard on each. Times are those of the
processor, and what looks slow is measured again. Prints each finding as a line of JSON, then the counts; exits with 1
if there was any.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import respc
from support.choosing import RandomChooser
from support.hostile_texts import hostile_texts
from support.mutating import mutated_example
from support.oracle import TooSlowError, watchdog
from support.soaking import Job, soak
from support.strategies import random_example

if TYPE_CHECKING:
    from collections.abc import Callable

SHORT: Final = 6_000
"""The length of a text; it is compared with one of four times that."""
MOST_GROWTH: Final = 8.0
SECONDS_TO_MIND: Final = 0.03
MOST_SECONDS: Final = 30.0
CHUNK: Final = 7


def whole(module: Any, text: str) -> None:
    module.parse_response(text, prefix="")


def streamed(module: Any, text: str) -> None:
    parser = module.ResponseParser("")
    for start in range(0, len(text), CHUNK):
        parser.feed(text[start : start + CHUNK])
    parser.finalize()


WAYS: Final[dict[str, Callable[[Any, str], None]]] = {"whole": whole, "streamed": streamed}


def seconds(module: Any, text: str, how: str) -> float:
    """Return what a parser takes, whether it reads the text or not."""
    start = time.process_time()
    try:
        WAYS[how](module, text)
    except TooSlowError:
        raise
    except Exception as error:
        del error  # that a text cannot be read is none of the questions here
    return time.process_time() - start


def growth(module: Any, make: Callable[[int], str], how: str) -> float:
    """Return how many times as long a parser takes for a text of four times the length, where that is worth minding."""
    try:
        with watchdog(MOST_SECONDS):
            if seconds(module, make(2 * SHORT), how) < SECONDS_TO_MIND:
                return 0.0
            # Clocks of processors may tick slowly.
            short = max(min(seconds(module, make(SHORT), how) for _ in range(3)), SECONDS_TO_MIND / 4)
            return min(seconds(module, make(4 * SHORT), how) for _ in range(2)) / short
    except TooSlowError:
        return float("inf")


def linear_by_its_word(template: dict[str, Any]) -> Any:
    """Return the module of a template; None where the compiler refuses it, or says that time can grow faster."""
    try:
        if any(found.code.slug == "slow-pattern" for found in respc.check_template(template)):
            return None
        return respc.load(template)
    except respc.TemplateError:
        return None


def work(job: Job) -> Counter[str]:
    seed, duration, _, _ = job
    counts: Counter[str] = Counter()
    until = time.monotonic() + duration
    chooser = RandomChooser(Random(seed))
    while time.monotonic() < until:
        make_example = mutated_example if chooser.percent(60) else random_example
        template = make_example(chooser, 1).template
        counts["templates"] += 1
        if (module := linear_by_its_word(template)) is None:
            counts["called slow or refused"] += 1
            continue
        for what, make in hostile_texts(template).items():
            for how in WAYS:
                counts["texts"] += 1
                grown = growth(module, make, how)
                if grown > MOST_GROWTH:
                    counts["growing"] += 1
                    print(
                        json.dumps(
                            {"growth": round(grown, 1), "how": how, "text": what, "template": template}
                        ),
                        flush=True,
                    )
    return counts


def replay(text: str) -> int:
    """Measure one finding again."""
    case = json.loads(text)
    grown = growth(respc.load(case["template"]), hostile_texts(case["template"])[case["text"]], case["how"])
    print(f"{grown:.1f} times as long for four times as much")
    return 1 if grown > MOST_GROWTH else 0


def main() -> int:
    return soak(
        "Look for parsers whose time grows faster than their texts.",
        work,
        replay,
        texts=0,
        counted=("templates", "texts", "growing"),
    )


if __name__ == "__main__":
    sys.exit(main())
