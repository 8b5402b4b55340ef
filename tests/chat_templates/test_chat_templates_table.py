"""The table of chat templates is whole, and the table of models says of each family which of them were read."""

from __future__ import annotations

import pytest

from chat_templates.conversations import CONVERSATIONS, MODES
from chat_templates.table import ROWS, family_of, name_of
from respc.families import families
from respc_parsers import ModelRow, model_rows, row_of_model
from support.chat_templates import PACKAGES

TITLES = [package.title for package in PACKAGES]


def test_rows_are_whole() -> None:
    known = {*MODES}.union(*({each.name, *each.needs} for each in CONVERSATIONS))
    for row in ROWS:
        assert row["package"] in TITLES
        assert ("model" in row) != ("family" in row)
        assert {*row.get("without", {}), *row.get("otherwise", {}), *row.get("grammars", {})} <= known
    assert len({name_of(row) for row in ROWS}) == len(ROWS)


def test_every_family_is_read_with_a_template_or_has_none() -> None:
    read = {family_of(row) for row in ROWS}
    assert {name for name, family in families().items() if not family.chat_template} == read


@pytest.mark.parametrize("row", [row for row in ROWS if "model" in row], ids=name_of)
def test_the_table_of_models_says_that_a_template_was_read(row: dict[str, str]) -> None:
    checked = row_of_model(row["model"]).checked
    assert "chat template" in checked
    assert row["package"] in checked


@pytest.mark.parametrize(
    "row", [row for row in model_rows() if "chat template" in row.checked], ids=lambda row: row.pattern
)
def test_what_the_table_of_models_says_was_read_is_read(row: ModelRow) -> None:
    read = {each["package"] for each in ROWS if family_of(each) == row.family}
    assert {
        title for title in TITLES if title in row.checked and f"{title}'s tests" not in row.checked
    } <= read
