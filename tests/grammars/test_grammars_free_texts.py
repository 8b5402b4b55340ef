"""Free texts: their automatons allow what their definition says, and nothing else."""

from __future__ import annotations

from itertools import product

import pytest

from respc.grammars.automaton import TextAutomaton
from respc.grammars.nodes import FreeText
from support.grammar_texts import accepts

LONGEST = 7


def allowed(text: FreeText, written: str) -> bool:
    """Tell by trying every place whether a text is one of these: the end is found once, where it ends."""
    if not text.end:
        return not any(each in written for each in text.without)
    if not written.endswith(text.end):
        return False
    inside = len(written) - len(text.end)
    if written.find(text.end) != inside:
        return False
    return not any(0 <= written.find(each) < inside for each in text.without)


@pytest.mark.parametrize(
    "text",
    [
        FreeText("any", "ab"),
        FreeText("any", "aab"),
        FreeText("any", "b", ("aa",)),
        FreeText("any", "bab", ("ab",)),
        FreeText("any", "cab", ("ab", "ca")),
        FreeText("any", "ac", ("ab", "bb")),
        FreeText("any", "", ("aba", "cc")),
        FreeText("any", "aaba"),
    ],
    ids=repr,
)
def test_an_automaton_allows_what_the_definition_says(text: FreeText) -> None:
    wrong = [
        written
        for length in range(LONGEST + 1)
        for letters in product("abc", repeat=length)
        if accepts(text, written := "".join(letters)) != allowed(text, written)
    ]
    assert not wrong


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ('x"', True),
        ('"', True),
        ('a\\"b"', True),
        ("a\\", False),
        ('a"b"', False),
        ("a\n", False),
        ('a\\n"', True),
        ('\\q"', False),
        ('\\u00e4"', True),
        ('\\ud83d"', False),
        ('\\uD7ff"', True),
        ('\\u00e"', False),
        ('</call"', True),
        ('</call>"', False),
        ('x</ca</call>"', False),
        ('<\\/call>"', True),
        ("no end", False),
    ],
)
def test_a_string_has_its_escapes_and_not_what_ends_the_call(written: str, expected: bool) -> None:
    assert accepts(FreeText("escaped", '"', ("</call>",)), written) is expected


def test_a_string_may_not_end_where_that_would_make_what_ends_the_call() -> None:
    text = FreeText("escaped", '"}', ('a"', "</call>"))
    assert accepts(text, 'b"}')
    assert not accepts(text, 'ba"}')


@pytest.mark.parametrize(
    ("written", "expected"),
    [('x"', True), ('xy"', True), ('city"', False), ('cit"', True), ('\\u0063ity"', False)],
)
def test_a_further_key_is_none_of_those_that_are_declared(written: str, expected: bool) -> None:
    assert accepts(FreeText("plain", '"', (), ("city", "x1")), written) is expected


def test_an_automaton_is_as_large_as_its_texts() -> None:
    short = len(TextAutomaton(FreeText("any", "</a>")).states)
    long = len(TextAutomaton(FreeText("any", "</a>", ("</bbbbbbbbbb>",))).states)
    assert short <= 4
    assert short < long <= 16
