"""What a whole text costs at once: beside the interpreter, and beside ``find``, ``json.loads`` and dict displays."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.engines import compiled, interpreter, require_same_floor, require_same_message
from benchmarks.equality import require_same
from benchmarks.generations import answering, calling
from benchmarks.timing import ratio
from benchmarks.workload import TOOLS
from respc.measuring.timing import in_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.families import Family
    from benchmarks.generations import Generation
    from benchmarks.settings import Settings

LENGTHS = {
    "without a call": (1_000, 10_000, 100_000),
    "ordinary": (100, 1_000, 10_000),
    "mostly calls": (1_000, 10_000),
}
_QUICK_LONGEST = 1_000
_TOO_LONG_SECONDS = 3.0
"""The interpreter is left out of a row where it would take longer, by what it took for the row before."""
_SLOW_SECONDS = 0.2
BATCH = 64
_BATCH_TOKENS = 1_000


@dataclass(frozen=True, slots=True)
class WholeTextRow:
    """One generation, parsed at once; ``interpreter_over_compiled`` is None where the interpreter takes too long."""

    family: str
    text: str
    tokens: int
    compiled_microseconds: float
    interpreter_over_compiled: float | None
    compiled_over_floor: float


@dataclass(frozen=True, slots=True)
class BatchRow:
    """A batch of texts after one prompt, against a loop of calls of the interpreter."""

    family: str
    tools: bool
    texts: int
    tokens: int
    compiled_milliseconds: float
    interpreter_over_compiled: float


def whole_text(settings: Settings) -> Iterator[WholeTextRow]:
    """Parse generations of each family: an answer alone, an answer with a few calls, and little else than calls."""
    for family in settings.families:
        for text, lengths in LENGTHS.items():
            longest = _QUICK_LONGEST if settings.quick else max(lengths)
            yield from _growing(family, text, [tokens for tokens in lengths if tokens <= longest], settings)


def _growing(family: Family, text: str, lengths: list[int], settings: Settings) -> Iterator[WholeTextRow]:
    taken, before = 0.0, 1
    for tokens in lengths:
        generation = _generation(family, text, tokens)
        # Quadratic is the worst seen, for all but hostile texts.
        slow = taken * (tokens / before) ** 2
        if slow < _TOO_LONG_SECONDS:
            taken, before = require_same_message(family, generation), tokens
        else:
            require_same_floor(family, generation)
        rounds = settings.rounds_for(tokens)
        yield _measured(
            family, text, tokens, generation, slow, min(rounds, 3) if slow > _SLOW_SECONDS else rounds
        )


def _generation(family: Family, text: str, tokens: int) -> Generation:
    if text == "mostly calls":
        return calling(family, tokens)
    return answering(family, tokens, with_calls=text == "ordinary")


def _measured(
    family: Family, text: str, tokens: int, generation: Generation, slow: float, rounds: int
) -> WholeTextRow:
    whole, prompt = generation.text, family.prompt
    works = {
        "compiled": lambda: compiled(family).whole(whole, prompt),
        "floor": lambda: family.floor(whole, prompt),
    }
    if slow < _TOO_LONG_SECONDS:
        works["interpreter"] = lambda: interpreter(family).whole(whole, prompt)
    times = in_rounds(works, rounds)
    return WholeTextRow(
        family=family.name,
        text=text,
        tokens=tokens,
        compiled_microseconds=statistics.median(times["compiled"]) * 1e6,
        interpreter_over_compiled=ratio(times, "interpreter", "compiled") if "interpreter" in times else None,
        compiled_over_floor=ratio(times, "compiled", "floor"),
    )


def batches(settings: Settings) -> Iterator[BatchRow]:
    """Parse batches, as the rollouts of a training step are, without tools and with them."""
    texts = BATCH // 4 if settings.quick else BATCH
    for family in settings.families:
        rollouts = [answering(family, _BATCH_TOKENS, seed=seed).text for seed in range(1, texts + 1)]
        for tools in (None, TOOLS):
            yield _batch(family, rollouts, tools, min(settings.rounds, 5))


def _batch(family: Family, rollouts: list[str], tools: list[dict[str, Any]] | None, rounds: int) -> BatchRow:
    works = {
        "interpreter": lambda: interpreter(family).batch(rollouts, family.prompt, tools),
        "compiled": lambda: compiled(family).batch(rollouts, family.prompt, tools),
    }
    require_same(works["interpreter"](), works["compiled"](), f"{family.name}, batch")
    times = in_rounds(works, rounds)
    return BatchRow(
        family=family.name,
        tools=tools is not None,
        texts=len(rollouts),
        tokens=_BATCH_TOKENS,
        compiled_milliseconds=statistics.median(times["compiled"]) * 1e3,
        interpreter_over_compiled=ratio(times, "interpreter", "compiled"),
    )
