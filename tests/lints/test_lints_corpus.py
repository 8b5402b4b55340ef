"""The rules leave good templates alone, and find what is wrong with bad ones, over the corpora."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pytest

from respc.analysis import check_source
from respc.diagnostics import Severity
from respc.source import TemplateSourceError
from respc.source.template_source import template_from_dict
from support.templates import (
    corpus_names,
    corpus_rows,
    corpus_template,
    needs_corpus_beside,
    own_names,
    own_template,
)

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic

ROWS: Final = corpus_rows("invalid_templates.jsonl")

ERRORS_OF_WHAT_ONLY_LOSES: Final = {
    "odd/implicit-close-empty-match": "the parser stops at the first character, and all text is lost",
    "odd/close-empty-match-at-once": "each region closes as it opens, and no text gets into the field",
    "odd/open-at-end": "opens and closes at the end of the text again and again, on other texts than those probed",
}
"""Rows that never fail on their probes, and are errors all the same; those of tests/corpus say so themselves."""

ONLY_THE_TEXT_DECIDES: Final = {
    "late/placeholder-dotted-into-list": "JSON may have the keys that a placeholder descends by",
    "late/placeholder-dotted-numeric-key": "JSON may have the keys that a placeholder descends by",
    "late/transform-each-dict": "JSON may be a list",
    "late/transform-each-scalars": "JSON may be a list of objects",
    "late/string-delims-sentinel": "only a body with the characters U+0001 and U+0002 fails",
    "late/xml-inline-value-parser-call-list": "values may be lists of calls",
    "late/kv-lines-value-parser-call-list": "values may be lists of calls",
    "late/required-never-there": "a message may have the field, as is required",
    "late/required-several": "a message may have the fields, as is required",
    "odd/implicit-json": "a message may be JSON",
}
"""Rows that fail on some texts and not on others, of which a template says nothing; as above."""


def found(template: Any) -> tuple[Diagnostic, ...]:
    try:
        return check_source(template_from_dict(template))
    except TemplateSourceError as error:
        return error.diagnostics


def errors_of(template: Any) -> list[str]:
    return [finding.code.code for finding in found(template) if finding.severity is Severity.ERROR]


def accepted(fails_at: str) -> list[Any]:
    """Return the rows that the interpreter loads and that fail then."""
    return [pytest.param(row, id=row["id"]) for row in ROWS if row.get("fails_at") == fails_at]


def refused() -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in ROWS if "accepted" not in row]


@pytest.mark.parametrize("name", corpus_names())
def test_good_template_has_no_errors(name: str) -> None:
    assert errors_of(corpus_template(name)) == []


@pytest.mark.parametrize("name", own_names())
def test_own_template_has_no_errors(name: str) -> None:
    # One is there to show how defaults clash.
    assert errors_of(own_template(name)) == (["RT332"] if name == "defaults_meet" else [])


@pytest.mark.parametrize("row", accepted("never"))
def test_what_never_fails_is_no_error(row: Any) -> None:
    only_loses = "only_loses" in row or row["id"] in ERRORS_OF_WHAT_ONLY_LOSES
    assert bool(errors_of(row["template"])) is only_loses


@pytest.mark.parametrize("row", accepted("parse"))
def test_what_fails_when_text_is_parsed_is_found(row: Any) -> None:
    # Of plain text that is lost, all these templates have a warning.
    telling = {
        finding.code.code
        for finding in found(row["template"])
        if finding.severity is not Severity.NOTE and finding.code.slug != "plain-text-lost"
    }
    text_decides = "text_decides" in row or row["id"] in ONLY_THE_TEXT_DECIDES
    assert bool(telling) is not text_decides


@pytest.mark.parametrize("row", accepted("never-ends"))
def test_what_never_ends_is_refused(row: Any) -> None:
    assert errors_of(row["template"]) == ["RT211"]


@pytest.mark.parametrize("row", refused())
def test_what_is_refused_has_an_error_and_nothing_that_follows_from_it(row: Any) -> None:
    findings = found(row["template"])
    assert errors_of(row["template"])
    assert [finding.code.code for finding in findings if finding.code.can_be_let_through] == []


@needs_corpus_beside
def test_the_exceptions_are_rows() -> None:
    assert {*ERRORS_OF_WHAT_ONLY_LOSES, *ONLY_THE_TEXT_DECIDES} <= {row["id"] for row in ROWS}
