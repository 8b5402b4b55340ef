"""The guard refuses every parser that gives anything else than the interpreter."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from benchmarks.engines import interpreter, require_same_floor, require_same_message, require_same_stream
from benchmarks.equality import UnequalError, require_same, require_same_recording
from benchmarks.families import SMOLLM3
from benchmarks.floors import LiteralFloor
from benchmarks.generations import answering
from respc.measuring.equality import record


class Disturbed:
    """The interpreter, whose results pass through a function on their way out."""

    def __init__(self, disturb: Any) -> None:
        self._parser = interpreter(SMOLLM3).open(SMOLLM3.prompt)
        self._disturb = disturb
        self.initial_events = self._parser.initial_events

    def feed(self, text: str) -> list[Any]:
        return self._disturb("feed", self._parser.feed(text))

    def finalize(self) -> tuple[Any, list[Any]]:
        message, events = self._parser.finalize()
        return self._disturb("message", message), self._disturb("final events", events)


def without_closes(what: str, value: Any) -> Any:
    return [event for event in value if event["type"] != "region_close"] if what == "feed" else value


def with_other_order(what: str, value: Any) -> Any:
    return dict(reversed(value.items())) if what == "message" else value


def with_numbers_for_booleans(what: str, value: Any) -> Any:
    for event in value if what == "feed" else []:
        if event["type"] == "region_chunk":
            event["dirty"] = int(event["dirty"])
    return value


def with_more_at_the_end(what: str, value: Any) -> Any:
    return [*value, {"type": "region_open", "field": "content"}] if what == "final events" else value


def recorded(disturb: Any) -> Any:
    return record(lambda: Disturbed(disturb), answering(SMOLLM3, 200).chunks)


def test_a_parser_that_gives_the_same_is_accepted() -> None:
    require_same_recording(recorded(lambda _, value: value), recorded(lambda _, value: value), "same")


@pytest.mark.parametrize(
    ("disturb", "part"),
    [
        (without_closes, "feeds"),
        (with_other_order, "message"),
        (with_numbers_for_booleans, "feeds"),
        (with_more_at_the_end, "final events"),
    ],
)
def test_a_wrong_parser_is_refused(disturb: Any, part: str) -> None:
    with pytest.raises(UnequalError, match=f"wrong: {part}"):
        require_same_recording(recorded(lambda _, value: value), recorded(disturb), "wrong")


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ([1], (1,)),
        ([1], [1, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": [{"b": "c"}]}, {"a": [{"b": "d"}]}),
        (None, ""),
    ],
)
def test_values_that_differ_a_little_are_told_apart(expected: object, actual: object) -> None:
    with pytest.raises(UnequalError, match=r"^values"):
        require_same(expected, actual, "values")


def test_nan_is_the_same_as_nan() -> None:
    require_same({"a": [float("nan")]}, {"a": [float("nan")]}, "values")


def test_a_compiled_parser_of_another_template_is_refused() -> None:
    generation = answering(SMOLLM3, 200)
    other = replace(SMOLLM3, template={"start_anchor": "A", "fields": {"content": {}}})
    with pytest.raises(UnequalError, match="streamed"):
        require_same_stream(other, generation.chunks, interpreter(SMOLLM3))


def test_a_floor_that_forgets_something_is_refused() -> None:
    generation = answering(SMOLLM3, 200)
    forgetful = replace(SMOLLM3, floor=lambda text, prefix: {"role": "assistant"})
    with pytest.raises(UnequalError, match="floor"):
        require_same_floor(forgetful, generation)
    with pytest.raises(UnequalError, match="floor"):
        require_same_message(forgetful, generation)


def test_the_literal_floor_keeps_texts_and_gives_the_event_of_a_plain_chunk() -> None:
    parser = interpreter(SMOLLM3).open(SMOLLM3.prompt)
    parser.feed("Well")
    floor = LiteralFloor()
    for text in (" then", ","):
        require_same(parser.feed(text), floor.feed(text), "event")
