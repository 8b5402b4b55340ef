"""Modules with serving events are compared before they are timed, and what cannot be stable is said."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import respc
from benchmarks import report
from benchmarks.engines import Engine, serving
from benchmarks.equality import UnequalError
from benchmarks.families import FAMILIES, SMOLLM3, Family
from benchmarks.figures import Figures
from benchmarks.generations import answering
from benchmarks.goals import verdicts
from benchmarks.serving import ServingRow, require_same_as_default
from benchmarks.serving import serving as measure
from benchmarks.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.workload import Kind

TWICE = r"<([a-z])\1>"


def row(stable: float | None, unstable: float, tokens: int = 100) -> ServingRow:
    return ServingRow("one", "streamed", "dense", tokens, 30.0, stable, unstable)


def with_closer(pattern: str) -> Family:
    """Give a family that nothing was compiled for yet, of another template."""
    fields = {**SMOLLM3.template["fields"], "content": {"close_pattern": pattern}}
    return replace(SMOLLM3, template={**SMOLLM3.template, "fields": fields})


class Disturbed:
    """A parser whose events and message pass through a function on their way out."""

    def __init__(self, parser: Any, disturb: Callable[[Any], Any]) -> None:
        self._parser = parser
        self._disturb = disturb
        self.initial_events = parser.initial_events

    def feed(self, text: str) -> list[Any]:
        return [self._disturb(event) for event in self._parser.feed(text)]

    def finalize(self) -> tuple[Any, list[Any]]:
        message, events = self._parser.finalize()
        return self._disturb(message), [self._disturb(event) for event in events]


def disturbed(engine: Engine | None, disturb: Callable[[Any], Any]) -> Engine:
    assert engine is not None
    return replace(engine, open=lambda prefix: Disturbed(engine.open(prefix), disturb))


def with_other_text(what: dict[str, Any]) -> dict[str, Any]:
    return {**what, "text": what["text"].upper()} if "text" in what else what


def with_other_content(what: dict[str, Any]) -> dict[str, Any]:
    return {**what, "content": ""} if "content" in what else what


def with_more(what: dict[str, Any]) -> dict[str, Any]:
    return {**what, "index": 0} if "field" in what else what


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("kind", ["ordinary", "dense"])
def test_each_family_has_serving_modules_that_give_the_same(family: Family, kind: Kind) -> None:
    assert serving(family, stable=True) is not None
    assert serving(family, stable=False) is not None
    require_same_as_default(family, answering(family, 600, kind))


def test_the_modules_that_are_compared_have_serving_events() -> None:
    for stable in (True, False):
        engine = serving(SMOLLM3, stable=stable)
        assert engine is not None
        (opened,) = engine.open(SMOLLM3.prompt).feed("<think>")
        assert (opened["start"], opened["end"], opened["captures"]) == (0, 7, {})


def test_a_stable_and_an_unstable_module_are_told_apart() -> None:
    family = with_closer(r"<end>(?:\n<stop>)?")
    closed: list[bool] = []
    for stable in (True, False):
        engine = serving(family, stable=stable)
        assert engine is not None
        parser = engine.open(family.prompt)
        events = parser.feed("Yes.") + parser.feed("<end>\n")
        closed.append("region_close" in [event["type"] for event in events])
    assert closed == [False, True]


@pytest.mark.parametrize(
    ("disturb", "part"),
    [
        (with_other_text, "stable, regions"),
        (with_other_content, "stable, message"),
    ],
)
def test_a_stable_parser_that_gives_something_else_is_refused(disturb: Any, part: str) -> None:
    with pytest.raises(UnequalError, match=part):
        require_same_as_default(
            SMOLLM3,
            answering(SMOLLM3, 200),
            stable=disturbed(serving(SMOLLM3, stable=True, careful=False), disturb),
        )


@pytest.mark.parametrize(
    ("disturb", "part"),
    [
        (with_other_text, "serving events: feeds"),
        (with_more, "serving events: feeds"),
        (with_other_content, "serving events: message"),
    ],
)
def test_a_parser_of_other_events_is_refused(disturb: Any, part: str) -> None:
    with pytest.raises(UnequalError, match=part):
        require_same_as_default(
            SMOLLM3,
            answering(SMOLLM3, 200),
            unstable=disturbed(serving(SMOLLM3, stable=False, careful=False), disturb),
        )


@pytest.mark.parametrize("stable", [True, False])
def test_another_message_of_the_whole_text_is_refused(stable: bool) -> None:
    engine = serving(SMOLLM3, stable=stable, careful=False)
    assert engine is not None
    forgetful = replace(engine, whole=lambda text, prompt: {"role": "assistant"})
    with pytest.raises(UnequalError, match="whole text"):
        require_same_as_default(
            SMOLLM3, answering(SMOLLM3, 200), **{"stable" if stable else "unstable": forgetful}
        )


def test_what_cannot_be_stable_is_measured_without_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.serving.LENGTHS", (100,))
    family = with_closer(TWICE)
    assert serving(family, stable=True) is None
    rows = list(measure(Settings((family,), rounds=1, quick=True)))
    assert {each.stable_over_default for each in rows} == {None}
    assert all(each.unstable_over_default > 0 for each in rows)
    assert "cannot be stable" in report.section("serving", rows)
    assert all(verdict.rows == len(rows) for verdict in verdicts(Figures(serving=rows)))


def test_a_template_that_is_refused_for_another_reason_is_not_taken_for_one_that_cannot_be_stable() -> None:
    with pytest.raises(respc.TemplateError, match="RT207"):
        serving(with_closer("("), stable=True)


def test_each_kind_and_length_is_measured_in_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.serving.LENGTHS", (50, 100, 1_000))
    rows = list(measure(Settings((SMOLLM3,), rounds=1, quick=True)))
    assert len(rows) == 8
    assert {(each.how, each.text, each.tokens) for each in rows} == {
        (how, text, tokens)
        for how in ("streamed", "whole text")
        for text in ("ordinary", "dense")
        for tokens in (50, 100)
    }
    assert all(each.stable_over_default is not None for each in rows)


def test_the_worst_of_both_ratios_of_all_rows_is_judged() -> None:
    (verdict,) = verdicts(Figures(serving=[row(1.1, 1.15), row(None, 1.2), row(1.19, 1.0, 1_000)]))
    assert (verdict.measured, verdict.met, verdict.rows) == (1.2, True, 5)
    assert verdict.worst == "one, streamed, 100 tokens, dense, not stable"
    (verdict,) = verdicts(Figures(serving=[row(1.3, 1.15)]))
    assert (verdict.measured, verdict.met) == (1.3, False)
    assert verdict.worst == "one, streamed, 100 tokens, dense, stable"
