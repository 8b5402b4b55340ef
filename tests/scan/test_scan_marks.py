"""Text without the marks that tell of delimiters has none, and has begun none."""

from __future__ import annotations

from itertools import product

import pytest

from support.scanning import Found, Spec
from support.small_patterns import state_of_seed

CASES: dict[str, tuple[tuple[Spec, ...], str, str | tuple[str, ...] | None, str | None]] = {
    "a mark": ((r"<t>",), "<", "<", ""),
    "behind a blank": ((r" (?=\{)",), "{ a", "{", " "),
    "behind two line ends": ((r"\n\n(?=\{)",), "{\na", "{", "\n"),
    "behind blanks or nothing": ((r"(?:[ \n]|<t>)(?=\{)",), "{< \na", "{<", " \n"),
    "behind blanks that may be there": ((r"[ ]?\{",), "{ a", "{", " "),
    "behind a run of blanks": ((r"[ ]+<t",), "<t a", "<", " "),
    "a letter behind a blank": ((r" t<",), "t< a", (" t<",), " t"),
    "another blank behind a blank": ((r" (?=[\n<])",), "\n< a", (" \n", " <"), " "),
    "a word": ((r"abc<",), "abc<", "a", ""),
    "words": ((r"abc<", r"bc<"), "abc<", ("abc", "bc<"), "abc"),
    "words, one of which is in another": ((r"abb<", r"bb"), "ab<", ("bb",), "ab"),
    "words with a class in them": ((r"a\w<", r"b[ab]c"), "abc<é", ("a", "bbc"), "ab"),
    "words of many kinds": ((r"a[abc<]<", r"b<"), "abc<", ("a", "b<"), "b"),
    "words behind blanks": ((r" ?(?:abc<|bc<)",), "abc< ", ("abc", "bc<", " ab", " bc"), "abc "),
    "anything behind a blank": ((r" (?=[^<])",), "< a", " ", ""),
    "nothing that has to be behind a blank": ((r" <?",), "< a", " ", ""),
    "blanks before, as many as there are": ((r" *<t",), "<t a", "<", " "),
}


def texts(characters: str, length: int) -> list[str]:
    return ["".join(text) for size in range(1, length + 1) for text in product(characters, repeat=size)]


def differences(found: Found, characters: str) -> list[str]:
    """Give the texts that have nothing that tells, and in which something stands or is held all the same."""
    plan = found.later
    if plan is None or plan.first is None or plan.held is None:
        return []
    told = plan.first
    plain = [
        text
        for text in texts(characters, 4)
        if not any(mark in text for mark in told) and text[-1] not in plan.held
    ]
    return [text for text in plain if found.decide(text, 0, at_end=False, at_start=False).place != len(text)]


@pytest.mark.parametrize("name", CASES)
def test_what_tells_of_a_delimiter(name: str) -> None:
    openers, characters, first, held = CASES[name]
    found = Found(openers)
    assert found.later is not None
    assert found.later.first == (None if first is None else set(first))
    assert found.later.held == (None if held is None else set(held))
    assert not differences(found, characters + "x")


@pytest.mark.parametrize("stable", [False, True], ids=["default", "stable"])
def test_text_without_it_needs_no_search_in_random_states(stable: bool) -> None:
    told = 0
    for seed in range(400):
        openers, closer, characters = state_of_seed(seed)
        found = Found(openers, closer, stable=stable)
        told += found.later is not None and found.later.first is not None
        assert not differences(found, characters), (openers, closer)
    assert told > 100
