"""What parsing takes, and how that compares."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.measuring.equality import chunks_of
from respc.measuring.timing import in_rounds, own_copy, pour

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from respc.measuring.engines import Engine
    from respc.measuring.samples import Sample


@dataclass(frozen=True, slots=True)
class Ratio:
    """All samples, parsed in one way: medians of the rounds. What is of the interpreter is None where there is none."""

    compiled_seconds: float
    interpreter_seconds: float | None
    interpreter_over_compiled: float | None


@dataclass(frozen=True, slots=True)
class Figures:
    """All samples, streamed by chunks, and each at once."""

    streamed: Ratio
    whole_text: Ratio


def measure(
    compiled: Engine, interpreter: Engine | None, samples: Sequence[Sample], chunk_size: int, rounds: int
) -> Figures:
    """Time both parsers, or the compiled one alone, on samples that they can parse."""
    cut = [(sample, chunks_of(sample.text, chunk_size)) for sample in samples]
    return Figures(
        streamed=_ratio(compiled, interpreter, lambda engine: _streaming(engine, cut), rounds),
        whole_text=_ratio(compiled, interpreter, lambda engine: _parsing(engine, samples), rounds),
    )


def _ratio(
    compiled: Engine, interpreter: Engine | None, work: Callable[[Engine], Callable[[], object]], rounds: int
) -> Ratio:
    engines = [compiled] if interpreter is None else [compiled, interpreter]
    times = in_rounds({engine.name: work(engine) for engine in engines}, rounds)
    ours = times[compiled.name]
    if interpreter is None:
        return Ratio(statistics.median(ours), None, None)
    theirs = times[interpreter.name]
    # Each round compares what ran side by side; the median is of these.
    ratios = [one / other for one, other in zip(theirs, ours, strict=True)]
    return Ratio(statistics.median(ours), statistics.median(theirs), statistics.median(ratios))


def _streaming(engine: Engine, cut: Sequence[tuple[Sample, list[str]]]) -> Callable[[], object]:
    loop = own_copy(pour)

    def stream() -> None:
        for sample, chunks in cut:
            parser = engine.open(sample)
            loop(parser.feed, chunks)
            parser.finalize()

    return stream


def _parsing(engine: Engine, samples: Sequence[Sample]) -> Callable[[], object]:
    def parse() -> None:
        for sample in samples:
            engine.whole(sample)

    return parse
