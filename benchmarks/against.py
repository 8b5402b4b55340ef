"""``python -m benchmarks.against CHECKOUT``: the parsers of this checkout beside those of another, say an older one.

Each side is a process of its own with the parsers of its checkout, so that neither sees the other's modules. They are
told what to do through pipes, and do it by turns, so that a ratio compares what ran one after the other; while one
works, the other waits. Nothing is timed before both gave the same messages. Ratios are medians of the rounds', in CPU
time.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from benchmarks import report, side
from benchmarks.against_jobs import WHOLE, jobs
from benchmarks.equality import UnequalError, require_same
from benchmarks.families import FAMILIES
from benchmarks.ready_made import ready_made
from benchmarks.settings import Settings
from respc.measuring import timing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from benchmarks.against_jobs import Job

HERE = Path(__file__).resolve().parents[1]
_LEAST_SECONDS = 0.004
"""Shorter work is repeated until one figure covers about as much."""
_QUICK_ROUNDS = 3
_NONE = "none"
_MEANING = (
    "What this checkout takes over what the other takes, for the same texts: below 1 it is faster. Where events are "
    "not the same, the messages are."
)


class SideError(Exception):
    """A side that could not do what it was told, for the reason given."""


class Process:
    """A side in its process."""

    def __init__(self, checkout: Path) -> None:
        self._checkout = checkout
        # A checkout is read and nothing else; and the order of sets shall not make a difference.
        settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self._process = subprocess.Popen(
            [sys.executable, "-B", str(side.__file__), str(checkout), str(timing.__file__)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**settings, "PYTHONHASHSEED": "0"},
        )

    def __enter__(self) -> Process:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer.

        Raises:
            SideError: there is none, or the side says why it could not.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "its process ended"}
        if "error" in answer:
            raise SideError(f"{self._checkout}: {answer['error']}")
        return answer

    def seconds(self, repeats: int = 1) -> float:
        """Time the job that was prepared last."""
        return cast("float", self.ask({"time": repeats})["seconds"])


@dataclass(frozen=True, slots=True)
class AgainstRow:
    """A text through both sides."""

    how: str
    parser: str
    text: str
    tokens: int
    same_events: bool
    new_microseconds: float
    new_over_old: float


def compare(new: Process, old: Process, settings: Settings) -> Iterator[AgainstRow]:
    """Compare and time both sides over every job."""
    for job in jobs(settings):
        yield _row(new, old, job, settings.rounds)


def _row(new: Process, old: Process, job: Job, rounds: int) -> AgainstRow:
    expected, actual = old.ask(job.as_request()), new.ask(job.as_request())
    require_same(expected["messages"], actual["messages"], f"{job.parser}, {job.text}, {job.how}: messages")
    repeats = {each: max(1, round(_LEAST_SECONDS / each.seconds())) for each in (new, old)}
    taken: dict[Process, list[float]] = {new: [], old: []}
    for number in range(rounds):
        for each in (new, old) if number % 2 else (old, new):
            taken[each].append(each.seconds(repeats[each]))
    return AgainstRow(
        how=job.how,
        parser=job.parser,
        text=job.text,
        tokens=job.tokens,
        same_events=expected["events"] == actual["events"],
        new_microseconds=statistics.median(taken[new]) * 1e6,
        new_over_old=statistics.median(a / b for a, b in zip(taken[new], taken[old], strict=True)),
    )


def summary(rows: Iterable[AgainstRow]) -> list[str]:
    """Say what the rows come to: the mean over whole texts, and the worst of the streams."""
    rows = list(rows)
    whole = [row.new_over_old for row in rows if row.how == WHOLE]
    streams = [row for row in rows if row.how == side.STREAMED]
    lines = []
    if whole:
        mean = statistics.geometric_mean(whole)
        lines.append(
            f"whole texts: {mean:.3f} is the geometric mean of {len(whole)} rows; worst {max(whole):.2f}"
        )
    if streams:
        worst = max(streams, key=lambda row: row.new_over_old)
        mean = statistics.geometric_mean(row.new_over_old for row in streams)
        lines.append(
            f"streams: {worst.new_over_old:.2f} is the worst of {len(streams)} rows ({worst.parser}, {worst.text}, "
            f"{worst.tokens} tokens); geometric mean {mean:.3f}"
        )
    different = [row for row in streams if not row.same_events]
    if different:
        lines.append(f"events: not the same in {len(different)} of {len(streams)} streams")
    return lines


def arguments() -> argparse.ArgumentParser:
    """Describe the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.against", description=__doc__)
    add = parser.add_argument
    add(
        "checkout",
        type=Path,
        metavar="CHECKOUT",
        help="the folder of the other checkout; nothing is written to it",
    )
    add("--quick", action="store_true", help="short texts and few rounds: a look, no result")
    add("--rounds", type=int, help=f"rounds (default {Settings().rounds}; {_QUICK_ROUNDS} with --quick)")
    _add_names(parser, "--family", "of the measured families", [family.name for family in FAMILIES])
    _add_names(parser, "--parser", "of the ready-made parsers", [each.name for each in ready_made()])
    add("--json", type=Path, metavar="FILE", help="write the rows")
    return parser


def _add_names(parser: argparse.ArgumentParser, option: str, whose: str, names: list[str]) -> None:
    help_ = f"{whose} only this one, or {_NONE} at all; may be repeated"
    parser.add_argument(option, action="append", metavar="NAME", choices=[_NONE, *names], help=help_)


def main(options: Sequence[str] | None = None) -> int:
    """Compare, and print; the exit code is 1 where the sides differ or one cannot work."""
    asked = arguments().parse_args(options)
    settings = Settings(
        families=tuple(family for family in FAMILIES if not asked.family or family.name in asked.family),
        parsers=tuple(asked.parser or ()),
        rounds=asked.rounds or (_QUICK_ROUNDS if asked.quick else Settings().rounds),
        quick=asked.quick,
    )
    try:
        with ExitStack() as stack:
            new, old = (stack.enter_context(Process(each.resolve())) for each in (HERE, asked.checkout))
            rows = list(compare(new, old, settings))
    except (SideError, UnequalError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(report.table("This checkout over the other", _MEANING, _COLUMNS, rows))
    print("\n".join(summary(rows)))
    if asked.json:
        asked.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n", encoding="utf-8")
    return 0


_COLUMNS = {
    "how": lambda row: row.how,
    "parser": lambda row: row.parser,
    "text": lambda row: row.text,
    "tokens": lambda row: f"{row.tokens:,}",
    "µs": lambda row: f"{row.new_microseconds:,.0f}",
    "new / old": lambda row: f"{row.new_over_old:.2f}",
    "events": lambda row: "same" if row.same_events else "not the same",
}


if __name__ == "__main__":
    sys.exit(main())
