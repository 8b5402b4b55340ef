"""Numbers between bounds are those, and no others."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

import respc
from grammars.test_grammars_kinds import VOCABULARY, arguments_of
from grammars.test_grammars_walks import SEED
from respc.grammars import GrammarError
from respc.grammars.multiples import multiples, multiples_of
from respc.grammars.numbers import INTEGER, NUMBER, number_of
from support.families import Family
from support.grammar_engines import decoded
from support.grammar_families import walker_of
from support.grammar_texts import pattern_of

if TYPE_CHECKING:
    from support.grammar_engines import Engine

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


@pytest.mark.parametrize("factor", [1, 2, 4, 5, 10, 25, 125, 1000, 7, 15, 60])
@pytest.mark.parametrize("low", EDGES[1:])
def test_multiples_between_bounds(factor: int, low: int) -> None:
    for high in (each for each in EDGES[1:] if each is not None and each >= low):
        expected = [number for number in TRIED if low <= number <= high and number % factor == 0]
        node = multiples(factor, low, high) if len(expected) <= 200 or 1000 % factor == 0 else None
        if node is None:
            assert not expected or (1000 % factor and len(expected) > 200)
            continue
        pattern = re.compile(pattern_of(node))
        assert [number for number in TRIED if pattern.fullmatch(str(number))] == expected, high


@pytest.mark.parametrize("factor", [2, 5, 8, 100, 250])
def test_multiples_without_bounds_are_told_by_their_last_digits(factor: int) -> None:
    pattern = re.compile(pattern_of(multiples_of({"multipleOf": factor}, "")))
    assert [number for number in TRIED if pattern.fullmatch(str(number))] == [
        number for number in TRIED if number % factor == 0
    ]
    assert not pattern.fullmatch(f"0{factor}")
    largest = (10**15 - 1) // factor * factor
    assert pattern.fullmatch(str(largest))
    assert not pattern.fullmatch(str(largest + factor))


@pytest.mark.parametrize("factor", [0, -1, 0.5, "2", 3, 7, 10_000, True])
def test_multiples_that_no_small_grammar_has_are_refused(factor: Any) -> None:
    with pytest.raises(GrammarError, match="RT926") as refused:
        multiples_of({"multipleOf": factor}, "/0")
    assert refused.value.path == "/0/multipleOf"


def test_a_tool_with_multiples_is_tried_with_such() -> None:
    minutes = {"type": "integer", "minimum": 1, "maximum": 59, "multipleOf": 15}
    cents = {"type": "number", "exclusiveMinimum": 7, "multipleOf": 25}
    parameters = {"type": "object", "properties": {"minutes": minutes, "cents": cents}}
    grammar = respc.grammar("qwen3_coder", [{"name": "wait", "parameters": parameters}], format="gbnf")
    assert '"15" | "30" | "45"' in grammar


MULTIPLES = [
    {"type": "integer", "multipleOf": 5},
    {"type": "integer", "multipleOf": 8, "maximum": 5_000},
    {"type": "number", "multipleOf": 100, "minimum": -1},
    {"type": "integer", "multipleOf": 15, "minimum": -60, "maximum": 60},
]


@pytest.mark.parametrize("count", [10, pytest.param(1_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("family", [Family("qwen3"), Family("qwen3_coder"), Family("llama4")], ids=str)
def test_multiples_are_read_back(family: Family, engine: Engine, count: int) -> None:
    properties = {f"level{number}": schema for number, schema in enumerate(MULTIPLES)}
    parameters = {"type": "object", "properties": properties, "required": ["level0"]}
    tool = {"type": "function", "function": {"name": "set_lamp", "parameters": parameters}}
    held = engine.compiled(
        respc.grammar(family.template, [tool], format=engine.name, parallel=False), VOCABULARY
    )
    walker, validator = walker_of(family, VOCABULARY), Draft202012Validator(parameters)
    for number in range(count):
        text = decoded(VOCABULARY, walker.walk(held, Random(SEED + number)))
        (arguments,) = arguments_of(family, text, tool)
        assert [*validator.iter_errors(arguments)] == [], text
