"""How the cost of hostile shapes grows, in each form of a module, streamed and at once."""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.engines import of_module, of_template, plain, unless_unstable
from benchmarks.equality import require_same, require_same_recording
from benchmarks.growth import worst_doubling
from benchmarks.hostile_shapes import PROMPT, SHAPES
from respc.measuring.equality import chunks_of, outcome, record
from respc.measuring.timing import in_rounds, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.engines import Engine
    from benchmarks.hostile_shapes import Shape
    from benchmarks.settings import Settings

_SHORTEST = (125, 500, 2_000)
"""A curve begins with the last of these lengths that does not take long."""
_LONG_SECONDS = 0.03
_TIMES = (1, 2, 4)
_ROUNDS = 3
_QUICK_ROUNDS = 1
_COMPARED_CHARACTERS = 120
_FORMS = {"default": ("default", False), "stable": ("default", True), "serving": ("serving", True)}


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """A form of a shape's module on its text; ``seconds`` are those of each length.

    Attributes:
        form: default, stable, or serving, which is stable where it can be.
        how: streamed or whole text.
        worst_doubling: by how much a doubling of the length multiplies the time at worst; None where the shape cannot
            be stable and shall be.
    """

    what: str
    form: str
    how: str
    characters: list[int]
    seconds: list[float]
    worst_doubling: float | None


def shapes(settings: Settings) -> Iterator[ShapeRow]:
    """Feed each shape's text to each form of its module."""
    for shape in SHAPES:
        for form in _FORMS:
            engine = engine_of(shape, form)
            for how in ("streamed", "whole text"):
                if engine is None:
                    yield ShapeRow(shape.what, form, how, [], [], None)
                else:
                    require_same_when_short(shape, engine_of(shape, form, compared=True) or engine, form)
                    yield _curve(shape, engine, form, how, _QUICK_ROUNDS if settings.quick else _ROUNDS)


def engine_of(shape: Shape, form: str, *, compared: bool = False) -> Engine | None:
    """Compile a shape's template in a form; None where it cannot be stable and shall be.

    To be compared with the interpreter, a parser for serving has no more care than that.
    """
    events, stable = _FORMS[form]
    module = unless_unstable(shape.template, "shape", events=events, stable=stable)
    if module is None and form == "serving":
        module = unless_unstable(shape.template, "shape", events=events, stable=False)
    if module is None:
        return None
    return plain(module, PROMPT) if compared and form == "serving" else of_module(module, PROMPT)


def require_same_when_short(shape: Shape, engine: Engine, form: str) -> None:
    """Compare a form with the interpreter on a short text: the default one in all that it gives, others in the message.

    Raises:
        UnequalError: they differ.
    """
    text = shape.write(_COMPARED_CHARACTERS)
    chunks, expected, what = (
        chunks_of(text, shape.chunk),
        of_template(shape.template),
        f"{shape.what}, {form}",
    )
    at_once = outcome(lambda: expected.whole(text, PROMPT))
    require_same(at_once, outcome(lambda: engine.whole(text, PROMPT)), f"{what}, whole text")
    recording = record(lambda: engine.open(PROMPT), chunks)
    if form == "default":
        require_same_recording(record(lambda: expected.open(PROMPT), chunks), recording, what)
    elif form == "stable":
        require_same(at_once, recording.message, f"{what}, streamed")


def _curve(shape: Shape, engine: Engine, form: str, how: str, rounds: int) -> ShapeRow:
    shortest = _shortest(shape, engine, how)
    lengths = [times * shortest for times in _TIMES]
    times = in_rounds({length: _work(shape, engine, how, length) for length in lengths}, rounds)
    return ShapeRow(
        what=shape.what,
        form=form,
        how=how,
        characters=lengths,
        seconds=[statistics.median(times[length]) for length in lengths],
        worst_doubling=worst_doubling(times),
    )


def _shortest(shape: Shape, engine: Engine, how: str) -> int:
    chosen = _SHORTEST[0]
    for length in _SHORTEST:
        if seconds(_work(shape, engine, how, length)) > _LONG_SECONDS:
            break
        chosen = length
    return chosen


def _work(shape: Shape, engine: Engine, how: str, characters: int) -> Callable[[], object]:
    text = shape.write(characters)
    if how == "whole text":
        return lambda: outcome(lambda: engine.whole(text, PROMPT))
    chunks = chunks_of(text, shape.chunk)
    return lambda: outcome(lambda: engine.stream(chunks))
