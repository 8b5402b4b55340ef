"""``python -m benchmarks.grammars``: what a grammar costs before the first token of a request with twenty tools.

It takes the milliseconds of processor time to make the grammar, for tools that are all new and for the same in another
order, and of each engine to compile it, for a vocabulary as large as those of models. The engines are xgrammar and
llguidance, out of a folder of wheels (`RESPC_ENGINE_WHEELS`, or one that is made for this).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import respc
from respc.families import families, family_template

if TYPE_CHECKING:
    from support.grammar_engines import Engine, Vocabulary

TOOLS: Final = 20
_ROUNDS: Final = 7
_FAMILIES: Final = ("qwen3", "qwen3_coder", "gpt_oss", "glm4_7", "deepseek_v3_1", "kimi_k2", "gemma4")


@dataclass(frozen=True, slots=True)
class Row:
    """What the grammar of a family costs.

    Attributes:
        family: which.
        form: in which form.
        characters: how long it is.
        first: milliseconds of the first grammar of the family.
        making: milliseconds to make one for tools that were not seen before.
        seen: milliseconds to make one for tools that were seen in others.
        compiling: milliseconds of the engine to compile it.
    """

    family: str
    form: str
    characters: int
    first: float
    making: float
    seen: float
    compiling: float


def tools(series: int, count: int = TOOLS) -> list[dict[str, Any]]:
    """Describe tools with parameters as those of real ones: no two have the same schema, in a series or in two."""
    return [_tool(f"{series}_{number}", number) for number in range(count)]


def _tool(label: str, number: int) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": {
            f"query_{label}": {"type": "string", "description": "What to look for."},
            f"limit_{label}": {"type": "integer", "minimum": 1, "maximum": 50 + number},
            f"order_{label}": {"type": "string", "enum": ["newest", "oldest", f"best_{label}"]},
            f"archived_{label}": {"type": "boolean"},
            f"filters_{label}": {
                "type": "object",
                "properties": {
                    f"tags_{label}": {"type": "array", "items": {"type": "string"}},
                    f"year_{label}": {"type": "integer"},
                    f"author_{label}": {"type": ["string", "null"]},
                },
                "required": [f"year_{label}"],
            },
        },
        "required": [f"query_{label}", f"limit_{label}"],
    }
    return {
        "type": "function",
        "function": {"name": f"search_{label}", "description": label, "parameters": parameters},
    }


@dataclass(frozen=True, slots=True)
class Measured:
    """A round: how long the grammar is, and the milliseconds for new tools, for the same again, and of the engine."""

    characters: int
    new: float
    seen: float
    compiling: float


def rows(family: str, engines: dict[str, Engine], vocabulary: Vocabulary) -> list[Row]:
    """Measure a family."""
    found: list[Row] = []
    for place, (form, engine) in enumerate(engines.items()):
        # What one form has seen is not new for the other.
        series = range(place * (_ROUNDS + 1), (place + 1) * (_ROUNDS + 1))
        made = [_measured(family, form, engine, vocabulary, number) for number in series]
        median = [
            statistics.median(getattr(each, what) for each in made[1:])
            for what in ("new", "seen", "compiling")
        ]
        found.append(Row(family, form, made[-1].characters, made[0].new, *median))
    return found


def _measured(family: str, form: str, engine: Engine, vocabulary: Vocabulary, series: int) -> Measured:
    template, given = family_template(family).template, tools(series)
    times = [time.process_time()]
    written = respc.grammar(template, given, format=form)
    times.append(time.process_time())
    respc.grammar(template, given[::-1], format=form)
    times.append(time.process_time())
    engine.compiled(written, vocabulary).matcher().allowed()
    times.append(time.process_time())
    return Measured(len(written), *(1000 * (end - start) for start, end in pairwise(times)))


def main(options: list[str] | None = None) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grammars", description=__doc__)
    parser.add_argument("--family", action="append", choices=[*families()], metavar="NAME")
    asked = parser.parse_args(options)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from support.engine_wheels import wheels_folder
    from support.grammar_engines import grammar_engines
    from support.grammar_vocabularies import LargeVocabulary

    with tempfile.TemporaryDirectory() as made:
        engines = {engine.name: engine for engine in grammar_engines(wheels_folder(Path(made)))}
        print("| family | form | characters | first, ms | all new, ms | seen, ms | compiling, ms |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        vocabulary = LargeVocabulary()
        for family in asked.family or _FAMILIES:
            for row in rows(family, engines, vocabulary):
                print(
                    f"| {row.family} | {row.form} | {row.characters:,} | {row.first:.0f} | {row.making:.1f} "
                    f"| {row.seen:.1f} | {row.compiling:.0f} |",
                    flush=True,
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
