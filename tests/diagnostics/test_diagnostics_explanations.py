"""Every code is explained, and what the explanations show is so."""

from __future__ import annotations

import re
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import pytest

from respc.analysis import check_source
from respc.diagnostics import CODES, Code, Diagnostic, Severity
from respc.diagnostics.explanations import Explanation, docs_page, explanation_of
from respc.engines import ENGINES, check_for_engine
from respc.source import TemplateSourceError, read_template
from support.oracle import refused_by_interpreter
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

    from respc.engines import Engine
    from support.goldens import Goldens

PAGE: Final = TESTS.parent / "docs" / "diagnostics.md"
LONGEST_WHY: Final = 240
WIDEST_PROSE: Final = 120
WIDEST_TEMPLATE: Final = 100

FENCE: Final = re.compile("^```", re.MULTILINE)

EXPLAINED: Final = [explanation_of(code.code) for code in CODES]
SHOWN: Final = [explanation for explanation in EXPLAINED if explanation.is_json]
OF_ENGINES: Final = [explanation for explanation in SHOWN if explanation.code.code >= "RT8"]
OF_TEMPLATES: Final = [explanation for explanation in SHOWN if explanation not in OF_ENGINES]
# Bytes that are no text, values of Python code, templates too large to print, options of a command, and what keeps it
# from writing a grammar.
SKETCHED: Final = {
    *("RT002", "RT003", "RT005", "RT006", "RT007", "RT008", "RT009", "RT040", "RT212"),
    *(code.code for code in CODES if code.code.startswith("RT9")),
}
# The interpreter never sees what is wrong: JSON drops the one, it loads the second and then hangs, and of the third it
# takes all the time and memory that there is.
ACCEPTED_ALL_THE_SAME: Final = {"RT020", "RT211", "RT213"}


def name(explanation: Explanation) -> str:
    return explanation.code.code


def checked(template: str, folder: Path, *, engine: Engine | None = None) -> tuple[Diagnostic, ...]:
    """Return what is found in a template, written to a file, and perhaps for an engine."""
    path = folder / "template.json"
    path.write_text(template, encoding="utf-8")
    try:
        source = read_template(path)
    except TemplateSourceError as error:
        return error.diagnostics
    return check_source(source) if engine is None else check_for_engine(source, engine)


def loaded(template: str, folder: Path) -> object:
    path = folder / "template.json"
    path.write_text(template, encoding="utf-8")
    return read_template(path).template


def test_every_code_has_an_explanation_and_every_file_a_code() -> None:
    folder = files("respc.diagnostics") / "explained"
    written = {file.name for file in folder.iterdir()}
    assert written == {f"{code.code}.md" for code in CODES}


def test_an_explanation_is_found_by_code_and_by_slug() -> None:
    for code in CODES:
        assert explanation_of(code.slug) is explanation_of(code.code)
        assert explanation_of(code.code).code is code
    with pytest.raises(KeyError):
        explanation_of("RT999")


@pytest.mark.parametrize("explanation", EXPLAINED, ids=name)
def test_an_explanation_has_its_parts(explanation: Explanation) -> None:
    assert 0 < len(explanation.why) <= LONGEST_WHY
    assert explanation.why.endswith(".")
    assert explanation.triggering.strip() != explanation.fixed.strip()
    before, first, between, second, after = FENCE.split(explanation.text)
    assert before.replace("\n", " ").startswith(explanation.why)
    assert first.partition("\n")[0] == second.partition("\n")[0]
    assert first.endswith(explanation.triggering)
    assert second.endswith(explanation.fixed)
    assert between.strip().count("\n\n") == 0
    assert after == "\n"
    assert "#" not in {line[:1] for line in (before + between).splitlines()}


@pytest.mark.parametrize("explanation", EXPLAINED, ids=name)
def test_an_explanation_is_not_wide(explanation: Explanation) -> None:
    assert all(len(line) <= WIDEST_PROSE for line in explanation.text.splitlines())
    templates = explanation.triggering + explanation.fixed
    assert all(len(line) <= WIDEST_TEMPLATE for line in templates.splitlines())


def test_only_what_no_json_shows_is_sketched() -> None:
    assert {name(explanation) for explanation in EXPLAINED if not explanation.is_json} == SKETCHED


@pytest.mark.parametrize("explanation", OF_ENGINES, ids=name)
def test_the_first_template_has_a_fault_for_an_engine_and_the_second_for_none(
    explanation: Explanation, tmp_path: Path
) -> None:
    found = [checked(explanation.triggering, tmp_path, engine=engine) for engine in ENGINES.values()]
    assert any(explanation.code in {finding.code for finding in findings} for findings in found)
    left = [checked(explanation.fixed, tmp_path, engine=engine) for engine in ENGINES.values()]
    assert not [each for findings in left for each in findings if each.severity is not Severity.NOTE]


@pytest.mark.parametrize("explanation", OF_TEMPLATES, ids=name)
def test_the_first_template_has_the_fault_and_the_second_has_not(
    explanation: Explanation, tmp_path: Path
) -> None:
    assert explanation.code in {finding.code for finding in checked(explanation.triggering, tmp_path)}
    left = checked(explanation.fixed, tmp_path)
    assert explanation.code not in {finding.code for finding in left}
    assert not [finding for finding in left if finding.severity is not Severity.NOTE]


@pytest.mark.parametrize("explanation", SHOWN, ids=name)
def test_the_interpreter_refuses_what_the_table_says_and_loads_what_is_fixed(
    explanation: Explanation, tmp_path: Path
) -> None:
    code = explanation.code
    assert refused_by_interpreter(loaded(explanation.fixed, tmp_path)) is None
    try:
        template = loaded(explanation.triggering, tmp_path)
    except TemplateSourceError:
        assert not code.can_be_let_through
        return
    accepted = refused_by_interpreter(template) is None
    assert accepted is (code.can_be_let_through or code.code in ACCEPTED_ALL_THE_SAME)


def section_heading(code: Code) -> str:
    return f"## {code.code} {code.slug}\n"


def test_the_page_has_a_row_and_a_section_for_every_code() -> None:
    page = docs_page()
    for code in CODES:
        assert page.count(section_heading(code)) == 1
        assert f"\n| [{code.code}](#{code.code.lower()}-{code.slug}) | `{code.slug}` |" in page
    assert page.endswith("```\n")


def test_the_page_in_the_documentation_is_the_present_one(goldens: Goldens) -> None:
    goldens.check(PAGE, docs_page())
