"""The usual run leaves out what is marked as long, and only that; a part of it is run before a merge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support import sweeps
from support.sweeps import (
    BEFORE_MERGE,
    LONG,
    LONG_BEFORE_MERGE,
    ONE_IN,
    USUAL_ONE_IN,
    mark_what_is_left_to_longer_runs,
    rows_swept,
    templates_swept,
)
from support.templates import CORPUS, TESTS, own_corpus_names, read_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

PROJECT = TESTS.parent


class Item:
    """As much of a test as the tables look at."""

    def __init__(self, place: str, parameter: str = "", markers: Sequence[str] = ()) -> None:
        file, _, function = place.partition("::")
        self.path: Path = TESTS / file
        self.nodeid = f"tests/{file}::{function}{parameter}"
        self.markers = [*markers]

    def add_marker(self, marker: pytest.MarkDecorator) -> None:
        self.markers.append(marker.name)

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.markers else None


def marked(items: list[Item]) -> list[Item]:
    mark_what_is_left_to_longer_runs(items)
    return [item for item in items if item.markers]


def of_sweep(place: str, number: int) -> list[Item]:
    file = place if "::" in place or place.endswith(".py") else f"{place}/test_of_this_folder.py"
    function = file if "::" in file else f"{file}::test_of_this_file"
    return [Item(function, f"[{each}]") for each in range(number)]


def one_in_of(table: Mapping[str, int], item: Item) -> int:
    """Give the number for a test: that of its function, or else of its file, or else of its folder."""
    return next((table[place] for place in sweeps.places_of(item) if place in table), 1)


@pytest.mark.parametrize(
    "place", [*ONE_IN, *USUAL_ONE_IN, *sorted(LONG), *sorted(BEFORE_MERGE), *sorted(LONG_BEFORE_MERGE)]
)
def test_what_the_tables_name_is_there(place: str) -> None:
    file, _, function = place.partition("::")
    path = TESTS / file
    assert path.exists()
    assert not function or f"def {function.rpartition('::')[2]}(" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", [*ONE_IN, *(place for place in USUAL_ONE_IN if place not in ONE_IN)])
def test_some_of_a_sweep_stay_some_are_run_before_a_merge_and_the_rest_is_long(place: str) -> None:
    (first,) = of_sweep(place, 1)
    one_in, usual_one_in = one_in_of(ONE_IN, first), one_in_of(USUAL_ONE_IN, first)
    items = of_sweep(place, 2 * one_in * usual_one_in + 1)
    rest = marked(items)
    assert [item for item in items if item not in rest] == items[:: one_in * usual_one_in]
    assert all("long" in item.markers for item in rest)
    before_merge = [item for item in rest if "before_merge" in item.markers]
    all_that_is_long = LONG_BEFORE_MERGE.intersection(sweeps.places_of(first))
    assert before_merge == (rest if all_that_is_long else [item for item in items[::one_in] if item in rest])


@pytest.mark.parametrize("place", sorted(BEFORE_MERGE))
def test_what_is_only_run_before_a_merge_is_so_as_a_whole(place: str) -> None:
    items = of_sweep(place, 3)
    assert marked(items) == items
    assert all({*item.markers} == {"long", "before_merge"} for item in items)


@pytest.mark.parametrize("place", [next(place for place in USUAL_ONE_IN if "::" in place), min(BEFORE_MERGE)])
def test_what_is_long_by_its_marker_is_not_run_before_a_merge_for_the_others_of_its_function(
    place: str,
) -> None:
    long = [Item(place, f"[{each}]", ["long"]) for each in range(20)]
    marked(long)
    assert [item.markers for item in long if "before_merge" in item.markers] == []


def test_what_is_long_by_its_marker_is_run_before_a_merge_where_all_is_that_is_long() -> None:
    there, elsewhere = (
        Item(f"{folder}/test_of_it.py::test", markers=["long"]) for folder in ("differential", "meta")
    )
    usual = Item("differential/test_of_it.py::test_that_is_not_long")
    assert marked([there, elsewhere, usual]) == [there, elsewhere]
    assert there.markers == ["long", "before_merge"]
    assert elsewhere.markers == ["long"]


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


def test_the_commands_run_what_is_marked() -> None:
    commands = (PROJECT / ".ci" / "run").read_text(encoding="utf-8")
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert '"${long_tests% -m long} -m before_merge"' in commands
    assert "-m pytest -q -n 2 --dist loadgroup -m long" in readme
