"""How cost grows with length: ordinary generations, hostile ones, and long prompts."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.engines import compiled, interpreter, require_same_message, require_same_stream, stream_floor
from benchmarks.equality import require_same, require_same_recording
from benchmarks.generations import answering
from benchmarks.hostile import HOSTILE
from respc.measuring.equality import outcome, record
from respc.measuring.timing import in_rounds, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from benchmarks.families import Family
    from benchmarks.generations import Generation
    from benchmarks.hostile import Hostile
    from benchmarks.settings import Settings
    from benchmarks.timing import Times

_SHORTEST = 1_000
_DOUBLINGS = 7
_QUICK_DOUBLINGS = 3
_ROUNDS = 7
_INTERPRETER_SECONDS = 0.5
"""The interpreter's curve ends with the first run that takes longer."""

_HOSTILE_CHARACTERS = (12_500, 25_000, 50_000, 100_000)
_QUICK_HOSTILE_CHARACTERS = (5_000, 10_000)
_HOSTILE_SECONDS = 2.0
"""A hostile curve ends with the first run that takes longer."""
_COMPARED_CHARACTERS = 400
"""At this length hostile texts are compared with the interpreter, which may need minutes for longer ones."""
_CHUNK = 4


@dataclass(frozen=True, slots=True)
class GrowthRow:
    """Seconds at each length; the interpreter's end where it takes too long.

    Attributes:
        worst_doubling: by how much a doubling of the length multiplies the compiled parser's time at worst.
    """

    family: str
    how: str
    tokens: list[int]
    compiled: list[float]
    floor: list[float]
    interpreter: list[float]
    worst_doubling: float


@dataclass(frozen=True, slots=True)
class HostileRow:
    """The compiled parser on a text made to be slow; ``seconds`` are those of each length."""

    what: str
    family: str
    how: str
    characters: list[int]
    seconds: list[float]
    worst_doubling: float


def growth(settings: Settings) -> Iterator[GrowthRow]:
    """Draw the curves of each family."""
    doublings = _QUICK_DOUBLINGS if settings.quick else _DOUBLINGS
    lengths = [_SHORTEST * 2**power for power in range(doublings + 1)]
    for family in settings.families:
        generations = {tokens: answering(family, tokens, with_calls=False) for tokens in lengths}
        yield _streamed_curve(family, generations, settings.quick)
        yield _whole_curve(family, generations, settings.quick)


def _streamed_curve(family: Family, generations: Mapping[int, Generation], quick: bool) -> GrowthRow:
    return _curve(
        family,
        "streamed",
        generations,
        _interpreted(generations, lambda one: require_same_stream(family, one.chunks), quick),
        lambda one: compiled(family).stream(one.chunks),
        lambda one: stream_floor(one.chunks),
    )


def _whole_curve(family: Family, generations: Mapping[int, Generation], quick: bool) -> GrowthRow:
    return _curve(
        family,
        "whole text",
        generations,
        _interpreted(generations, lambda one: require_same_message(family, one), quick),
        lambda one: compiled(family).whole(one.text, family.prompt),
        lambda one: family.floor(one.text, family.prompt),
    )


def _interpreted(
    generations: Mapping[int, Generation], compare: Callable[[Generation], float], quick: bool
) -> list[float]:
    """Give the interpreter's seconds, from the runs that the compiled parser is compared with."""
    taken: list[float] = []
    longest = _INTERPRETER_SECONDS / 10 if quick else _INTERPRETER_SECONDS
    for generation in generations.values():
        # The first run also warms up; the next lengths are each long enough.
        taken.append(min(compare(generation) for _ in range(1 if taken else 3)))
        if taken[-1] > longest:
            break
    return taken


def _curve(
    family: Family,
    how: str,
    generations: Mapping[int, Generation],
    interpreted: list[float],
    parse: Callable[[Generation], object],
    least: Callable[[Generation], object],
) -> GrowthRow:
    times = in_rounds({tokens: _bound(parse, one) for tokens, one in generations.items()}, _ROUNDS)
    floors = in_rounds({tokens: _bound(least, one) for tokens, one in generations.items()}, _ROUNDS)
    return GrowthRow(
        family=family.name,
        how=how,
        tokens=list(generations),
        compiled=[statistics.median(times[tokens]) for tokens in generations],
        floor=[statistics.median(floors[tokens]) for tokens in generations],
        interpreter=interpreted,
        worst_doubling=worst_doubling(times),
    )


def _bound(parse: Callable[[Generation], object], generation: Generation) -> Callable[[], object]:
    return lambda: parse(generation)


def worst_doubling(times: Times[int]) -> float:
    """Give the greatest ratio of neighbouring lengths.

    It is the lower of the best rounds' ratio and of the median of the rounds' ratios: what grows faster than the
    length shows in both, and what else runs on the machine seldom spoils both.
    """
    lengths = sorted(times)
    return max(
        (
            min(
                min(times[other]) / min(times[one]),
                statistics.median(
                    longer / shorter for shorter, longer in zip(times[one], times[other], strict=True)
                ),
            )
            for one, other in pairwise(lengths)
        ),
        default=1.0,
    )


def hostile(settings: Settings) -> Iterator[HostileRow]:
    """Feed each hostile text to its family's compiled parser, in small chunks and at once."""
    names = {family.name for family in settings.families}
    for case in HOSTILE:
        if case.family.name in names:
            require_same_when_short(case)
            lengths = _QUICK_HOSTILE_CHARACTERS if settings.quick else _HOSTILE_CHARACTERS
            yield _hostile_curve(case, "streamed", lengths)
            yield _hostile_curve(case, "whole text", lengths)


def require_same_when_short(case: Hostile) -> None:
    """Compare both parsers on a hostile text that is short enough for the interpreter.

    Raises:
        UnequalError: they differ.
    """
    prompt, text = case.write(_COMPARED_CHARACTERS)
    one, other = interpreter(case.family), compiled(case.family)
    chunks = _chunks(text)
    require_same_recording(
        record(lambda: one.open(prompt), chunks), record(lambda: other.open(prompt), chunks), case.what
    )
    require_same(
        outcome(lambda: one.whole(text, prompt)),
        outcome(lambda: other.whole(text, prompt)),
        f"{case.what}, whole",
    )


def _chunks(text: str) -> list[str]:
    return [text[at : at + _CHUNK] for at in range(0, len(text), _CHUNK)]


def _hostile_curve(case: Hostile, how: str, lengths: tuple[int, ...]) -> HostileRow:
    works = {}
    for characters in lengths:
        works[characters] = _hostile_work(case, how, characters)
        if seconds(works[characters]) > _HOSTILE_SECONDS:
            break
    times = in_rounds(works, _ROUNDS)
    return HostileRow(
        what=case.what,
        family=case.family.name,
        how=how,
        characters=list(works),
        seconds=[statistics.median(times[characters]) for characters in works],
        worst_doubling=worst_doubling(times),
    )


def _hostile_work(case: Hostile, how: str, characters: int) -> Callable[[], object]:
    prompt, text = case.write(characters)
    engine = compiled(case.family)
    if how == "whole text":
        return lambda: outcome(lambda: engine.whole(text, prompt))
    chunks = _chunks(text)

    def stream() -> object:
        parser = engine.open(prompt)
        for chunk in chunks:
            parser.feed(chunk)
        return parser.finalize()

    return lambda: outcome(stream)
