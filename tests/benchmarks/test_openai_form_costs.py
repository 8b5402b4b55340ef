"""The OpenAI form is compared with its message before it is measured, and every family and length has its row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import benchmarks.openai_form as section
from benchmarks import report
from benchmarks.equality import UnequalError
from benchmarks.families import FAMILIES, SMOLLM3, Family
from benchmarks.figures import Figures
from benchmarks.generations import answering
from benchmarks.goals import verdicts
from benchmarks.openai_form import (
    OpenAIFormMemoryRow,
    OpenAIFormRow,
    openai_form,
    openai_form_memory,
    require_same_as_whole,
)
from benchmarks.settings import Settings
from respc.measuring.timing import seconds
from support.stability import stable_module

if TYPE_CHECKING:
    from collections.abc import Callable


def parser_of(family: Family) -> Any:
    module = stable_module(family.template, "serving")
    assert module is not None
    return module.ResponseParser


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
@pytest.mark.parametrize("stream_arguments", [False, True])
def test_deltas_of_each_family_add_up(family: Family, stream_arguments: bool) -> None:
    generation = answering(family, 400, "dense")
    require_same_as_whole(parser_of(family), family, generation, stream_arguments=stream_arguments)


@pytest.mark.parametrize("key", ["content", "reasoning_content", "tool_calls"])
def test_deltas_that_do_not_are_refused(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    class Forgetful(section.ChatCompletionParser):
        def feed(self, text: str) -> list[dict[str, Any]]:
            return [delta for delta in super().feed(text) if key not in delta]

    monkeypatch.setattr(section, "ChatCompletionParser", Forgetful)
    with pytest.raises(UnequalError, match=r"smollm3, OpenAI form, (calls|content|reasoning_content)"):
        require_same_as_whole(parser_of(SMOLLM3), SMOLLM3, answering(SMOLLM3, 200))


def test_each_length_and_kind_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def once(works: dict[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
        assert rounds > 1
        return {name: [seconds(work)] for name, work in works.items()}

    monkeypatch.setattr(section, "in_rounds", once)
    monkeypatch.setattr(section, "MEMORY_LENGTHS", (100, 1_000))
    settings = Settings((SMOLLM3,), rounds=1, quick=True)
    rows = list(openai_form(settings))
    assert [(row.text, row.tokens) for row in rows] == [
        ("ordinary", 100),
        ("ordinary", 1_000),
        ("dense", 1_000),
        ("mostly calls", 1_000),
    ]
    (held,) = openai_form_memory(settings)
    assert 0 < held.parser_held < held.form_held
    assert "| smollm3 | mostly calls" in report.section("openai_form", rows)
    assert "| smollm3 | 100 " in report.section("openai_form_memory", [held])


def test_ordinary_text_and_long_streams_are_judged() -> None:
    rows = [
        OpenAIFormRow("one", text, 1_000, 300.0, over, 9.0)
        for text, over in (("ordinary", 2.1), ("dense", 3.0))
    ]
    memory = [OpenAIFormMemoryRow("one", tokens, 100, held) for tokens, held in ((1_000, 190), (10_000, 160))]
    figures = Figures(openai_form=rows, openai_form_memory=memory)
    assert [(verdict.measured, verdict.met) for verdict in verdicts(figures)] == [(2.1, True), (1.6, False)]
    assert Figures.from_json(figures.to_json([])).openai_form == rows
