"""What a stream costs: beside the interpreter, beside the floor, and at its end beside its beginning."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.engines import compiled, interpreter, require_same_stream, stream_floor
from benchmarks.generations import answering, repeating
from benchmarks.timing import ratio
from respc.measuring.timing import clock, in_rounds, own_copy, pour, without_collector

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.engines import Engine
    from benchmarks.families import Family
    from benchmarks.generations import Generation
    from benchmarks.settings import Settings

SHORT = 100
LENGTHS = (SHORT, 1_000, 10_000)
"""The shortest is half a call; it is measured without one too."""
DENSE_LENGTHS = (1_000, 10_000)
VERY_LONG = 100_000
"""The interpreter, quadratic, streams this once; its figure comes from the run that compares the events."""
_ROUNDS_OF_VERY_LONG = 3
_TENTHS = 10


@dataclass(frozen=True, slots=True)
class StreamedRow:
    """One generation, streamed: from a new parser to the message."""

    family: str
    text: str
    tokens: int
    share_with_mark: float
    compiled_nanoseconds: float
    interpreter_over_compiled: float
    compiled_over_floor: float


@dataclass(frozen=True, slots=True)
class SteadinessRow:
    """The last tenth of a stream over its first; the tenths are the same chunks."""

    family: str
    tokens: int
    compiled_last_over_first: float
    interpreter_last_over_first: float | None


def streamed(settings: Settings) -> Iterator[StreamedRow]:
    """Stream generations of each family."""
    for family in settings.families:
        short = answering(family, SHORT, with_calls=False)
        yield _measured(family, "without a call", SHORT, short, settings)
        for tokens in LENGTHS[: 2 if settings.quick else None]:
            yield _measured(family, "ordinary", tokens, answering(family, tokens), settings)
        for tokens in DENSE_LENGTHS[: 1 if settings.quick else None]:
            yield _measured(family, "dense", tokens, answering(family, tokens, "dense"), settings)
        if not settings.quick:
            yield _very_long(family)


def _measured(
    family: Family, text: str, tokens: int, generation: Generation, settings: Settings
) -> StreamedRow:
    chunks = generation.chunks
    require_same_stream(family, chunks)
    times = in_rounds(
        {
            "interpreter": lambda: interpreter(family).stream(chunks),
            "compiled": lambda: compiled(family).stream(chunks),
            "floor": lambda: stream_floor(chunks),
        },
        settings.rounds_for(tokens),
    )
    return StreamedRow(
        family=family.name,
        text=text,
        tokens=tokens,
        share_with_mark=generation.share_with_mark,
        compiled_nanoseconds=statistics.median(times["compiled"]) / len(chunks) * 1e9,
        interpreter_over_compiled=ratio(times, "interpreter", "compiled"),
        compiled_over_floor=ratio(times, "compiled", "floor"),
    )


def _very_long(family: Family) -> StreamedRow:
    generation = answering(family, VERY_LONG)
    chunks = generation.chunks
    interpreted = require_same_stream(family, chunks)
    times = in_rounds(
        {"compiled": lambda: compiled(family).stream(chunks), "floor": lambda: stream_floor(chunks)},
        _ROUNDS_OF_VERY_LONG,
    )
    median = statistics.median(times["compiled"])
    return StreamedRow(
        family=family.name,
        text="ordinary",
        tokens=VERY_LONG,
        share_with_mark=generation.share_with_mark,
        compiled_nanoseconds=median / len(chunks) * 1e9,
        interpreter_over_compiled=interpreted / median,
        compiled_over_floor=ratio(times, "compiled", "floor"),
    )


def steadiness(settings: Settings) -> Iterator[SteadinessRow]:
    """Compare the ends of long streams."""
    lengths = (10_000,) if settings.quick else (10_000, VERY_LONG)
    for family in settings.families:
        for tokens in lengths:
            tenths = repeating(family, tokens, _TENTHS)
            rounds = settings.rounds_for(tokens)
            slowly = tokens < VERY_LONG
            if slowly:
                require_same_stream(family, [chunk for tenth in tenths for chunk in tenth])
            yield SteadinessRow(
                family=family.name,
                tokens=tokens,
                compiled_last_over_first=_last_over_first(compiled(family), family, tenths, rounds),
                interpreter_last_over_first=(
                    _last_over_first(interpreter(family), family, tenths, min(rounds, 3)) if slowly else None
                ),
            )


def _last_over_first(engine: Engine, family: Family, tenths: list[list[str]], rounds: int) -> float:
    ratios = []
    loop = own_copy(pour)
    for _ in range(rounds):
        feed = engine.open(family.prompt).feed
        marks = []
        with without_collector():
            # The first tenth shall not pay for what has gone cold.
            for tenth in tenths[:2]:
                loop(engine.open(family.prompt).feed, tenth)
            for tenth in tenths:
                loop(feed, tenth)
                marks.append(clock())
        # The first entry opens the answer, and is no tenth.
        first, last = marks[1] - marks[0], marks[-1] - marks[-2]
        ratios.append(last / first)
    return statistics.median(ratios)
