"""``python -m benchmarks.grammars``: what a grammar costs before the first token of a request with twenty tools.

It takes the milliseconds of processor time to make the grammar, and of each engine to compile it. The engines are
xgrammar and llguidance, out of a folder of wheels (`RESPC_ENGINE_WHEELS`, or one that is made for this).
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from dataclasses import dataclass
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
        making: milliseconds to make it, for tools that were not seen before.
        compiling: milliseconds of the engine to compile it.
    """

    family: str
    form: str
    characters: int
    making: float
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


def rows(family: str, engines: dict[str, Engine], vocabulary: Vocabulary) -> list[Row]:
    """Measure a family."""
    template = family_template(family).template
    found: list[Row] = []
    for form, engine in engines.items():
        written = respc.grammar(template, tools(-1), format=form)
        making, compiling = [], []
        for series in range(_ROUNDS):
            given = tools(series)
            start = time.process_time()
            written = respc.grammar(template, given, format=form)
            made = time.process_time()
            engine.compiled(written, vocabulary).matcher().allowed()
            making.append(1000 * (made - start))
            compiling.append(1000 * (time.process_time() - made))
        found.append(Row(family, form, len(written), statistics.median(making), statistics.median(compiling)))
    return found


def main(options: list[str] | None = None) -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grammars", description=__doc__)
    parser.add_argument("--family", action="append", choices=[*families()], metavar="NAME")
    asked = parser.parse_args(options)
    sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
    from support.engine_wheels import wheels_folder
    from support.grammar_engines import grammar_engines
    from support.grammar_vocabularies import TrainedVocabulary

    with tempfile.TemporaryDirectory() as made:
        engines = {engine.name: engine for engine in grammar_engines(wheels_folder(Path(made)))}
        print("| family | form | characters | making, ms | compiling, ms |\n| --- | --- | --- | --- | --- |")
        for family in asked.family or _FAMILIES:
            for row in rows(family, engines, TrainedVocabulary()):
                print(
                    f"| {row.family} | {row.form} | {row.characters:,} | {row.making:.1f} | {row.compiling:.1f} |"
                )
    return 0


if __name__ == "__main__":
    sys.exit(main())
