"""A text without the mark of a state has nothing but the blanks that end it, which `Stream` holds back by itself."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING

import pytest

from respc_runtime.character_classes import BLANKS
from support.scanning import Found, Spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc_runtime.states import State

MARKS: dict[str, tuple[tuple[Spec, ...], str]] = {
    "blanks before some": ((r"\s*<a>", r"\s*<b\s*<a", r"<c>"), "<"),
    "a character that is escaped": ((r"\s*\{a", r"\s*\{b"), "{"),
    "several characters": ((r"\s*<a>", r"\{b"), ""),
    "nothing before any": ((r"<a>", r"<b>"), ""),
    "a run that is looked at once": ((r"\s*<a>", r"\s*<b[^>]+>"), ""),
    "words of another alphabet": ((r"\s*<\w+>",), ""),
}

DELIMITERS = (
    r"\s*<a>",
    r"<ab>",
    r"\s*<(?:a|b)c",
    r"<a?b",
    r"\s*<a\s*<b",
    r"\s*<a*\s*b",
    r"\s*<?a",
    r"\{a",
    r"\s*c",
    r"<a|b$",
    r"<b>|\Z",
)


def differences(state: State, characters: str, longest: int) -> Iterator[str]:
    """Yield the texts without the mark in which something else is found than the blanks at the end."""
    for length in range(1, longest + 1):
        for text in map("".join, product(characters.replace(state.mark, ""), repeat=length)):
            found = state.find(text, 0)
            place = len(text) if found is None else found.start()
            if place != len(text.rstrip(BLANKS)):
                yield text


@pytest.mark.parametrize("stable", [False, True], ids=["default", "stable"])
@pytest.mark.parametrize("name", MARKS)
def test_what_the_mark_is_and_that_nothing_else_is_found(name: str, stable: bool) -> None:
    openers, mark = MARKS[name]
    start = Found(openers, stable=stable).states.start
    assert start.mark == mark
    if mark:
        assert not list(differences(start, "ab{< \n\x1c\u2028", 4))


@pytest.mark.parametrize("stable", [False, True], ids=["default", "stable"])
def test_all_pairs_of_delimiters(stable: bool) -> None:
    marks = 0
    for openers in permutations(DELIMITERS, 2):
        start = Found(openers, stable=stable).states.start
        if start.quick and start.mark:
            marks += 1
            assert not list(differences(start, "abc{< \n", 3)), openers
    assert marks > 20
