"""Numbers between bounds are those, and no others."""

from __future__ import annotations

import re
from typing import Any

import pytest

from respc.grammars import GrammarError
from respc.grammars.numbers import INTEGER, NUMBER, number_of
from support.grammar_texts import pattern_of

EDGES = (None, -1000, -123, -100, -99, -10, -1, 0, 1, 7, 9, 10, 11, 99, 100, 101, 250, 999, 1000)
TRIED = range(-1205, 1206)


@pytest.mark.parametrize("low", EDGES)
def test_integers_between_bounds(low: int | None) -> None:
    for high in EDGES:
        if low is not None and high is not None and low > high:
            continue
        schema = {"minimum": low, "maximum": high}
        pattern = re.compile(pattern_of(number_of(schema, "", whole=True)))
        found = [number for number in TRIED if pattern.fullmatch(str(number))]
        expected = [
            number for number in TRIED if (low is None or number >= low) and (high is None or number <= high)
        ]
        assert found == expected, high


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"minimum": 0}, "0 0.5 7 12.25 1000000", "-1 -0.5"),
        ({"exclusiveMinimum": 0}, "1 0.5 12.25", "0 -1 0.0"),
        ({"minimum": 0, "maximum": 1}, "0 1 0.25", "1.5 2 -0.1 1.0"),
        ({"minimum": -2, "maximum": 1}, "-2 -1.5 -0.5 0.5 1", "-2.5 1.5"),
        ({"minimum": -180, "maximum": 180}, "-180 -179.5 179.99 0 12", "-180.5 180.1 200"),
        ({"minimum": 0, "exclusiveMinimum": True}, "1 0.5", "0"),
        ({"exclusiveMaximum": 5}, "4 4.5 -100", "5 5.5"),
        ({"maximum": 5}, "5 4.5 -100.25", "5.5 6"),
    ],
    ids=repr,
)
def test_numbers_between_bounds(schema: dict[str, Any], right: str, wrong: str) -> None:
    pattern = re.compile(pattern_of(number_of(schema, "", whole=False)))
    assert all(pattern.fullmatch(number) for number in right.split())
    assert not any(pattern.fullmatch(number) for number in wrong.split())


def test_numbers_without_bounds_are_those_of_json_that_all_readers_have_exactly() -> None:
    integer, number = (re.compile(pattern_of(node)) for node in (INTEGER, NUMBER))
    assert all(integer.fullmatch(text) for text in ("0", "-1", "10", "9" * 15))
    assert not any(integer.fullmatch(text) for text in ("-0", "01", "+1", "1.0", "9" * 16, ""))
    assert all(number.fullmatch(text) for text in ("0", "-0.5", "1e-9", "12.25E+2"))
    assert not any(number.fullmatch(text) for text in (".5", "1.", "1e999", "NaN"))


@pytest.mark.parametrize(
    ("schema", "whole"),
    [
        ({"minimum": 3, "maximum": 2}, True),
        ({"minimum": 0.2, "maximum": 0.8}, True),
        ({"minimum": 0.2, "maximum": 0.8}, False),
        ({"minimum": "0"}, True),
    ],
)
def test_bounds_that_leave_nothing_are_refused(schema: dict[str, Any], whole: bool) -> None:
    with pytest.raises(GrammarError, match="RT926"):
        number_of(schema, "/0", whole=whole)
