"""Grammars with vocabularies as models have them: byte-pair tokens, and the marks of a format as special tokens."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from grammars.test_grammars_walks import SEED
from support.grammar_cases import BERGEN, faults_of, read
from support.grammar_engines import accepts, decoded
from support.grammar_families import formats, held_format, marks_of, valid_of, walker_of, written_by

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine

FEW, MANY = 5, 200
FORMATS = formats()


@pytest.mark.parametrize("tokens", ["marks", "trained"])
@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_valid_calls_are_accepted(family: Family, engine: Engine, tokens: str) -> None:
    made = held_format(engine, family, tokens=tokens)
    for call in valid_of(family):
        text = written_by(family, call)
        assert accepts(made.held, made.vocabulary, text), text


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize("tokens", ["marks", "trained"])
@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_walks_are_read_back(family: Family, engine: Engine, tokens: str, count: int) -> None:
    made = held_format(engine, family, tokens=tokens)
    walker, random = walker_of(family, made.vocabulary), Random(SEED)
    for _ in range(count):
        text = decoded(made.vocabulary, walker.walk(made.held, random))
        assert [*faults_of(read(family, text))] == [], text


def has_marks(family: Family) -> bool:
    """Tell whether the calls of a format have marks that are special tokens."""
    text = written_by(family, BERGEN)
    return any(mark in text for mark in marks_of(family))


@pytest.mark.parametrize("family", [*filter(has_marks, FORMATS)], ids=str)
def test_marks_are_their_tokens_where_the_engine_tells_them_apart(
    family: Family, engines: dict[str, Engine]
) -> None:
    made = held_format(engines["llguidance"], family, tokens="marks")
    matcher = made.held.matcher()
    assert not all(matcher.accept(byte) for byte in written_by(family, BERGEN).encode())
