"""Runs generated and changed templates, compiled to be stable, under every cut of random texts for as long as asked.

    python tests/stable/soak.py --minutes 10 --seed 1
    python tests/stable/soak.py --replay '{"template": …, "prefix": "", "text": "ab", "tools": null}'

Prints each run that comes to something else than the interpreter given the whole text at once as a line of JSON, made
small, then the counts; exits with 1 if there was any.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.choosing import RandomChooser
from support.mutating import mutated_example
from support.oracle import Refusal, TooSlowError, compile_or_refuse
from support.recutting import Instability, described, first_instability, recut
from support.shrinking import shrink
from support.soaking import Job, soak
from support.stability import stable_module
from support.strategies import Generation, random_example

MOST_REPORTS = 10


def instability(case: dict[str, Any]) -> Instability | None:
    """Return how a case depends on its cuts; a crash of the compiler or of a parser counts as well."""
    template, prefix, tools = case["template"], case["prefix"], case["tools"]
    text = case["text"] if "text" in case else "".join(case["chunks"])
    try:
        if isinstance(compile_or_refuse(template), Refusal) or stable_module(template) is None:
            return None
        runs = recut(template, prefix, text, Random(case.get("seed", 0)))
        return first_instability(template, prefix, text, tools, runs)
    except TooSlowError:
        return None
    except Exception as error:
        return Instability(f"crash {type(error).__name__}: {error}", "", prefix, [text])


class Worker:
    """One process of the soak: its counts, and what it found."""

    def __init__(self, seed: int, seconds: float, texts: int, shrink_seconds: float) -> None:
        self.random = Random(seed)
        self.until = time.monotonic() + seconds
        self.texts = texts
        self.shrink_seconds = shrink_seconds
        self.counts: Counter[str] = Counter()

    def run(self) -> Counter[str]:
        """Make templates until the time is over."""
        chooser = RandomChooser(self.random)
        while time.monotonic() < self.until:
            make = mutated_example if chooser.percent(40) else random_example
            example = make(chooser, self.texts)
            self.counts["templates"] += 1
            if isinstance(compile_or_refuse(example.template), Refusal):
                self.counts["refused templates"] += 1
                continue
            modules = [stable_module(example.template, events) for events in ("default", "serving")]
            if None in modules:
                self.counts["templates that cannot be stable"] += 1
                if modules != [None, None]:
                    self.report(
                        self.case(example.template, Generation("", "", None, 0)), "only one is stable"
                    )
                continue
            self.counts["stable templates"] += 1
            for generation in example.generations:
                if not self.check(example.template, generation):
                    break
        return self.counts

    def case(self, template: dict[str, Any], generation: Generation) -> dict[str, Any]:
        return {
            "template": template,
            "prefix": generation.prefix,
            "chunks": [generation.text],
            "tools": generation.tools,
            "passes": None,
            "seed": generation.seed,
        }

    def check(self, template: dict[str, Any], generation: Generation) -> bool:
        """Return whether all cuts of a generation come to the same."""
        self.counts["texts"] += 1
        case = self.case(template, generation)
        runs = list(recut(template, generation.prefix, generation.text, Random(generation.seed)))
        self.counts["runs"] += 2 * len(runs)
        found = instability(case)
        if found is not None:
            self.report(case, found.difference)
        return found is None

    def report(self, case: dict[str, Any], difference: str) -> None:
        """Print what was found, made small."""
        self.counts["unstable"] += 1
        if self.counts["unstable"] > MOST_REPORTS:
            return
        small = shrink(case, lambda other: instability(other) is not None, self.shrink_seconds)
        found = instability(small) or Instability(difference, "", case["prefix"], case["chunks"])
        print(
            described(small["template"], small["prefix"], "".join(small["chunks"]), small["tools"], found),
            flush=True,
        )


def work(job: Job) -> Counter[str]:
    return Worker(*job).run()


def replay(text: str) -> int:
    """Run one case again."""
    found = instability({"prefix": "", "tools": None, **json.loads(text)})
    print(found or "the same in every chunking")
    return 1 if found else 0


def main() -> int:
    return soak(
        "Cut random texts of stable templates for a given time.",
        work,
        replay,
        texts=5,
        counted=("templates", "texts", "runs", "unstable"),
    )


if __name__ == "__main__":
    sys.exit(main())
