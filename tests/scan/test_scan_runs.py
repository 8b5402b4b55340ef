"""Held text that no chunk wakes decides nothing, and what is skipped holds no delimiter; the work stays linear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from respc_runtime.held_text import LONG_HELD
from respc_runtime.stream import Stream
from support.counted_work import counted_module, work
from support.scanning import Found, Spec, first_difference, template_of, texts_of
from support.small_patterns import state_of_seed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc_runtime.states import Run

RUNS: list[tuple[tuple[Spec, ...], str]] = [
    ((r"\s*<a>",), "<a>\n"),
    ((r"<a\s*",), "<a\nx"),
    (("<[^>]+>",), "<a>"),
    (("<.*?a>",), "<a>"),
    (("<[^<]*<a",), "<ax"),
    (("(?=.*?<a)",), "<ab"),
    # Where any character makes the whole one count.
    (("[ab]*a|^ab*",), "abx"),
    (("a|(?:bb)?a.*?a",), "abx"),
    ((".*?ba?",), "abx"),
    ((r"b+?\s*",), "b\nx"),
    ((r"b|(?:^|a)<(?P<n2><b)|^[^a]*?bb", r"\s{2}b"), "ab<\n"),
    (("<a*(?:ab)?<?",), "ab<"),
    # Where a delimiter with a run of its own comes whole inside another run.
    (("a.*?b|c<+x",), "ac<x"),
    (("(?:ab|^(?=.*?bb))",), "ab"),
    (("<a[^<]*a*",), "<ab"),
]


LONG_SINCE = 3
"""So long, in characters, text has to be held in a run before it may wait: longer than any part of these delimiters."""


def held_in_runs(found: Found, characters: str, longest: int) -> Iterator[tuple[str, Run, bool]]:
    """Find the texts that may wait for a chunk that wakes them: they have been held in one run for long."""
    for at_start in (True, False):
        state = found.states.start if at_start else found.states.start.later
        held: dict[str, tuple[str, int]] = {}
        for text in texts_of(characters, longest):
            match = (state.searches.stable if found.is_stable else state.scan)(text, 0)
            if match is not None and match.start() < len(text) and match.lastgroup in state.runs:
                held[text] = match.lastgroup, match.start()
                before = [text[:-count] for count in range(1, LONG_SINCE + 1)]
                if all(held.get(each) == held[text] for each in before):
                    yield text, state.runs[match.lastgroup], at_start


def decides_nothing_unless_woken(found: Found, characters: str, longest: int) -> int:
    held = 0
    for text, run, at_start in held_in_runs(found, characters, longest):
        before = found.decide(text, 0, at_end=False, at_start=at_start)
        for more in texts_of(characters, 2):
            seen = text[len(text) - min(run.width, len(text)) :] + more
            if not run.search(seen):
                held += 1
                assert found.decide(text + more, 0, at_end=False, at_start=at_start) == before, (text, more)
    return held


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize(("openers", "characters"), RUNS, ids=str)
def test_listed_runs(openers: tuple[Spec, ...], characters: str, stable: bool) -> None:
    found = Found(openers, stable=stable)
    if not any(plan.unstable for plan in found.plans):
        decides_nothing_unless_woken(found, characters, 6)


@pytest.mark.parametrize(("openers", "characters"), RUNS[:6], ids=str)
def test_runs_that_wait_are_there(openers: tuple[Spec, ...], characters: str) -> None:
    assert decides_nothing_unless_woken(Found(openers), characters, 6) > 10


@pytest.mark.parametrize("stable", [False, True])
@pytest.mark.parametrize("seed", range(300))
def test_runs_of_random_delimiters(seed: int, stable: bool) -> None:
    openers, closer, characters = state_of_seed(seed)
    found = Found(openers, closer, stable=stable)
    if found.starting and found.later and not (stable and any(plan.unstable for plan in found.plans)):
        decides_nothing_unless_woken(found, characters, {1: 7, 2: 7, 3: 6, 4: 5}[len(characters)])


SKIPS: list[tuple[tuple[Spec, ...], str]] = [
    (("<a[^>]*>",), "<a>x"),
    (("<a[^>]*>", "b"), "<a>b"),
    (("<.*?>",), "<a>"),
    (("<.*?>", "ab"), "<ab>"),
    (("<[^>]*>a",), "<a>"),
    (("<[^>b]*a>", "$"), "<a>\n"),
    (("<(?:a[^>]*>|b)",), "<ab>"),
    (("<.*?<", "ba.{2}.*?a"), "ab<"),
]


@pytest.mark.parametrize(("openers", "characters"), SKIPS, ids=str)
def test_skips_pass_no_delimiter(openers: tuple[Spec, ...], characters: str) -> None:
    assert first_difference(Found(openers), texts_of(characters, 7 if len(characters) < 4 else 6)) is None


def test_most_of_them_are_skips() -> None:
    assert sum(bool(plan.skips) for openers, _ in SKIPS for plan in Found(openers).plans[:1]) >= 5


NESTED: list[tuple[tuple[Spec, ...], str]] = [
    (("<a[^>]*>",), "<a"),
    (("<a[^>]*>", "b"), "<a"),
    (("<.*?>",), "<a"),
    ((r"\s*<a>",), "\n "),
    ((r"<a\s*>",), "<a \n"),
    (("(?=.*?<a)",), "b"),
]


def growth(openers: tuple[Spec, ...], piece: str, chunk: int) -> float:
    module = counted_module(template_of(openers))

    def looked_at(count: int) -> int:
        text = piece * count
        return work(module, [text[start : start + chunk] for start in range(0, len(text), chunk)])

    return looked_at(4_000) / looked_at(2_000)


@pytest.mark.parametrize("chunk", [1 << 20, 7])
@pytest.mark.parametrize(("openers", "piece"), NESTED, ids=str)
def test_work_is_linear_where_beginnings_are_nested(
    openers: tuple[Spec, ...], piece: str, chunk: int
) -> None:
    assert growth(openers, piece, chunk) < 2.5


@pytest.mark.parametrize(
    ("openers", "begun", "more"),
    [
        ((r"\s*<a>",), " ", "\n"),
        (("<(?P<name>[^>]+)>",), "<c", "name "),
        (("<.*?a>",), "<", "b< "),
        (("(?:<a>)?[^<]*<c>",), "", "text "),
    ],
)
def test_held_text_is_not_searched_again(openers: tuple[Spec, ...], begun: str, more: str) -> None:
    searches: list[str] = []
    parser = _counting(Found(openers), searches)
    parser.feed("start" + begun + more * LONG_HELD)
    few = len(searches)
    for _ in range(1_000):
        parser.feed(more)
    assert len(searches) <= few + 2


def _counting(found: Found, searches: list[str]) -> Any:
    """Make a stream whose states note what they search."""
    states = found.states
    for state in states.all[2:]:

        def scan(text: str, pos: int, scan: Any = state.scan) -> Any:
            searches.append(text)
            return scan(text, pos)

        state.scan = scan
    kind = type("Counting", (Stream,), {"states": states, "__slots__": ()})
    return kind("")
