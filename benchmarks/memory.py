"""What an open stream keeps: the memory that Python allocated for it and did not give back."""

from __future__ import annotations

import gc
import tracemalloc
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from benchmarks.engines import compiled, interpreter
from benchmarks.generations import unfinished

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.engines import Engine
    from benchmarks.generations import Generation
    from benchmarks.settings import Settings

LENGTHS = (1_000, 10_000)


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One stream whose answer is open, none of its events kept by the caller.

    Attributes:
        interpreter_held: bytes that the parser holds.
        interpreter_peak: the most that was allocated at any time.
    """

    family: str
    tokens: int
    interpreter_held: int
    compiled_held: int
    interpreter_peak: int
    compiled_peak: int

    @property
    def held_ratio(self) -> float:
        """Give what the compiled parser holds over what the interpreter holds."""
        return self.compiled_held / self.interpreter_held

    @property
    def peak_ratio(self) -> float:
        """Give the compiled parser's peak over the interpreter's."""
        return self.compiled_peak / self.interpreter_peak


def memory(settings: Settings) -> Iterator[MemoryRow]:
    """Measure both parsers of each family in the same way."""
    for family in settings.families:
        for tokens in LENGTHS[: 1 if settings.quick else None]:
            generation = unfinished(family, tokens)
            interpreter_held, interpreter_peak = _held_and_peak(
                interpreter(family), family.prompt, generation
            )
            compiled_held, compiled_peak = _held_and_peak(compiled(family), family.prompt, generation)
            yield MemoryRow(
                family.name, tokens, interpreter_held, compiled_held, interpreter_peak, compiled_peak
            )


def _held_and_peak(engine: Engine, prompt: str, generation: Generation) -> tuple[int, int]:
    """Stream a generation and give the bytes that the open parser holds in the end, and the most at any time.

    Each chunk is cut anew from the text, so that a parser that keeps chunks pays for their strings.
    """
    text = generation.text
    ends = list(accumulate(len(chunk) for chunk in generation.chunks))
    places = list(pairwise([0, *ends]))
    _stream(engine, prompt, text, places)  # caches fill before anything is counted
    gc.collect()
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        parser = _stream(engine, prompt, text, places)
        gc.collect()
        held, peak = tracemalloc.get_traced_memory()
        del parser
    finally:
        tracemalloc.stop()
    return held - before, peak - before


def _stream(engine: Engine, prompt: str, text: str, places: list[tuple[int, int]]) -> object:
    parser = engine.open(prompt)
    feed = parser.feed
    for start, end in places:
        feed(text[start:end])
    return parser
