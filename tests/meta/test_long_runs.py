"""The usual run leaves out what is marked as long, and only that; all of it is in the long run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.sweeps import LONG, ONE_IN, mark_what_is_left_to_the_long_run, rows_swept, templates_swept
from support.templates import CORPUS, TESTS, own_corpus_names, read_rows

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = TESTS.parent


class Item:
    """As much of a test as the tables look at."""

    def __init__(self, place: str, parameter: str = "") -> None:
        file, _, function = place.partition("::")
        self.path: Path = TESTS / file
        self.nodeid = f"tests/{file}::{function}{parameter}"
        self.markers: list[str] = []

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        self.markers.append(marker.name)


def marked(items: list[Item]) -> list[Item]:
    mark_what_is_left_to_the_long_run(items)  # type: ignore[arg-type]
    return [item for item in items if item.markers]


@pytest.mark.parametrize("place", [*ONE_IN, *sorted(LONG)])
def test_what_the_tables_name_is_there(place: str) -> None:
    file, _, function = place.partition("::")
    path = TESTS / file
    assert path.exists()
    assert not function or f"def {function.rpartition('::')[2]}(" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", ONE_IN)
def test_some_of_a_sweep_stay_and_the_rest_is_long(place: str) -> None:
    function = place if "::" in place else f"{place}::test_of_this_file"
    items = [Item(function, f"[{number}]") for number in range(2 * ONE_IN[place] + 1)]
    rest = marked(items)
    assert [item for item in items if item not in rest] == items[:: ONE_IN[place]]
    assert all(item.markers == ["long"] for item in rest)


def test_one_that_is_asked_for_is_run() -> None:
    assert not marked([Item(next(iter(ONE_IN)), "[the last of all]")])


def test_what_no_table_names_is_not_long() -> None:
    assert not marked([Item("meta/test_long_runs.py::test_of_it", f"[{number}]") for number in range(20)])
    assert (
        len(marked([Item("packaging/test_wheel.py::test_of_it", f"[{number}]") for number in range(3)])) == 3
    )


def test_own_templates_are_all_in_the_usual_run() -> None:
    own = own_corpus_names()
    swept = templates_swept([*own, *(f"beside {number}" for number in range(7))])
    assert [parameter.id for parameter in swept if not parameter.marks] == [*own, "beside 0", "beside 5"]
    rows = read_rows(CORPUS / "field_cases.jsonl")
    swept = rows_swept("field_cases.jsonl", [{"id": "beside 0"}, {"id": "beside 1"}, *rows])
    assert [parameter.values[0] for parameter in swept if parameter.marks] == [{"id": "beside 1"}]


def test_all_that_is_left_out_is_run_before_a_merge() -> None:
    commands = (PROJECT / ".ci" / "run").read_text(encoding="utf-8")
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert "-m long" in commands
    assert "-m pytest -q -n 2 --dist loadgroup -m long" in readme
