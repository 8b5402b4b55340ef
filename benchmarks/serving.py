"""What serving events cost: beside a module of the same template with the default ones."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from benchmarks.engines import compiled
from benchmarks.engines import serving as serving_engine
from benchmarks.equality import require_same, require_same_recording
from benchmarks.generations import answering
from benchmarks.streaming import LENGTHS
from benchmarks.timing import ratio
from respc.measuring.equality import record
from respc.measuring.timing import in_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Literal

    from benchmarks.engines import Engine
    from benchmarks.families import Family
    from benchmarks.generations import Generation
    from benchmarks.settings import Settings
    from benchmarks.workload import Kind
    from respc.measuring.equality import Recording

    How = Literal["streamed", "whole text"]

KINDS: tuple[Kind, ...] = ("ordinary", "dense")
_ROUNDS_FOR_ONE = 3
"""Ratios this near to one need more rounds than those of other sections; none of this work takes long."""
_ONLY_IN_SERVING = frozenset({"start", "end", "captures", "closed"})


@dataclass(frozen=True, slots=True)
class ServingRow:
    """One generation, streamed or at once; ``stable_over_default`` is None where the module cannot be stable."""

    family: str
    how: str
    text: str
    tokens: int
    default_microseconds: float
    stable_over_default: float | None
    unstable_over_default: float


def serving(settings: Settings) -> Iterator[ServingRow]:
    """Parse generations of each family, with tool calls at their ends, in both ways."""
    hows: tuple[How, ...] = ("streamed", "whole text")
    for family in settings.families:
        generations = [
            (kind, tokens, answering(family, tokens, kind))
            for kind in KINDS
            for tokens in LENGTHS[: 2 if settings.quick else None]
        ]
        for _, _, generation in generations:
            require_same_as_default(family, generation)
        for how in hows:
            for kind, tokens, generation in generations:
                yield _measured(family, how, kind, tokens, generation, settings)


def _measured(
    family: Family, how: How, kind: Kind, tokens: int, generation: Generation, settings: Settings
) -> ServingRow:
    engines = {
        "default": compiled(family),
        "stable": serving_engine(family, stable=True),
        "unstable": serving_engine(family, stable=False),
    }
    works = {
        name: _work(engine, family, how, generation) for name, engine in engines.items() if engine is not None
    }
    times = in_rounds(works, _ROUNDS_FOR_ONE * settings.rounds)
    return ServingRow(
        family=family.name,
        how=how,
        text=kind,
        tokens=tokens,
        default_microseconds=statistics.median(times["default"]) * 1e6,
        stable_over_default=ratio(times, "stable", "default") if "stable" in times else None,
        unstable_over_default=ratio(times, "unstable", "default"),
    )


def _work(engine: Engine, family: Family, how: How, generation: Generation) -> Callable[[], object]:
    if how == "streamed":
        return lambda: engine.stream(generation.chunks)
    return lambda: engine.whole(generation.text, family.prompt)


def require_same_as_default(
    family: Family,
    generation: Generation,
    stable: Engine | None = None,
    unstable: Engine | None = None,
) -> None:
    """Compare what modules with serving events give with what the default one gives.

    One that is not stable, and has no more care, gives the same events, with places and more in them. A stable one
    cuts texts elsewhere; its regions and its message are those of the whole text at once.

    Raises:
        UnequalError: they differ.
    """
    default, prompt = compiled(family), family.prompt
    unstable = unstable or serving_engine(family, stable=False, careful=False)
    stable = stable or serving_engine(family, stable=True, careful=False)
    message = default.whole(generation.text, prompt)
    if unstable is not None:
        require_same_recording(
            _recorded(default, prompt, generation.chunks),
            _as_default(_recorded(unstable, prompt, generation.chunks)),
            f"{family.name}, serving events",
        )
        require_same(message, unstable.whole(generation.text, prompt), f"{family.name}, serving, whole text")
    if stable is not None:
        what = f"{family.name}, stable"
        streamed = _recorded(stable, prompt, generation.chunks)
        require_same(None, streamed.error, f"{what}, error")
        at_once = _recorded(default, prompt, [generation.text])
        require_same(_regions(at_once), _regions(streamed), f"{what}, regions")
        require_same(message, streamed.message, f"{what}, message")
        require_same(message, stable.whole(generation.text, prompt), f"{what}, whole text")


def _recorded(engine: Engine, prompt: str, chunks: list[str]) -> Recording:
    return record(lambda: engine.open(prompt), chunks)


def _as_default(recording: Recording) -> Recording:
    """Leave out of the events what only serving ones have."""
    return replace(
        recording,
        initial_events=_reduced(recording.initial_events),
        feeds=[_reduced(events) for events in recording.feeds],
        final_events=_reduced(recording.final_events),
    )


def _reduced(events: Iterable[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    if events is None:
        return None
    return [{key: value for key, value in event.items() if key not in _ONLY_IN_SERVING} for event in events]


def _regions(recording: Recording) -> list[tuple[str, str]]:
    """Give the field and the joined text of each region, in order."""
    regions: list[list[str]] = []
    for events in (recording.initial_events, *recording.feeds, recording.final_events or ()):
        for event in events:
            if event["type"] == "region_open":
                regions.append([event["field"]])
            elif event["type"] == "region_chunk":
                regions[-1].append(event["text"])
    return [(field, "".join(texts)) for field, *texts in regions]
