"""Walks the grammars of all families at random, in both engines, and has the parsers read back what comes of it.

    python tests/grammars/prove.py --walks 1000 --seconds 3600 --demand auto --demand "open, one"

Every text that an engine lets through has to come back as calls with valid arguments, and as nothing else that was not
asked for. `--release xgrammar==0.2.7` takes another release of an engine, as serving engines do. Prints each text that
does not come back so, with the number of its walk, then how many there were; exits with 1 if any did not.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.engine_wheels import wheels_folder
from support.grammar_demands import DEMANDS, Demand, walks
from support.grammar_engines import RELEASES, EngineError, grammar_engines
from support.grammar_families import formats, marks_of
from support.grammar_walks import EndlessWalkError

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine

TOKENS = ("bytes", "marks", "trained")
MOST_SHOWN = 3


class Proof:
    """The walks so far.

    Args:
        options: those of the command.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._numbers = range(options.seed, options.seed + options.walks)
        self._until = time.monotonic() + options.seconds
        self.walks: Counter[tuple[str, str, str]] = Counter()
        self.families: Counter[tuple[str, str, str]] = Counter()
        self.faults: Counter[tuple[str, str, str]] = Counter()

    @property
    def is_over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self._until

    def add(self, engine: Engine, family: Family, demand: Demand, tokens: str) -> None:
        """Walk one grammar."""
        row = demand.name, tokens, engine.name
        self.families[row] += 1
        shown = 0
        number = self._numbers.start
        texts = walks(engine, family, demand, self._numbers, tokens=tokens)
        for number in self._numbers:
            if self.is_over:
                break
            try:
                text = next(texts)
                faults = [*demand.faults(family, text)]
            except (EndlessWalkError, EngineError) as ended:
                text, faults = "", [str(ended)[:200]]
                texts = walks(engine, family, demand, range(number + 1, self._numbers.stop), tokens=tokens)
            self.walks[row] += 1
            self.faults[row] += bool(faults)
            if faults and shown < MOST_SHOWN:
                shown += 1
                print(f"{family.name}, {', '.join(row)}, walk {number}: {faults}\n    {text!r}", flush=True)

    def report(self) -> int:
        """Print the counts, and return 1 if a text was wrong."""
        print(f"{'asked for':<16}{'tokens':<10}{'engine':<14}{'families':>9}{'walks':>9}{'wrong':>7}")
        for row, count in self.walks.items():
            demand, tokens, engine = row
            print(
                f"{demand:<16}{tokens:<10}{engine:<14}{self.families[row]:>9}{count:>9}{self.faults[row]:>7}"
            )
        total, wrong = sum(self.walks.values()), sum(self.faults.values())
        print(f"{total} walks, {wrong} wrong" + (", ended by the time" if self.is_over else ""))
        return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Walk the grammars of all families at random.")
    parser.add_argument("--walks", type=int, default=1000, help="of each grammar in each engine")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="end after so long")
    parser.add_argument("--seed", type=int, default=0, help="the number of the first walk")
    parser.add_argument("--demand", action="append", choices=[each.name for each in DEMANDS])
    parser.add_argument("--tokens", action="append", choices=TOKENS)
    parser.add_argument("--engine", action="append", choices=["xgrammar", "llguidance"])
    parser.add_argument("--family", action="append", choices=[family.name for family in formats()])
    parser.add_argument("--wheels", type=Path, default=Path(tempfile.gettempdir()) / "respc-engine-wheels")
    parser.add_argument("--release", action="append", default=[], help="of an engine, as xgrammar==0.2.7")
    options = parser.parse_args()
    asked = {each.partition("==")[0]: each for each in options.release}
    releases = [asked.get(each.partition("==")[0], each) for each in RELEASES]
    engines = grammar_engines(wheels_folder(options.wheels), releases)
    proof = Proof(options)
    for tokens in options.tokens or TOKENS:
        for demand in (each for each in DEMANDS if each.name in (options.demand or [each.name])):
            for family in (each for each in formats() if each.name in (options.family or [each.name])):
                if not demand.is_of(family) or (tokens == "marks" and not marks_of(family)):
                    continue
                for engine in (each for each in engines if each.name in (options.engine or [each.name])):
                    if not proof.is_over:
                        proof.add(engine, family, demand, tokens)
    return proof.report()


if __name__ == "__main__":
    sys.exit(main())
