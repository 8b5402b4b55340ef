"""Free texts as xgrammar's own rules let the same texts through as the automatons that stand for them elsewhere."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from grammars.test_grammars_walks import SEED
from respc.grammars.dispatch import excluded_texts
from respc.grammars.ebnf import Ebnf
from respc.grammars.nodes import START, FreeText, Rules
from respc.grammars.notations import joined
from support.grammar_engines import accepts
from support.grammar_vocabularies import ByteVocabulary

if TYPE_CHECKING:
    from support.grammar_engines import Engine

TEXTS = 300
DISPATCHED = [
    FreeText("any", "</p>"),
    FreeText("any", "\n</p>\n", ("</p>", "</c>", "<c ")),
    FreeText("any", "]<]m[>[</x>", ("]<]m[>[<", "[e~[")),
    FreeText("any", "aab", ("ab",)),
    FreeText("any", "", ("<end>", "<start>")),
    FreeText("escaped", '"', ("</c>", "<c>", "<|e|>")),
    FreeText("escaped", "'", ("｜x｜",)),
    FreeText("escaped", '"'),
    FreeText("plain", '"', ("</c>",)),
]
WRITTEN_OUT = [
    FreeText("any", "</p>", ("x</",)),
    FreeText("any", "aa"),
    FreeText("escaped", '"', ('x"',)),
    FreeText("escaped", '"', ("n</c>",)),
    FreeText("escaped", '"', ("f1",)),
    FreeText("escaped", '"', ("a\\b",)),
    FreeText("plain", '"', (), ("a",)),
]


def written(text: FreeText, *, dispatch: bool) -> str:
    """Write a grammar of a free text alone."""
    return joined([Ebnf(dispatch=dispatch).written(Rules(START, {START: text}))])


def pieces(text: FreeText) -> list[str]:
    """List what matters in a text, and parts of it."""
    words = [text.end, *text.without]
    parts = [word[:at] for word in words for at in range(1, len(word))]
    return [*filter(None, words), *parts, "a", "é", "\\n", "\\", "\\u00e9", "\\ud800", "\n", '"', "'", " "]


@pytest.mark.parametrize("text", DISPATCHED, ids=repr)
def test_the_same_texts_are_let_through(text: FreeText, engines: dict[str, Engine]) -> None:
    vocabulary, random = ByteVocabulary(), Random(SEED)
    dispatched, automaton = (
        engines["xgrammar"].compiled(written(text, dispatch=dispatch), vocabulary)
        for dispatch in (True, False)
    )
    assert "TagDispatch" in written(text, dispatch=True)
    verdicts = []
    for _ in range(TEXTS):
        tried = "".join(random.choices(pieces(text), k=random.randrange(5))) + text.end
        verdict = accepts(automaton, vocabulary, tried)
        assert accepts(dispatched, vocabulary, tried) is verdict, tried
        verdicts.append(verdict)
    assert {*verdicts} == {True, False}


@pytest.mark.parametrize("text", WRITTEN_OUT, ids=repr)
def test_what_the_rule_cannot_say_is_written_out(text: FreeText) -> None:
    assert excluded_texts(text) is None
    assert written(text, dispatch=True) == written(text, dispatch=False)


@pytest.mark.parametrize("text", DISPATCHED, ids=repr)
def test_no_excluded_text_is_in_another(text: FreeText) -> None:
    """The xgrammar of SGLang 0.5.23, 0.2.7, lets a text through where it is in a longer one that begins."""
    excluded = excluded_texts(text) or ()
    assert not [(one, other) for one in excluded for other in excluded if one != other and one in other]
