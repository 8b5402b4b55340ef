"""Runs generated templates, and real ones changed a little, against the interpreter for as long as asked.

    python tests/differential/soak.py --minutes 10 --seed 1
    python tests/differential/soak.py --replay '{"template": …, "prefix": "", "chunks": ["a"], "tools": null}'

Prints each disagreement as one line of JSON, made small, then the counts; exits with 1 if there was any.
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

from support.checking import case_difference, describe, refusal_difference
from support.choosing import RandomChooser
from support.mutating import mutated_example
from support.oracle import (
    NEVER_ENDS,
    Refusal,
    TooSlowError,
    compile_or_refuse,
    difference_between,
    interpret,
    run_compiled,
)
from support.shrinking import shrink
from support.soaking import Job, soak
from support.strategies import Generation, random_example

PASSES: tuple[tuple[str, ...] | None, ...] = (None, ())
MOST_REPORTS = 15


def same_kind(difference: str | None) -> str | None:
    """Return the part of a difference that names its kind, so that shrinking keeps to one disagreement."""
    return difference.split(":")[0].split("[")[0] if difference else None


def difference_or_crash(case: dict[str, Any]) -> str | None:
    """Return how a case differs; a crash of the compiler is a difference as well."""
    try:
        return case_difference(case)
    except TooSlowError:
        return None
    except Exception as error:
        return f"crash {type(error).__name__}: {error}"


class Worker:
    """One process of the soak: its counts, and the disagreements that it printed."""

    def __init__(self, seed: int, seconds: float, texts: int, shrink_seconds: float) -> None:
        self.random = Random(seed)
        self.until = time.monotonic() + seconds
        self.texts = texts
        self.shrink_seconds = shrink_seconds
        self.counts: Counter[str] = Counter()

    def report(self, case: dict[str, Any], difference: str) -> None:
        """Print one disagreement, made small."""
        self.counts["disagreements"] += 1
        if self.counts["disagreements"] > MOST_REPORTS:
            return
        kind = same_kind(difference)
        small = shrink(case, lambda other: same_kind(difference_or_crash(other)) == kind, self.shrink_seconds)
        why = difference_or_crash(small) or difference
        print(json.dumps({"difference": why, **small}), flush=True)

    def run(self) -> Counter[str]:
        """Make templates until the time is over."""
        chooser = RandomChooser(self.random)
        while time.monotonic() < self.until:
            make = mutated_example if chooser.percent(40) else random_example
            example = make(chooser, self.texts)
            self.counts["templates"] += 1
            self.check_template(example.template, example.generations)
        return self.counts

    def check_template(self, template: dict[str, Any], generations: list[Generation]) -> None:
        modules = {}
        texts = [generation.prefix + generation.text for generation in generations]
        for passes in PASSES:
            case = json.loads(describe(template, "", [""], None, passes))
            try:
                result = compile_or_refuse(template, passes)
                difference = refusal_difference(template, result, texts)
            except Exception as error:
                self.report(case, f"crash {type(error).__name__}: {error}")
                return
            if difference is not None:
                self.report({**case, "chunks": texts}, difference)
                return
            if isinstance(result, Refusal):
                self.counts["refused templates"] += 1
                return
            modules[passes] = result
        for generation in generations:
            self.counts["texts"] += 1
            if self.check_generation(template, modules, generation):
                return

    def check_generation(
        self, template: dict[str, Any], modules: dict[Any, Any], generation: Generation
    ) -> bool:
        """Return whether a disagreement was found; one a template is enough."""
        for _, chunks in generation.chunkings(4):
            self.counts["chunkings"] += 1
            try:
                expected = interpret(template, generation.prefix, chunks, generation.tools)
            except TooSlowError:
                self.counts["abandoned"] += 1
                return False
            self.counts[f"ends with {expected.error}"] += 1
            if expected.error == NEVER_ENDS:
                self.counts["never ends"] += 1
            for passes, module in modules.items():
                try:
                    actual = run_compiled(module, generation.prefix, chunks, generation.tools)
                    difference = difference_between(expected, actual)
                except AssertionError as error:
                    difference = str(error)
                if difference is not None:
                    case = describe(template, generation.prefix, chunks, generation.tools, passes)
                    self.report(json.loads(case), difference)
                    return True
        return False


def work(job: Job) -> Counter[str]:
    return Worker(*job).run()


def replay(text: str) -> int:
    """Run one case and print both traces."""
    case = {"prefix": "", "tools": None, "passes": None, **json.loads(text)}
    difference = difference_or_crash(case)
    print(difference or "the same")
    module = compile_or_refuse(
        case["template"], case["passes"] if case["passes"] is None else tuple(case["passes"])
    )
    print("interpreter:", interpret(case["template"], case["prefix"], case["chunks"], case["tools"]))
    if isinstance(module, Refusal):
        print("compiled:   ", module)
    else:
        print("compiled:   ", run_compiled(module, case["prefix"], case["chunks"], case["tools"]))
    return 1 if difference else 0


def main() -> int:
    return soak(
        "Compare compiled templates with the interpreter for a given time.",
        work,
        replay,
        texts=10,
        counted=("templates", "texts", "chunkings", "disagreements"),
    )


if __name__ == "__main__":
    sys.exit(main())
