"""What prose costs in each ready-made parser, streamed: in the answer, and in the reasoning where there is one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.engines import of_module, stream_floor
from benchmarks.equality import require_same_recording
from benchmarks.generations import prose_chunks
from benchmarks.ready_made import interpreter_of, keeps_its_state, ready_made, ways_in
from benchmarks.timing import ratio
from respc.measuring.equality import record
from respc.measuring.timing import in_rounds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from benchmarks.ready_made import ReadyMade, Written
    from benchmarks.settings import Settings
    from benchmarks.workload import Kind

TEXTS: dict[str, tuple[Kind, int]] = {
    "1,000 tokens": ("ordinary", 1_000),
    "10,000 tokens": ("ordinary", 10_000),
    "1,000 dense tokens": ("dense", 1_000),
}
_QUICK_LONGEST = 1_000
_COMPARED_CHUNKS = 1_000
_FIELDS = ("content", "reasoning_content")


@dataclass(frozen=True, slots=True)
class ProseRow:
    """A field of a ready-made parser: what each text costs over the literal floor, from a new parser to the message."""

    parser: str
    field: str
    floors: dict[str, float]


def prose(settings: Settings) -> Iterator[ProseRow]:
    """Stream prose through each ready-made parser."""
    for parser in ready_made():
        if settings.measures(parser.name):
            ways = ways_in(parser)
            for field in _FIELDS:
                if field in ways:
                    yield _row(parser, field, ways[field], settings)


def _row(parser: ReadyMade, field: str, way_in: Written, settings: Settings) -> ProseRow:
    floors = {
        text: _floors(parser, way_in, [way_in.text, *prose_chunks(kind, tokens)], settings.rounds_for(tokens))
        for text, (kind, tokens) in TEXTS.items()
        if tokens <= _QUICK_LONGEST or not settings.quick
    }
    return ProseRow(parser.name, field, floors)


def _floors(parser: ReadyMade, way_in: Written, chunks: list[str], rounds: int) -> float:
    expected, engine = interpreter_of(parser), of_module(parser.module, way_in.prefix)
    few = chunks[:_COMPARED_CHUNKS]
    what = f"{parser.name}, prose"
    require_same_recording(
        record(lambda: expected.open(way_in.prefix), few),
        record(lambda: engine.open(way_in.prefix), few),
        what,
    )
    if not keeps_its_state(parser, way_in, chunks[1:]):
        raise ValueError(f"{what}: the text has a delimiter in it")
    times = in_rounds(
        {"parser": lambda: engine.stream(chunks), "floor": lambda: stream_floor(chunks)}, rounds
    )
    return ratio(times, "parser", "floor")
