"""What a chunk costs that holds the first character of a delimiter, and none: each state of each ready-made parser."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from benchmarks.engines import of_module
from benchmarks.equality import require_same_recording
from benchmarks.floors import LiteralFloor
from benchmarks.ready_made import first_characters, interpreter_of, keeps_its_state, ready_made, ways_in
from respc.measuring.equality import record
from respc.measuring.timing import clock, own_copy, pour, without_collector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.ready_made import ReadyMade, Written
    from benchmarks.settings import Settings

CHUNKS = 1_000
_COMPARED_CHUNKS = 12
_MARK = "<"
"""What text has most often of all that delimiters begin with; it is tried whether they begin with it or not."""
_CONTINUATIONS = ("div ", ", div ", "1 ")
"""What may come after a chunk that ends with the character; the first with which it becomes no delimiter is taken."""


@dataclass(frozen=True, slots=True)
class NearMissRow:
    """A ready-made parser in all of its states.

    Attributes:
        states: the floors a chunk of each state's worst near miss.
        without: the states in which none of these texts can stand: the next one ends them.
        worst_state: the state whose near miss costs most.
        worst_chunks: that near miss, which was fed again and again.
        floors: what a chunk of it costs, over the literal floor.
    """

    parser: str
    states: dict[str, float]
    without: list[str]
    worst_state: str
    worst_chunks: list[str]
    floors: float


def near_miss(settings: Settings) -> Iterator[NearMissRow]:
    """Feed near misses to each ready-made parser."""
    for parser in ready_made():
        if settings.measures(parser.name):
            yield _row(parser, settings)


def _row(parser: ReadyMade, settings: Settings) -> NearMissRow:
    measured: dict[str, tuple[float, list[str]]] = {}
    for state, way_in in ways_in(parser).items():
        for chunks in near_misses(parser, way_in):
            require_same_near_miss(parser, way_in, chunks)
            floors = _floors(parser, way_in, chunks * (CHUNKS // len(chunks)), settings.rounds)
            measured[state] = max(measured.get(state, (0.0, chunks)), (floors, chunks))
    worst = max(measured, key=lambda state: measured[state][0])
    return NearMissRow(
        parser=parser.name,
        states={state: floors for state, (floors, _) in measured.items()},
        without=[field for field in parser.template["fields"] if field not in measured],
        worst_state=worst,
        worst_chunks=measured[worst][1],
        floors=measured[worst][0],
    )


def near_misses(parser: ReadyMade, way_in: Written) -> list[list[str]]:
    """Write near misses for a state: of each first character one that stands within its chunk, and one at its end."""
    found: list[list[str]] = []
    for character in dict.fromkeys((_MARK, *first_characters(parser.template))):
        within = [f"a {character} b "]
        ending = [[f"x {character}", continuation] for continuation in _CONTINUATIONS]
        for ways in ([within], ending):
            kept = (chunks for chunks in ways if keeps_its_state(parser, way_in, chunks * 3))
            found += islice(kept, 1)
    return found


def require_same_near_miss(parser: ReadyMade, way_in: Written, chunks: list[str]) -> None:
    """Compare the parser with the interpreter over a few of the chunks.

    Raises:
        UnequalError: they differ.
    """
    expected, actual = interpreter_of(parser), of_module(parser.module)
    few = [way_in.text, *chunks * (_COMPARED_CHUNKS // len(chunks))]
    require_same_recording(
        record(lambda: expected.open(way_in.prefix), few),
        record(lambda: actual.open(way_in.prefix), few),
        f"{parser.name}, near miss",
    )


def _floors(parser: ReadyMade, way_in: Written, chunks: list[str], rounds: int) -> float:
    """Give the median of the rounds' ratios; the way into the state is not timed."""
    open_ = parser.module.ResponseParser
    loops = {"parser": own_copy(pour), "floor": own_copy(pour)}
    ratios = []
    with without_collector():
        for number in range(rounds + 1):
            feed = open_(way_in.prefix).feed
            feed(way_in.text)
            feeds = {"parser": feed, "floor": LiteralFloor().feed}
            order = list(feeds)[:: 1 if number % 2 else -1]
            taken = {name: _taken(loops[name], feeds[name], chunks) for name in order}
            ratios.append(taken["parser"] / taken["floor"])
    return statistics.median(ratios[1:])  # the first round warms up


def _taken(loop: Callable[..., object], feed: Callable[[str], object], chunks: list[str]) -> float:
    start = clock()
    loop(feed, chunks)
    return clock() - start
