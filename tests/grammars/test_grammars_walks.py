"""Whatever an engine lets through is read back: calls to tools with valid arguments, and nothing beside.

Each text is a random walk: a model that wants nothing but to break the parser writes what the grammar allows.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from support.grammar_cases import faults_of, read
from support.grammar_engines import decoded
from support.grammar_families import formats, held_format, spelling_of, walker_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.families import Family
    from support.grammar_engines import Engine

SEED = 20_261_201
FEW, MANY = 10, 1_000
COUNTS = [FEW, pytest.param(MANY, marks=pytest.mark.long)]
FORMATS = formats()
THINKING = [
    family
    for family in FORMATS
    if (reasoning := spelling_of(family).reasoning) is not None and reasoning.opens is not None
]


def walks(engine: Engine, family: Family, count: int, **options: Any) -> Iterator[str]:
    """Walk the grammar of a family; what each walk does is told by its number alone."""
    made = held_format(engine, family, **options)
    walker = walker_of(family, made.vocabulary)
    for number in range(count):
        yield decoded(made.vocabulary, walker.walk(made.held, Random(SEED + number)))


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_required_calls(family: Family, engine: Engine, count: int) -> None:
    for text in walks(engine, family, count):
        assert [*faults_of(read(family, text))] == [], text


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_calls_or_text(family: Family, engine: Engine, count: int) -> None:
    for text in walks(engine, family, count, choice="auto"):
        assert [*faults_of(read(family, text), content=True)] == [], text


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("family", THINKING, ids=str)
def test_reasoning_that_the_model_opens(family: Family, engine: Engine, count: int) -> None:
    for text in walks(engine, family, count, reasoning="open"):
        assert [*faults_of(read(family, text), reasoning=True)] == [], text


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("family", [each for each in THINKING if spelling_of(each).opened_prefix], ids=str)
def test_reasoning_that_the_prompt_opened(family: Family, engine: Engine, count: int) -> None:
    for text in walks(engine, family, count, reasoning="prompt"):
        assert [*faults_of(read(family, text, opened=True), reasoning=True)] == [], text
