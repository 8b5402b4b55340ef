"""Both engines let the same texts through: good ones, and such that are nearly good."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from grammars.test_grammars_walks import SEED
from support.grammar_engines import accepts, decoded
from support.grammar_families import formats, held_format, valid_of, walker_of, written_by
from support.grammar_mutations import mutated

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine

FEW, MANY = 20, 200
"""Texts of each family: of all some 60 these are more than 10,000."""


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize("family", formats(), ids=str)
def test_engines_agree(family: Family, engines: dict[str, Engine], count: int) -> None:
    made = {name: held_format(engine, family) for name, engine in engines.items()}
    random = Random(SEED)
    texts = [written_by(family, call) for call in valid_of(family)]
    for each in made.values():
        walker = walker_of(family, each.vocabulary)
        walks = (decoded(each.vocabulary, walker.walk(each.held, random)) for _ in range(count // 10))
        texts += walks
    texts += [mutated(random.choice(texts), texts, random) for _ in range(count)]
    verdicts = set()
    for text in texts:
        accepted = {name: accepts(each.held, each.vocabulary, text) for name, each in made.items()}
        assert len({*accepted.values()}) == 1, (accepted, text)
        verdicts |= {*accepted.values()}
    assert verdicts == {True, False}
