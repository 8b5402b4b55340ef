"""At the start of the message only what stands there alone is looked for, unless others begin like it."""

from __future__ import annotations

from typing import Final

import pytest

from support.scanning import Found, Spec

APART: Final[dict[str, tuple[tuple[Spec, ...], str, set[str]]]] = {
    "another first character": ((r"\Athought|<think>",), "<think>", {"a"}),
    "blanks before it": ((r"\A\s*(?=\[)|<call>",), "<call>", {"a"}),
    "two fields": ((r"\Ato=\w+ ", "<b>"), "<b>", {"a"}),
}
"""Openers, a text of which nothing begins at the start alone, and the fields that do."""

TOGETHER: Final[dict[str, tuple[Spec, ...]]] = {
    "the same first character": (r"\A<thought|<think>",),
    "blanks on both sides": (r"\A\s*\{|\n\n\{",),
    "nothing at all": (r"\A|<think>",),
    "what a look-ahead asks for": (r"\A(?=<)|<think>",),
}


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("name", APART)
def test_what_can_stand_anywhere_is_left_to_the_state_after_it(name: str, stable: bool) -> None:
    openers, elsewhere, fields = APART[name]
    found = Found(openers, stable=stable)
    assert found.starting is not None
    assert found.starting != found.later
    assert {action for _, action in found.starting.groups} == fields
    start = found.states.start
    assert start.scan(elsewhere, 0) is None
    for at_end in (False, True):
        decided = found.decide(elsewhere + "x", 0, at_end=at_end, at_start=True)
        assert (decided.place, decided.end) == (0, len(elsewhere))


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("name", TOGETHER)
def test_what_begins_alike_is_looked_for_together(name: str, stable: bool) -> None:
    found = Found(TOGETHER[name], stable=stable)
    assert found.starting is not None
    assert found.later is not None
    # All that can stand later can stand at the start, too.
    assert found.starting.ends.count("|") > found.later.ends.count("|")


def test_without_anything_of_the_start_it_is_the_same_state() -> None:
    found = Found(("<think>", r"\s*<call>"))
    assert found.starting == found.later
    assert found.states.start.later is found.states.start
