"""``respc bench``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

import click

from respc.cli.exit_codes import REFUSED_OR_STALE
from respc.cli.terminal import Failure, count, print_exactly, print_findings, unreadable

if TYPE_CHECKING:
    from respc.ir import ParserIR
    from respc.measuring import Engine, Figures, Sample
    from respc.source import TemplateSource

_CHARACTERS_OF_A_TOKEN: Final = 4
_ROUNDS: Final = 7


@click.command("bench", short_help="Measure the compiled parser beside the interpreter.")
@click.argument("source")
@click.argument("samples", required=False)
@click.option(
    "--chunk-size",
    type=click.IntRange(min=1),
    default=_CHARACTERS_OF_A_TOKEN,
    show_default=True,
    help="The characters of a chunk.",
)
@click.option(
    "--rounds",
    type=click.IntRange(min=1),
    default=_ROUNDS,
    show_default=True,
    help="How often each is timed.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON.")
def bench_command(source: str, samples: str | None, chunk_size: int, rounds: int, as_json: bool) -> None:
    """Measure the compiled parser of SOURCE beside the interpreter, on your own outputs.

    SAMPLES is a file with one output of the model, - for standard input, a folder of such files (.txt), or a .jsonl
    or .jsonl.gz file with objects that have the key text, and perhaps prefix and tools. Without it a text is made
    from the template. First both parsers have to give the same events and messages: where they differ, the first
    difference is printed and the exit code is 1. Without transformers only the compiled parser is measured; it has to
    be version 5.24.0. SOURCE is as for `respc compile`.
    """
    from respc.source import is_standard_input

    if samples is not None and is_standard_input(source) and is_standard_input(samples):
        raise click.UsageError("SOURCE is standard input: give SAMPLES as a file")
    template, ir, compiled = _compile(source)
    outputs = _samples(samples, ir, compiled)
    interpreter = _interpreter(template)
    may_hang = any(region.may_not_advance for region in ir.regions)
    outputs = _comparable(outputs, compiled, interpreter, chunk_size, may_hang=may_hang)

    from respc.measuring import measure

    figures = measure(compiled, interpreter, outputs, chunk_size, rounds)
    facts = {
        "samples": len(outputs),
        "characters": sum(len(sample.text) for sample in outputs),
        "chunk_size": chunk_size,
        "rounds": rounds,
        "same_as_interpreter": None if interpreter is None else True,
    }
    if as_json:
        import json

        print_exactly(json.dumps({**facts, **asdict(figures)}, indent=2) + "\n")
    else:
        print_exactly(_table(figures, facts))


def _compile(source: str) -> tuple[TemplateSource, ParserIR, Engine]:
    """Compile; leaves with the findings where the template is refused."""
    from respc.analysis import analyse
    from respc.cli.sources import read_source
    from respc.errors import TemplateError
    from respc.measuring import compiled_engine
    from respc.source import SourceFileError

    try:
        template = read_source(source)
        ir = analyse(template).ir
        compiled = compiled_engine(template)
    except SourceFileError as error:
        raise unreadable(error) from error
    except TemplateError as error:
        errors = [finding for finding in error.diagnostics if finding.severity.value == "error"]
        print_findings(errors, error.name, error.text)
        raise click.exceptions.Exit(REFUSED_OR_STALE) from error
    assert ir is not None, "what compiles is lowered"
    return template, ir, compiled


def _samples(path: str | None, ir: ParserIR, compiled: Engine) -> list[Sample]:
    from respc.diagnostics import quoted, visible
    from respc.measuring import SampleError, example_of, read_samples
    from respc.source import standard_input

    if path is None:
        example = example_of(ir, compiled)
        click.echo(f"no SAMPLES: measured on {example.sample.name}", err=True)
        if example.left_out:
            click.echo(f"  without a region of {', '.join(map(quoted, example.left_out))}", err=True)
        if not example.sample.text:
            raise Failure("no text could be made from the template: give SAMPLES")
        return [example.sample]
    try:
        return read_samples(path, standard_input() if path == "-" else None)
    except SampleError as error:
        raise Failure(visible(str(error))) from error


def _interpreter(template: TemplateSource) -> Engine | None:
    """Load the interpreter; says why where there is none to compare with."""
    import os

    from respc.diagnostics import visible
    from respc.measuring import INTERPRETER_VERSION, OtherInterpreterError, interpreter_engine

    # That there is no PyTorch is no news: the interpreter needs none.
    os.environ.setdefault("TRANSFORMERS_NO_ADVISORY_WARNINGS", "1")
    try:
        return interpreter_engine(template)
    except OtherInterpreterError as error:
        raise Failure(visible(str(error))) from error
    except ImportError as error:
        there = f"it comes with `pip install transformers=={INTERPRETER_VERSION}`"
        click.echo(f"not compared: the interpreter is not here ({error}); {there}", err=True)
        return None


def _comparable(
    samples: list[Sample],
    compiled: Engine,
    interpreter: Engine | None,
    chunk_size: int,
    *,
    may_hang: bool,
) -> list[Sample]:
    """Give the samples that can be timed; leaves with the first difference where the parsers are not the same."""
    from respc.diagnostics import visible
    from respc.measuring import compare
    from respc.measuring.equality import failure_of

    good: list[Sample] = []
    for sample in samples:
        failure = failure_of(compiled, sample, chunk_size)
        # Where regions can open and close for ever the compiled parser raises, and the interpreter never ends.
        if interpreter is not None and not (may_hang and failure):
            difference = compare(interpreter, compiled, sample, chunk_size)
            if difference is not None:
                click.echo(visible(f"{sample.name}: {difference}"), err=True)
                raise click.exceptions.Exit(REFUSED_OR_STALE)
        if failure is None:
            good.append(sample)
        else:
            click.echo(visible(f"{sample.name}: not timed, parsing it raises {failure}"), err=True)
    if not good:
        raise Failure("there is no sample that can be parsed to its end")
    return good


def _table(figures: Figures, facts: dict[str, Any]) -> str:
    from rich.box import ROUNDED
    from rich.table import Table

    from respc.cli.tables import table_text

    rows = {
        f"streamed by {count(facts['chunk_size'], 'character')}": figures.streamed,
        "whole text": figures.whole_text,
    }
    table = Table(box=ROUNDED)
    table.add_column("")
    compared = figures.streamed.interpreter_over_compiled is not None
    for heading in ("interpreter", "compiled", "interpreter / compiled") if compared else ("compiled",):
        table.add_column(heading, justify="right")
    for name, ratio in rows.items():
        cells = [_time(ratio.compiled_seconds)]
        if ratio.interpreter_seconds is not None and ratio.interpreter_over_compiled is not None:
            cells = [_time(ratio.interpreter_seconds), *cells, f"{ratio.interpreter_over_compiled:.1f}"]
        table.add_row(name, *cells)
    parts = [
        f"{count(facts['samples'], 'sample')}, {count(facts['characters'], 'character')}",
        f"medians of {count(facts['rounds'], 'round')}",
    ]
    if compared:
        parts.append("same events and messages")
    return f"{table_text(table)}{'; '.join(parts)}\n"


def _time(seconds: float) -> str:
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
