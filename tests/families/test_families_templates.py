"""What holds for the template of every family, whatever it is told: nothing to warn of, and nothing slow."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import pytest

from respc.analysis import check_source
from respc.diagnostics import Severity
from respc.families import family_template
from support.families import Family, families

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic

EACH = pytest.mark.parametrize("family", families(), ids=str)


@cache
def findings(name: str) -> tuple[Diagnostic, ...]:
    return tuple(check_source(family_template(name)))


@EACH
def test_check_warns_of_nothing(family: Family) -> None:
    assert [
        str(finding.message) for finding in findings(family.name) if finding.severity is not Severity.NOTE
    ] == []


@EACH
def test_every_pattern_is_code(family: Family) -> None:
    found = {finding.code.slug for finding in findings(family.name)}
    assert not found & {"pattern-left-to-regex", "slow-pattern"}


@EACH
def test_reasoning_has_its_name_and_calls_their_shape(family: Family) -> None:
    fields = family.template["fields"]
    assert "reasoning_content" in fields or not family.writes["reasoning"]
    if family.writes["calls"] != "none":
        transform = fields["tool_calls"]["transform"]
        assert transform["type"] == "function"
        assert set(transform["function"]) == {"name", "arguments"} or transform["function"] == "{content}"


@EACH
def test_names_of_tools_may_hold_hyphens_and_dots(family: Family) -> None:
    if family.writes["calls"] == "none":
        return
    for name in ("get-weather", "files.read"):
        assert re.fullmatch(family.writes["names"], name), "the round trips then prove that they come back"
