"""What is made of measurements: ratios, goals, tables, JSON and a picture."""

from __future__ import annotations

import gc
import json
import platform
from pathlib import Path
from typing import Any

import pytest

from benchmarks import report
from benchmarks.__main__ import SECTIONS, main
from benchmarks.figures import ROWS, Figures
from benchmarks.goals import GOALS, Goal, verdicts
from benchmarks.growth import GrowthRow, worst_doubling
from benchmarks.memory import MemoryRow
from benchmarks.peer import PeerMissingError
from benchmarks.plot import PlotMissingError, draw
from benchmarks.streaming import StreamedRow
from benchmarks.timing import ratio
from benchmarks.vocabulary import rank_lines
from respc.measuring.timing import in_rounds, own_copy, pour


def streamed(family: str, tokens: int, over_floor: float, text: str = "ordinary") -> StreamedRow:
    return StreamedRow(family, text, tokens, 0.01, 300.0, 12.0, over_floor)


def growth_rows() -> list[GrowthRow]:
    return [
        GrowthRow(family, how, [1_000, 2_000], [0.001, 0.002], [0.0005, 0.001], [0.01], 2.0)
        for family in ("smollm3", "qwen3.5")
        for how in ("streamed", "whole text")
    ]


def test_work_is_done_by_turns_and_each_round_gives_a_figure() -> None:
    done: list[str] = []
    times = in_rounds({name: lambda name=name: done.append(name) for name in "abc"}, 4)
    assert {name: len(figures) for name, figures in times.items()} == {"a": 4, "b": 4, "c": 4}
    assert all(figure > 0 for figures in times.values() for figure in figures)
    turns = [name for before, name in zip(["", *done], done, strict=False) if name != before]
    assert "".join(turns) == "abc" + "abc" + "bca" + "cab" + "abc"
    assert gc.isenabled()


def test_a_ratio_is_the_median_of_the_rounds() -> None:
    assert ratio({"slow": [10.0, 30.0, 1000.0], "fast": [1.0, 2.0, 10.0]}, "slow", "fast") == 15.0


def test_a_copied_loop_does_the_same_with_code_of_its_own() -> None:
    loop, fed = own_copy(pour), []
    loop(fed.append, ["a", "b"])
    assert fed == ["a", "b"]
    assert loop.__code__ is not pour.__code__


def test_the_worst_doubling_is_seen_and_one_spoiled_round_is_not() -> None:
    assert worst_doubling({1: [1.0, 1.0, 1.0], 2: [2.0, 2.0, 2.0], 4: [8.0, 8.0, 8.0]}) == 4.0
    assert worst_doubling({1: [1.0, 1.0, 0.4], 2: [2.0, 2.0, 2.0]}) == 2.0
    assert worst_doubling({1: [1.0]}) == 1.0


def test_a_goal_is_judged_by_its_worst_row_and_only_where_there_are_rows() -> None:
    figures = Figures(
        streamed=[streamed("one", 1_000, 1.2), streamed("two", 10_000, 1.5), streamed("three", 100, 1.6)]
    )
    judged = {verdict.goal.what: verdict for verdict in verdicts(figures)}
    long = judged["stream over the literal floor, 1,000 tokens and more"]
    short = judged["stream over the literal floor, 100 tokens or dense text"]
    assert (long.measured, long.worst, long.rows, long.met) == (1.5, "two, 10000 tokens, ordinary", 2, False)
    assert (short.measured, short.met) == (1.6, True)
    assert not any("memory" in what for what in judged)


def test_a_goal_to_reach_is_judged_by_the_least() -> None:
    goal = Goal("speed", "at least", 5, "×", lambda _: [(6.0, "a"), (4.0, "b")])
    verdict = goal.verdict(Figures())
    assert verdict is not None
    assert (verdict.measured, verdict.worst, verdict.met) == (4.0, "b", False)


def test_memory_is_judged_at_ten_thousand_tokens() -> None:
    figures = Figures(memory=[MemoryRow("a", 1_000, 10, 90, 1, 1), MemoryRow("a", 10_000, 100, 60, 1, 1)])
    (verdict,) = verdicts(figures)
    assert (verdict.measured, verdict.met) == (0.6, True)


def test_every_section_is_measured_kept_and_printed() -> None:
    assert list(SECTIONS) == list(ROWS) == list(report.SECTIONS)
    assert len({goal.what for goal in GOALS}) == len(GOALS)


def test_figures_survive_json() -> None:
    figures = Figures(
        environment={"python": "CPython 3", "system": "Linux", "cores": 2},
        streamed=[streamed("one", 1_000, 1.25)],
        growth=growth_rows(),
    )
    goals = [verdict.as_json() for verdict in verdicts(figures)]
    text = figures.to_json(goals)
    assert Figures.from_json(text) == figures
    assert set(json.loads(text)) == {"environment", "goals", *ROWS}
    assert {"what", "goal", "unit", "measured", "worst", "rows", "met"} == set(goals[0])


def test_a_run_writes_its_figures_and_can_be_printed_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "figures.json"
    assert (
        main(["--quick", "--only", "streamed", "--family", "smollm3", "--rounds", "1", "--json", str(file)])
        == 0
    )
    printed = capsys.readouterr().out
    read: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    assert {row["text"] for row in read["streamed"]} == {"without a call", "ordinary", "dense"}
    assert all(set(row) == set(StreamedRow.__slots__) for row in read["streamed"])
    assert read["environment"]["python"].startswith(platform.python_implementation())
    for private in (platform.node(), str(tmp_path), str(Path.home()), str(Path.cwd())):
        assert not private or private not in file.read_text(encoding="utf-8")
    assert main(["--from-json", str(file)]) == 0
    again = capsys.readouterr().out
    assert again.splitlines()[0] == printed.splitlines()[0] == "## Streamed"
    assert "## Goals" in again


def test_a_missing_peer_is_said_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(settings: object) -> Any:
        raise PeerMissingError("it is not installed")

    monkeypatch.setitem(SECTIONS, "peer", missing)
    assert main(["--only", "peer"]) == 0
    assert "No rows of section peer: it is not installed." in capsys.readouterr().out


def test_the_picture_is_the_same_each_time_opaque_and_small(tmp_path: Path) -> None:
    one, other = tmp_path / "one.svg", tmp_path / "other.svg"
    draw(growth_rows(), one)
    draw(growth_rows(), other)
    text = one.read_text(encoding="utf-8")
    assert text == other.read_text(encoding="utf-8")
    assert "fill: #ffffff" in text
    assert "<dc:date>" not in text
    assert "interpreter, smollm3" in text
    assert len(text) < 60_000


def test_without_curves_nothing_is_drawn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(PlotMissingError, match="growth"):
        draw([], tmp_path / "none.svg")
    file = tmp_path / "figures.json"
    file.write_text(
        Figures(environment={"python": "", "system": "", "cores": 1}).to_json([]), encoding="utf-8"
    )
    assert main(["--from-json", str(file), "--svg", str(tmp_path / "none.svg")]) == 1
    assert "growth" in capsys.readouterr().err


def test_ranks_are_unpacked_in_order() -> None:
    assert rank_lines("! 2 Yw== ZA==\n! 0 YQ== Yg==") == "YQ== 0\nYg== 1\nYw== 2\nZA== 3\n"
