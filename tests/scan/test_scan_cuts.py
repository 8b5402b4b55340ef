"""What a stable state finds does not depend on how a text is cut; and when one look at a whole text is enough."""

from __future__ import annotations

import pytest

from support.scanning import Found, Spec, cuts, spans, texts_of, whole_spans
from support.small_patterns import state_of_seed

LONGEST = {1: 6, 2: 6, 3: 5, 4: 4}

STABLE: list[tuple[tuple[Spec, ...], Spec | None, str]] = [
    ((("<a",), (r"\s*<b")), r"a\s*", "<ab\n"),
    (("<(?P<name>[^>]+)>", "<a"), None, "<a>"),
    ((r"<a.*?>\s*",), None, "<a>\n"),
    (("a|^b|$",), None, "ab\n"),
    ((("a", "ab", "abb"),), "b", "ab"),
    ((r"\s*a", "a\n"), None, "a\n"),
    ((r"\s*<",), None, "<\n"),
    (("(?:.*?b|b[ab]+a)<",), None, "ab<"),
]
UNSTABLE = [
    r"\s*bb[ab]?.*?a",
    "(?:a|^)a|a.*?<",
    "[^a]{1,2}(?=b)",
    r"^\s*.+?aa",
    "a.*?(?:bcd|b)",
]
NOT_CERTAIN_AT_ONCE = ["[ab]{2}a*.*?a", "b.*a.*?a", "<(?:a)?.?.*?a"]


def same_however_cut(found: Found, characters: str, longest: int) -> None:
    for text in texts_of(characters, longest):
        at_once = spans(found, (text,))
        if at_once is not None:
            for pieces in cuts(text):
                assert spans(found, pieces) == at_once, pieces


@pytest.mark.parametrize(("openers", "closer", "characters"), STABLE, ids=str)
def test_stable_states(openers: tuple[Spec, ...], closer: Spec | None, characters: str) -> None:
    found = Found(openers, closer, stable=True)
    assert found.plans
    assert not any(plan.unstable for plan in found.plans)
    same_however_cut(found, characters, LONGEST[min(len(characters), 4)])


@pytest.mark.parametrize("pattern", [*UNSTABLE, *NOT_CERTAIN_AT_ONCE])
def test_what_more_text_can_move_is_called_unstable(pattern: str) -> None:
    plans = Found((pattern,), stable=True).plans
    assert not plans or any(plan.unstable for plan in plans)


@pytest.mark.parametrize("seed", range(300))
def test_stable_states_of_random_delimiters(seed: int) -> None:
    openers, closer, characters = state_of_seed(seed)
    found = Found(openers, closer, stable=True)
    if found.starting and found.later and not any(plan.unstable for plan in found.plans):
        same_however_cut(found, characters, LONGEST[len(characters)])


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("seed", range(300))
def test_one_look_at_a_whole_text_is_enough_where_the_ir_says_so(seed: int, stable: bool) -> None:
    openers, closer, characters = state_of_seed(seed)
    found = Found(openers, closer, stable=stable)
    if not found.ir.whole_text or (stable and any(plan.unstable for plan in found.plans)):
        return
    for text in texts_of(characters, LONGEST[len(characters)]):
        fed = spans(found, (text,))
        if fed is not None:
            assert whole_spans(found, text) == fed, text
