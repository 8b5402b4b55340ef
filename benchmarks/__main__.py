"""``python -m benchmarks``: prints a table of ratios and, with ``--json FILE``, writes the figures.

The interpreter and the compiled parser run in turn in one process, after their events were found equal. A row gives the
median of the rounds: interpreter over compiled, compiled over the floor (a function that appends a chunk to a list and
gives its event as a dict display), and the same for one call with the whole text.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from transformers.utils.chat_parsing import ResponseParser as Interpreter
from transformers.utils.chat_parsing import parse_response as interpret

import respc
from benchmarks.families import FAMILIES, Family

if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = (100, 1_000, 10_000)
ROUNDS = 7


def stream(parser: Any, chunks: list[str]) -> None:
    """Feed all chunks and finish."""
    feed = parser.feed
    for chunk in chunks:
        feed(chunk)
    parser.finalize()


def floor(chunks: list[str]) -> None:
    """Do the least that a parser could: keep each chunk and give its event."""
    parts: list[str] = []

    def feed(text: str) -> list[dict[str, Any]]:
        parts.append(text)
        return [{"type": "region_chunk", "field": "content", "text": text, "dirty": False}]

    for chunk in chunks:
        feed(chunk)


def seconds(work: Callable[[], object]) -> float:
    """Time one call, without the garbage collector in it."""
    gc.collect()
    gc.disable()
    start = time.perf_counter()
    work()
    taken = time.perf_counter() - start
    gc.enable()
    return taken


def require_equal(family: Family, module: Any, chunks: list[str]) -> None:
    """Refuse to time a parser that gives anything else than the interpreter."""
    one, two = Interpreter(family.template, prefix=""), module.ResponseParser("")
    text = "".join(chunks)
    same = (
        [one.feed(chunk) for chunk in chunks] == [two.feed(chunk) for chunk in chunks]
        and one.finalize() == two.finalize()
        and interpret(text, family.template, prefix="") == module.parse_response(text, prefix="")
    )
    if not same:
        raise SystemExit(f"{family.name}: the compiled parser differs from the interpreter")


def measure(family: Family, tokens: int, rounds: int) -> dict[str, Any]:
    """Measure one family at one length."""
    module = respc.load(family.template)
    chunks = family.generation(tokens)
    text = "".join(chunks)
    require_equal(family, module, chunks)
    streamed: list[float] = []
    over_floor: list[float] = []
    whole: list[float] = []
    for _ in range(rounds):
        interpreter = seconds(lambda: stream(Interpreter(family.template, prefix=""), chunks))
        compiled = seconds(lambda: stream(module.ResponseParser(""), chunks))
        streamed.append(interpreter / compiled)
        over_floor.append(compiled / seconds(lambda: floor(chunks)))
        whole.append(
            seconds(lambda: interpret(text, family.template, prefix=""))
            / seconds(lambda: module.parse_response(text, prefix=""))
        )
    return {
        "family": family.name,
        "tokens": tokens,
        "interpreter / compiled, streamed": statistics.median(streamed),
        "compiled / floor, streamed": statistics.median(over_floor),
        "interpreter / compiled, whole text": statistics.median(whole),
    }


def main() -> None:
    """Measure every family at every length."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    rows = [measure(family, tokens, arguments.rounds) for family in FAMILIES for tokens in SIZES]
    columns = list(rows[0])
    print("| " + " | ".join(columns) + " |")
    print("|" + " --- |" * len(columns))
    for row in rows:
        print(
            "| "
            + " | ".join(f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in row.values())
            + " |"
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
