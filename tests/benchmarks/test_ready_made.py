"""The ready-made parsers' states are found, and near misses are what they say."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.generations import prose_chunks
from benchmarks.near_miss import NearMissRow, near_miss, near_misses, require_same_near_miss
from benchmarks.ready_made import (
    OUTSIDE,
    Position,
    ReadyMade,
    Written,
    first_characters,
    keeps_its_state,
    ready_made,
    ways_in,
)
from benchmarks.settings import Settings

EMPTY_TAGS = {("granite3_3", "response_tag"), ("hunyuan", "answer_tag")}
"""Fields whose opener is a look-ahead for their closer: nothing can stand in them."""

parsers = pytest.mark.parametrize("parser", ready_made(), ids=lambda parser: parser.name)


def named(name: str) -> ReadyMade:
    return next(parser for parser in ready_made() if parser.name == name)


def template(**fields: Any) -> dict[str, Any]:
    return {"fields": fields}


def test_a_position_is_the_field_that_was_opened_last_and_not_closed() -> None:
    position, seen = Position(), []
    for event in (
        {"type": "region_open", "field": "a"},
        {"type": "region_chunk", "field": "a", "text": "x", "dirty": False},
        {"type": "region_close", "field": "a", "value": "x"},
        {"type": "region_open", "field": "b"},
    ):
        position.follow([event])
        seen.append((position.state, position.changes))
    assert seen == [("a", 1), ("a", 1), (OUTSIDE, 2), ("b", 3)]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (template(a={"open": "[A]", "close": ["</a>", "$"]}), ["$", "<", "["]),
        (template(a={"open_pattern": r"\n*<a>", "close_pattern": r"(?=;)|x+y"}), ["\n", ";", "<", "x"]),
        (template(a={"open_pattern": r"^\s*\[", "close_pattern": r"é\d"}), ["é"]),
        (template(a={}), []),
    ],
)
def test_first_characters_are_those_that_a_delimiter_can_begin_with(
    fields: dict[str, Any], expected: list[str]
) -> None:
    assert first_characters(fields) == expected


@parsers
def test_every_field_is_reached_and_plain_text_goes_on_in_it(parser: ReadyMade) -> None:
    ways = ways_in(parser)
    missing = set(parser.template["fields"]) - set(ways)
    assert {(parser.name, field) for field in missing} <= EMPTY_TAGS
    for way_in in ways.values():
        assert keeps_its_state(parser, way_in, ["b ", "a b "])


@parsers
def test_prose_is_no_delimiter_of_any_parser(parser: ReadyMade) -> None:
    assert keeps_its_state(parser, ways_in(parser)["content"], prose_chunks("ordinary", 2_000))


def test_a_delimiter_does_not_keep_the_state_nor_does_a_region_that_cannot_be_read() -> None:
    smollm3 = named("smollm3")
    ways = ways_in(smollm3)
    assert not keeps_its_state(smollm3, ways["content"], ["a <", "think> b"])
    assert not keeps_its_state(smollm3, ways["tool_calls"], ["a </tool_call> b"])
    assert keeps_its_state(smollm3, ways["content"], ["a <", "thing> b"])


def test_near_misses_stand_within_a_chunk_and_at_its_end() -> None:
    content = near_misses(named("llama3_1"), ways_in(named("llama3_1"))["content"])
    marks = ("<", "\n", ";")
    assert content == [near for mark in marks for near in ([f"a {mark} b "], [f"x {mark}", "div "])]


def test_what_would_end_a_region_is_continued_in_another_way() -> None:
    calls = near_misses(named("mistral_v3"), ways_in(named("mistral_v3"))["tool_calls"])
    assert ["x \n", ", div "] in calls
    assert ["x \n", "div "] not in calls


def test_near_misses_are_compared_and_measured() -> None:
    parser = named("hunyuan")
    for way_in in ways_in(parser).values():
        require_same_near_miss(parser, way_in, ["x <", "div "])
    (row,) = near_miss(Settings(parsers=("hunyuan",), rounds=1))
    assert isinstance(row, NearMissRow)
    assert set(row.states) == {"reasoning_content", "tool_calls", "content", "outside"}
    assert row.without == ["answer_tag"]
    assert row.floors == row.states[row.worst_state] == max(row.states.values()) > 0


def test_a_way_in_is_the_shortest() -> None:
    assert ways_in(named("granite4"))["reasoning_content"].text == "<think>"
    assert isinstance(ways_in(named("gpt_oss"))[OUTSIDE], Written)
    assert ways_in(named("gpt_oss"))[OUTSIDE].text == " to=functions.ping<|channel|>"
