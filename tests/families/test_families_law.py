"""The law of careful parsers, in every family: nothing disappears, and nothing is handed out whole that is not."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from respc_runtime.openai import ChatCompletionParser
from support.accounting import account, all_events
from support.chunking import few
from support.families import Family, families, representatives

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

PROSE = ("Noted.", "a < b", "\n", " ", "\n\n", "{", "}", '"', "\\", "[", "x", '{"a": 1}', "<", "ja ✓", "</")


def pieces(family: Family) -> list[str]:
    """Texts that mean something to a family: its marks, whole and cut, and what its samples are made of."""
    marks = [mark for mark in family.writes.get("marks", []) if len(mark) > 1]
    cuts = [mark[: len(mark) // 2] for mark in marks]
    bits = [text for sample in family.samples for text in parts_of(sample["text"], marks)]
    return [*PROSE, *marks, *marks, *cuts, *bits]


def parts_of(text: str, marks: list[str]) -> list[str]:
    """Cut a text before each mark, so that what stands behind it goes with it."""
    places = sorted({place for mark in marks for place in range(len(text)) if text.startswith(mark, place)})
    ends = [*places, len(text)]
    return [text[start:end] for start, end in zip(places, ends[1:], strict=True)]


def generations(family: Family) -> SearchStrategy[str]:
    """Texts of such pieces, cut off anywhere."""
    known = pieces(family)
    joined = st.lists(st.sampled_from(known), min_size=1, max_size=12).map("".join)
    return st.one_of(
        joined, st.builds(lambda text, cut: text[: max(len(text) - cut, 0)], joined, st.integers(1, 9))
    )


def prefixes(family: Family) -> list[str]:
    return [prefix for key in ("prefix", "opened_prefix") if (prefix := family.writes[key]) is not None]


def check_many(family: Family, examples: int) -> None:
    """Assert the law for so many generations; how long one takes, with other work beside, says nothing of it."""

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(generations(family), st.sampled_from(prefixes(family)))
    def check(text: str, prefix: str) -> None:
        check_generation(family, text, prefix)

    check()


def check_generation(family: Family, text: str, prefix: str) -> None:
    """Assert the law for a generation in several cuts."""
    expected = None
    for _, chunks in few(text, Random(text), 2):
        parser = family.module.ServingParser(prefix=prefix)
        prompt = len(parser.input_text)
        events = all_events(parser, chunks)
        seen = account(family.template, parser.input_text, events, prompt, parser.marks)
        assert expected is None or seen == expected
        expected = seen
    check_calls(family, text, prefix)


def check_calls(family: Family, text: str, prefix: str) -> None:
    """Assert that a completion has no call but those of regions that were read, and reports all others."""
    completion = ChatCompletionParser(family.module.ServingParser, prefix)
    completion.feed(text)
    completion.finalize(length=True)
    assert completion.message is not None
    collected = family.module.parse_response(text, prefix=prefix, errors="collect")
    calls = [call["function"]["name"] for call in completion.message.get("tool_calls", [])]
    read = [
        call["function"]["name"]
        for value in collected.message.get("tool_calls", [])
        for call in (value if isinstance(value, list) else [value])
    ]
    # Cut off, a call may be read all the same, if its form shows that it is whole.
    assert calls == read[: len(calls)]
    reported = [each.text for each in collected.unread]
    assert [each.text for each in completion.unread][: len(reported)] == reported or len(calls) < len(read)


@pytest.mark.parametrize("family", families(), ids=str)
def test_every_character_is_accounted_for(family: Family) -> None:
    check_many(family, 40)


@pytest.mark.long
@pytest.mark.parametrize("family", representatives(), ids=str)
def test_every_character_of_many_generations_is_accounted_for(family: Family) -> None:
    check_many(family, 200)
