"""Each family's generations have the wanted length, and three parsers agree on them. Nothing is timed here."""

from __future__ import annotations

import pytest

from benchmarks.engines import compiled, require_same_message, require_same_stream
from benchmarks.families import FAMILIES, Family
from benchmarks.generations import Generation, answering, calling, repeating, unfinished
from benchmarks.growth import require_same_when_short
from benchmarks.hostile import HOSTILE, Hostile

families = pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)


@families
@pytest.mark.parametrize(
    "write",
    [
        lambda family: answering(family, 600),
        lambda family: answering(family, 600, "dense"),
        lambda family: answering(family, 600, with_calls=False),
        lambda family: calling(family, 600),
    ],
    ids=["ordinary", "dense", "without a call", "mostly calls"],
)
def test_the_interpreter_the_compiled_parser_and_the_floor_agree(family: Family, write: object) -> None:
    assert callable(write)
    generation: Generation = write(family)
    assert "".join(generation.chunks) == generation.text
    require_same_stream(family, generation.chunks)
    require_same_message(family, generation)


@families
def test_generations_have_the_wanted_length_and_parts(family: Family) -> None:
    whole = compiled(family).whole
    generation = answering(family, 1_000)
    message = whole(generation.text, family.prompt)
    assert abs(len(generation.chunks) - 1_000) < 20
    assert {"reasoning_content", "content", "tool_calls"} < set(message)
    assert len(message["tool_calls"]) == 3
    assert "tool_calls" not in whole(answering(family, 500, with_calls=False).text, family.prompt)
    calls = whole(calling(family, 1_000).text, family.prompt)["tool_calls"]
    assert len(calls) > 5


@families
def test_a_repeated_answer_is_the_same_each_time_in_fresh_strings(family: Family) -> None:
    before, first, *_, last = repeating(family, 1_000, 5)
    assert before
    assert first == last
    assert not any(one is other for one, other in zip(first, last, strict=True) if len(one) > 1)
    parser = compiled(family).open(family.prompt)
    for chunk in [*before, *first]:
        parser.feed(chunk)
    assert [event["type"] for chunk in last for event in parser.feed(chunk)].count("region_close") == 0


@families
def test_an_unfinished_answer_is_open(family: Family) -> None:
    parser = compiled(family).open(family.prompt)
    events = [event for chunk in unfinished(family, 400).chunks for event in parser.feed(chunk)]
    opened = [event["field"] for event in events if event["type"] == "region_open"]
    closed = [event["field"] for event in events if event["type"] == "region_close"]
    assert opened[-1] == "content"
    assert opened.count("content") == closed.count("content") + 1


@pytest.mark.parametrize("case", HOSTILE, ids=lambda case: case.what)
def test_hostile_texts_have_their_length_and_are_compared_when_short(case: Hostile) -> None:
    prompt, text = case.write(5_000)
    assert 4_000 < len(prompt if case.in_prompt else text) < 6_000
    require_same_when_short(case)
