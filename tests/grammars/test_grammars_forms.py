"""The three forms of a grammar say the same: GBNF is read by xgrammar, whose own form of rules it is."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from grammars.test_grammars_walks import SEED
from respc.grammars.llguidance import Lark
from respc.grammars.nodes import START, Choice, Literal, Node, Rules, Sequence
from support.grammar_cases import BERGEN, bad_texts, faults_of, read
from support.grammar_engines import accepts, decoded
from support.grammar_families import formats, grammar_of, kinds_of, valid_of, walker_of, written_by
from support.grammar_vocabularies import ByteVocabulary

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine

FEW, MANY = 5, 200


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize("family", formats(), ids=str)
def test_the_form_of_llama_cpp(family: Family, engines: dict[str, Engine], count: int) -> None:
    vocabulary = ByteVocabulary()
    held = engines["xgrammar"].compiled(grammar_of(family, "gbnf"), vocabulary)
    for call in valid_of(family):
        text = written_by(family, call)
        assert accepts(held, vocabulary, text), text
    good = written_by(family, BERGEN)
    for bad in bad_texts(good, lambda call: written_by(family, call), kinds_of(family)):
        assert not accepts(held, vocabulary, bad.text), bad
    walker, random = walker_of(family, vocabulary), Random(SEED)
    for _ in range(count):
        text = decoded(vocabulary, walker.walk(held, random))
        assert [*faults_of(read(family, text))] == [], text


@pytest.mark.parametrize(
    ("node", "written"),
    [
        (Sequence((Literal("a<to"), Literal("ol>b"))), 'start: "a" <[5]> "b"'),
        (Sequence((Literal("<to"), Choice((Literal("ol>"), Literal("p"))))), 'start: (<[5]> | "<top")'),
        (Sequence((Literal("<to"), Choice((Literal("n"), Literal("p"))))), 'start: "<to" ("n" | "p")'),
    ],
    ids=["two texts", "a choice behind a text", "no token"],
)
def test_a_special_token_is_seen_that_is_in_two_texts(node: Node, written: str) -> None:
    assert Lark({"<tool>": 5}).written(Rules(START, {START: node})).rules == written
