"""What a grammar lets through, and what it does not: each text is bad in one way, and every engine refuses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.grammar_cases import BERGEN, PING, bad_texts, read
from support.grammar_engines import accepts
from support.grammar_families import formats, held_format, kinds_of, spelling_of, valid_of, written_by

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine

FORMATS = formats()


@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_valid_calls_are_accepted(family: Family, engine: Engine) -> None:
    made = held_format(engine, family)
    for call in valid_of(family):
        text = written_by(family, call)
        assert accepts(made.held, made.vocabulary, text), text
        assert read(family, text).calls == (call,)


@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_bad_texts_are_refused(family: Family, engine: Engine) -> None:
    made = held_format(engine, family)
    good = written_by(family, BERGEN)
    kinds = []
    for bad in bad_texts(good, lambda call: written_by(family, call), kinds_of(family)):
        assert not accepts(made.held, made.vocabulary, bad.text), bad
        kinds.append(bad.kind)
    assert len(kinds) == len({*kinds})
    assert len(kinds) >= 12


@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_a_second_call_only_where_several_may_come(family: Family, engine: Engine) -> None:
    two, alone = written_by(family, BERGEN, PING), written_by(family, BERGEN)
    several, one = held_format(engine, family), held_format(engine, family, parallel=False)
    has_several = spelling_of(family).calls.separator is not None
    assert accepts(several.held, several.vocabulary, two) is has_several, two
    assert not accepts(one.held, one.vocabulary, two), two
    assert accepts(one.held, one.vocabulary, alone)


def test_most_formats_have_several_calls() -> None:
    alone = {family.name for family in FORMATS if spelling_of(family).calls.separator is None}
    assert alone == {"gpt_oss"}


@pytest.mark.parametrize("family", FORMATS, ids=str)
def test_one_name_lets_no_other_tool_be_called(family: Family, engine: Engine) -> None:
    made = held_format(engine, family, choice="ping")
    assert accepts(made.held, made.vocabulary, written_by(family, PING))
    assert not accepts(made.held, made.vocabulary, written_by(family, BERGEN))
