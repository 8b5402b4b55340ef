"""The table of codes, and the model."""

from __future__ import annotations

import re

import pytest

from respc.diagnostics import CODES, Severity, code_named, diagnose
from respc.source import Span


def test_codes_and_slugs_are_unique_and_well_formed() -> None:
    assert len({code.code for code in CODES}) == len({code.slug for code in CODES}) == len(CODES)
    for code in CODES:
        assert re.fullmatch(r"RT\d{3}", code.code)
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.slug)
        assert re.fullmatch(r"[A-Z][^.]*\.", code.title), code.title


def test_the_table_is_in_the_order_of_its_codes() -> None:
    assert [code.code for code in CODES] == sorted(code.code for code in CODES)


def test_what_refuses_what_shows_later_and_what_is_noted_are_numbered_apart() -> None:
    for code in CODES:
        late = int(code.code[-2:]) >= 20
        assert late or code.severity is Severity.ERROR, code
        assert (int(code.code[-2:]) >= 40) == (code.severity is Severity.NOTE), code
        assert code.can_be_let_through is late


def test_a_row_is_found_by_code_and_by_slug() -> None:
    for code in CODES:
        assert code_named(code.code) is code_named(code.slug) is code
    with pytest.raises(KeyError):
        code_named("RT999")


def test_a_finding_takes_its_severity_from_its_code() -> None:
    finding = diagnose(
        "pattern-not-string", "m", "/a", Span(1, 2, 3, 4), label="l", help="h", builtin=TypeError
    )
    assert (finding.code.code, finding.severity, finding.builtin) == ("RT206", Severity.ERROR, TypeError)
    assert (finding.pointer, finding.span, finding.label, finding.help) == ("/a", Span(1, 2, 3, 4), "l", "h")
    assert diagnose("RT020", "m").severity is Severity.WARNING
    assert diagnose("RT101", "m").builtin is ValueError
    with pytest.raises(KeyError):
        diagnose("no-such-slug", "m")
    assert Severity.NOTE.value == "note"
