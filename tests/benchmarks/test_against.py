"""Two checkouts are compared in processes of their own, and nothing is timed that is not the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from benchmarks.against import HERE, AgainstRow, Process, SideError, compare, main, summary
from benchmarks.against_jobs import WHOLE, cut_at, jobs
from benchmarks.equality import UnequalError
from benchmarks.families import SMOLLM3
from benchmarks.settings import Settings
from benchmarks.side import STREAMED

if TYPE_CHECKING:
    from pathlib import Path

ONLY_SMOLLM3 = Settings(families=(), parsers=("smollm3",), rounds=1, quick=True)


class Told:
    """A side that answers what a test wants."""

    def __init__(self, messages: list[str], events: str = "", seconds: float = 0.01) -> None:
        self._answer = {"messages": messages, "events": events}
        self._seconds = seconds

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        return self._answer

    def seconds(self, repeats: int = 1) -> float:
        return self._seconds


def rows(new: Told, old: Told) -> list[AgainstRow]:
    return list(compare(cast("Process", new), cast("Process", old), ONLY_SMOLLM3))


def row(how: str, new_over_old: float, same_events: bool = True) -> AgainstRow:
    return AgainstRow(how, "smollm3", "prose", 1_000, same_events, 10.0, new_over_old)


def test_marks_are_single_chunks_whatever_the_tokenizer_knows() -> None:
    text = "Well[TOOL_CALLS]look{}</s>"
    chunks = cut_at(text, ["[TOOL", "[TOOL_CALLS]", "</s>"])
    assert "".join(chunks) == text
    assert "[TOOL_CALLS]" in chunks
    assert chunks[-1] == "</s>"
    assert "".join(cut_at(text, [])) == text


def test_jobs_are_streamed_and_whole_and_quick_ones_short() -> None:
    of_family = list(jobs(Settings(families=(SMOLLM3,), parsers=("none",), quick=True)))
    assert {job.how for job in of_family} == {STREAMED, WHOLE}
    assert max(job.tokens for job in of_family) < 1_100
    assert {job.text for job in jobs(ONLY_SMOLLM3)} == {"prose", "samples"}
    for job in [*of_family, *jobs(ONLY_SMOLLM3)]:
        assert all("".join(item["chunks"]) == item["text"] for item in job.items)
        assert json.loads(json.dumps(job.as_request())) == job.as_request()


def test_sides_with_other_messages_are_refused_and_other_events_are_said() -> None:
    with pytest.raises(UnequalError, match="messages"):
        rows(Told(["{'a': 1}"]), Told(["{'a': True}"]))
    found = rows(Told(["{}"], "one", 0.02), Told(["{}"], "other", 0.01))
    assert not any(each.same_events for each in found)
    assert {each.new_over_old for each in found} == {2.0}


def test_the_summary_has_the_mean_of_whole_texts_and_the_worst_stream() -> None:
    lines = summary(
        [row(WHOLE, 0.5), row(WHOLE, 2.0), row(STREAMED, 0.5), row(STREAMED, 0.9, same_events=False)]
    )
    assert lines[0].startswith("whole texts: 1.000 is the geometric mean of 2 rows; worst 2.00")
    assert lines[1].startswith("streams: 0.90 is the worst of 2 rows")
    assert lines[2] == "events: not the same in 1 of 2 streams"
    assert summary([]) == []


def test_a_checkout_beside_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "rows.json"
    options = ["--quick", "--rounds", "1", "--family", "none", "--parser", "granite3_3", "--json", str(file)]
    assert main([str(HERE), *options]) == 0
    printed = capsys.readouterr().out
    assert "## This checkout over the other" in printed
    assert "whole texts:" in printed
    read = json.loads(file.read_text(encoding="utf-8"))
    assert {(each["how"], each["text"]) for each in read} == {
        (how, text) for how in (STREAMED, WHOLE) for text in ("prose", "samples")
    }
    assert all(each["same_events"] for each in read)


def test_a_folder_that_is_no_checkout_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Process(tmp_path) as nothing, pytest.raises(SideError, match="respc_runtime"):
        nothing.ask({"time": 1})
    assert main([str(tmp_path), "--quick", "--family", "none", "--parser", "smollm3"]) == 1
    assert "name a checkout" in capsys.readouterr().err


def test_what_raises_on_both_sides_is_the_same() -> None:
    job = {"how": STREAMED, "module": "smollm3"}
    item = {"prefix": "<|im_start|>assistant\n", "tools": None}
    bad = {**item, "text": "<tool_call>{</tool_call>", "chunks": ["<tool_call>", "{", "</tool_call>", "a"]}
    good = {**item, "text": "Yes.", "chunks": ["Yes", "."]}
    with Process(HERE) as one:
        answer = one.ask({"prepare": {**job, "items": [bad, good]}})
        assert answer["messages"] == ["raised ValueError", "{'role': 'assistant', 'content': 'Yes.'}"]
        assert 0 < one.seconds() < 1
