"""Each rule finds what it is for, at its place, and passes over what is nearly the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from lints import (
    cases_of_contents,
    cases_of_delimiters,
    cases_of_messages,
    cases_of_streams,
    cases_of_transforms,
    cases_of_unclosed,
    cases_of_values,
)
from lints.building import Place, checked, found, shown_by, value_at
from respc.diagnostics import CODES

if TYPE_CHECKING:
    from lints.building import Row, Template

THEMES: Final = (
    cases_of_delimiters,
    cases_of_streams,
    cases_of_contents,
    cases_of_transforms,
    cases_of_unclosed,
    cases_of_messages,
    cases_of_values,
)
ROWS: Final[list[Row]] = [row for theme in THEMES for row in theme.ROWS]
FIRST_OF_RULES: Final = 20
# A key that stands twice, and a module too large to be formatted: no template shows them.
NOT_OF_TEMPLATES: Final = {"RT020", "RT040"}
FIRST_OF_ENGINES: Final = "RT800"
"""From here on, what is found where a template is checked for an engine: `engine_templates` has cases of it."""


def named(row: Row) -> str:
    return row[0]


def test_every_rule_is_in_the_tables() -> None:
    codes = {
        code.slug
        for code in CODES
        if int(code.code[-2:]) >= FIRST_OF_RULES and code.code not in NOT_OF_TEMPLATES
        if code.code < FIRST_OF_ENGINES
    }
    assert {slug for slug, *_ in ROWS} == codes


@pytest.mark.parametrize(("slug", "triggering", "near_miss", "place"), ROWS, ids=map(named, ROWS))
def test_rule_finds_the_fault_at_its_place_and_nothing_in_what_is_near(
    slug: str, triggering: Template, near_miss: Template, place: Place | str
) -> None:
    where = Place(place) if isinstance(place, str) else place
    findings, text = checked(triggering)
    (finding,) = [each for each in findings if each.code.slug == slug]
    assert finding.pointer == where.pointer
    assert finding.span is not None
    shown = shown_by(finding.span, text)
    if where.characters is not None:
        assert shown == json.dumps(where.characters, ensure_ascii=False)[1:-1]
    elif where.key:
        assert json.loads(shown) == where.pointer.rpartition("/")[2]
    else:
        assert json.loads(shown) == value_at(triggering, where.pointer)
    assert not found(near_miss, slug)
