"""``python -m benchmarks``: compares, measures, and prints tables."""

from __future__ import annotations

import argparse
import gc
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks import report
from benchmarks.equality import UnequalError
from benchmarks.families import FAMILIES
from benchmarks.figures import Figures, describe_environment
from benchmarks.goals import verdicts
from benchmarks.growth import growth, hostile
from benchmarks.memory import memory
from benchmarks.modules import BuilderError, builder_of, modules
from benchmarks.near_miss import near_miss
from benchmarks.openai_form import openai_form, openai_form_memory
from benchmarks.peer import PeerMissingError, peer
from benchmarks.plot import PlotMissingError, draw
from benchmarks.prose import prose
from benchmarks.ready_made import ready_made
from benchmarks.serving import serving
from benchmarks.settings import Settings
from benchmarks.shape_growth import shapes
from benchmarks.start_up import commands, compiling, imports
from benchmarks.streaming import steadiness, streamed
from benchmarks.whole_text import batches, whole_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SECTIONS: dict[str, Callable[[Settings], Iterator[Any]]] = {
    "streamed": streamed,
    "steadiness": steadiness,
    "near_miss": near_miss,
    "prose": prose,
    "modules": modules,
    "whole_text": whole_text,
    "batches": batches,
    "serving": serving,
    "openai_form": openai_form,
    "growth": growth,
    "hostile": hostile,
    "shapes": shapes,
    "memory": memory,
    "openai_form_memory": openai_form_memory,
    "imports": imports,
    "compiling": compiling,
    "commands": commands,
    "peer": peer,
}
_QUICK_ROUNDS = 3

_DESCRIPTION = """
Run compiled parsers beside the interpreter of transformers and beside floors, in one process and by turns. Nothing is
timed before both gave the same events and the same message. Figures are medians of the rounds' ratios; times are only
for scale.
"""
_SECTION_HELP = f"only this section; may be repeated: {', '.join(SECTIONS)}"
_ROUNDS_HELP = f"rounds of short work (default {Settings().rounds}; {_QUICK_ROUNDS} with --quick)"

_BUILD_HELP = "for the section modules: a callable that takes a family and gives a module of its template"


def arguments() -> argparse.ArgumentParser:
    """Describe the options."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=_DESCRIPTION)
    add = parser.add_argument
    families = [family.name for family in FAMILIES]
    add("--quick", action="store_true", help="short texts and few rounds: a look, no result")
    add("--rounds", type=_positive, help=_ROUNDS_HELP)
    add("--family", action="append", choices=families, help="only this family; may be repeated")
    add(
        "--parser",
        action="append",
        choices=[parser.name for parser in ready_made()],
        metavar="NAME",
        help="of the ready-made parsers only this one; may be repeated",
    )
    add("--build", metavar="PACKAGE.MODULE:NAME", help=_BUILD_HELP)
    add("--only", action="append", choices=list(SECTIONS), metavar="SECTION", help=_SECTION_HELP)
    add("--json", type=Path, metavar="FILE", help="write all figures")
    add("--svg", type=Path, metavar="FILE", help="draw the section growth; needs matplotlib")
    add("--from-json", type=Path, metavar="FILE", help="measure nothing: print, and draw, earlier figures")
    return parser


def main(options: list[str] | None = None) -> int:
    """Measure what is asked for; the exit code is 1 where a parser differs, or a plot cannot be drawn."""
    asked = arguments().parse_args(options)
    try:
        if asked.from_json:
            figures = Figures.from_json(asked.from_json.read_text(encoding="utf-8"))
            _print_all(figures)
        else:
            figures = _measure(asked)
        judged = verdicts(figures)
        print(report.goals(judged))
        print(report.environment(figures))
        if asked.json:
            asked.json.write_text(figures.to_json([one.as_json() for one in judged]), encoding="utf-8")
        if asked.svg:
            draw(figures.growth, asked.svg)
    except (BuilderError, UnequalError, PlotMissingError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _measure(asked: argparse.Namespace) -> Figures:
    settings = Settings(
        families=tuple(family for family in FAMILIES if not asked.family or family.name in asked.family),
        parsers=tuple(asked.parser or ()),
        builder=builder_of(asked.build) if asked.build else None,
        rounds=asked.rounds or (_QUICK_ROUNDS if asked.quick else Settings().rounds),
        quick=asked.quick,
    )
    figures = Figures(environment=describe_environment())
    # What was imported stays: without this, each collection before a measurement would walk all of transformers.
    gc.collect()
    gc.freeze()
    try:
        for name in SECTIONS:
            if not asked.only or name in asked.only:
                _measure_section(name, settings, figures)
    finally:
        gc.unfreeze()
    return figures


def _measure_section(name: str, settings: Settings, figures: Figures) -> None:
    start = time.perf_counter()
    rows = getattr(figures, name)
    try:
        rows.extend(SECTIONS[name](settings))
    except PeerMissingError as error:
        print(f"No rows of section {name}: {error}.\n", flush=True)
    else:
        print(report.section(name, rows), flush=True)
    print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr)


def _print_all(figures: Figures) -> None:
    for name in SECTIONS:
        if rows := getattr(figures, name):
            print(report.section(name, rows))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
