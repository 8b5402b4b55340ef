"""Hostile shapes and modules made in another way are compared before they are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import respc
from benchmarks import settings
from benchmarks.engines import of_module
from benchmarks.equality import UnequalError
from benchmarks.families import COHERE, SMOLLM3
from benchmarks.hostile_shapes import PROMPT, SHAPES, Shape
from benchmarks.modules import BuilderError, builder_of, modules, rows_of
from benchmarks.shape_growth import ShapeRow, engine_of, require_same_when_short, shapes

if TYPE_CHECKING:
    from types import ModuleType

    from benchmarks.families import Family

QUICK = settings.Settings(families=(SMOLLM3,), rounds=1, quick=True)


@pytest.mark.parametrize("form", ["default", "stable", "serving"])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.what)
def test_shapes_have_their_length_and_are_compared_when_short(shape: Shape, form: str) -> None:
    assert 980 <= len(shape.write(1_000)) <= 1_000
    engine = engine_of(shape, form, compared=True)
    if engine is None:
        assert form == "stable"
    else:
        require_same_when_short(shape, engine, form)


def test_shapes_have_names_of_their_own() -> None:
    assert len({shape.what for shape in SHAPES}) == len(SHAPES)


def test_a_module_of_another_shape_is_refused() -> None:
    shape = next(shape for shape in SHAPES if shape.what == "everything")
    other = of_module(respc.load({"start_anchor": PROMPT, "fields": {"content": {}}}), PROMPT)
    with pytest.raises(UnequalError, match="everything, default"):
        require_same_when_short(shape, other, "default")


def test_a_shape_that_cannot_be_stable_has_a_row_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = next(shape for shape in SHAPES if shape.what == "everything")
    refused = Shape(
        "a word's end", {**plain.template, "fields": {"a": {"open_pattern": r"b\b\B", "close": "c"}}}, "b"
    )
    monkeypatch.setattr("benchmarks.shape_growth.SHAPES", (refused,))
    found = {(row.form, row.how): row for row in shapes(QUICK)}
    assert found["stable", "streamed"] == ShapeRow("a word's end", "stable", "streamed", [], [], None)
    default = found["default", "streamed"]
    assert [length / default.characters[0] for length in default.characters] == [1, 2, 4]
    assert default.worst_doubling is not None
    assert found["serving", "whole text"].worst_doubling is not None


def test_a_built_module_is_measured_beside_the_pure_one() -> None:
    def build(family: Family) -> ModuleType:
        return respc.load(family.template, name=family.name, passes=())

    (row,) = rows_of(SMOLLM3, build(SMOLLM3), QUICK)
    assert (row.family, row.tokens) == ("smollm3", 1_000)
    assert row.built_over_pure > 1
    assert list(modules(QUICK)) == []


def test_a_built_module_that_gives_something_else_is_refused() -> None:
    with pytest.raises(UnequalError, match="smollm3, built"):
        list(rows_of(SMOLLM3, respc.load(COHERE.template, name="other"), QUICK))


@pytest.mark.parametrize(
    "name", ["", "nothing.of.the.kind:build", "benchmarks.modules", "benchmarks.modules:LENGTHS"]
)
def test_a_builder_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BuilderError):
        builder_of(name)


def test_a_builder_is_found_by_its_name_and_asked_once_for_a_family() -> None:
    builder = builder_of("benchmarks.engines:compiled")
    assert builder(SMOLLM3) is builder(SMOLLM3)
