"""What is said of a template for each engine, and what the template for the engine is then."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

import respc
from engine_templates.cases_for_engines import (
    CASES,
    KEPT_CLOSERS,
    MARKS,
    REFUSED,
    TAKEN,
    Case,
    changed,
    closed_by,
)
from respc.diagnostics import CODES, Severity
from respc.engines import ENGINES, NO_WISHES, Wishes, engine_named, template_for_engine
from respc.engines.rules import engine_findings
from respc.families import families, family_template
from respc.source import template_from_dict, template_from_text

each_engine = pytest.mark.parametrize("engine", ENGINES)


def found_in(template: dict[str, Any], engine: str, wishes: Wishes = NO_WISHES) -> list[str]:
    source = template_from_dict(template)
    findings = engine_findings(source, engine_named(engine), wishes)
    return [f"{finding.code.code} {finding.pointer}" for finding in findings]


@each_engine
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_rules_find_what_the_engine_refuses_or_does_wrongly(case: Case, engine: str) -> None:
    template, found = case
    before = deepcopy(template)
    assert found_in(template, engine) == found[engine]
    assert template == before


@each_engine
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_checker_says_it_too_and_nothing_that_is_not_so_for_engines(case: Case, engine: str) -> None:
    template, found = case
    said = respc.check_template(template, engine=engine)
    assert [f"{each.code.code} {each.pointer}" for each in said if each.code.code >= "RT8"] == found[engine]
    assert not {"RT520", "RT521", "RT640"} & {each.code.code for each in said}
    assert not [each for each in respc.check_template(template) if each.code.code >= "RT8"]


@each_engine
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_can_be_fixed_is_and_the_rest_refused(case: Case, engine: str) -> None:
    template, _ = case
    findings = engine_findings(template_from_dict(template), engine_named(engine))
    vain = [each for each in findings if each.fix is None]
    if any(each.severity is Severity.ERROR for each in vain):
        with pytest.raises(respc.TemplateError) as refused:
            respc.engine_template(template, engine=engine)
        assert refused.value.diagnostics == tuple(vain)
        return
    made = respc.engine_template(template, engine=engine)
    assert [each.code for each in made.changes] == [each.code for each in findings if each.fix]
    assert made.left == tuple(vain)
    assert json.loads(made.text) == made.template
    again = respc.engine_template(made.template, engine=engine)
    assert (again.template, again.changes) == (made.template, ())


def test_every_code_about_engines_has_a_case() -> None:
    found = {code[:5] for _, by_engine in CASES.values() for codes in by_engine.values() for code in codes}
    assert found == {code.code for code in CODES if code.code.startswith("RT8")}


def test_a_template_that_the_interpreter_refuses_is_refused() -> None:
    template = {"fields": {"reasoning_content": {"open": ""}}}
    with pytest.raises(respc.TemplateError) as refused:
        respc.engine_template(template, engine="vllm")
    assert [each.code.code for each in refused.value.diagnostics] == ["RT205", "RT208"]
    assert [each.code.code for each in respc.check_template(template, engine="vllm")] == ["RT205", "RT208"]


def test_another_engine_is_an_error_that_names_those_that_there_are() -> None:
    with pytest.raises(ValueError, match=r"no engine 'tgi': give 'vllm' or 'sglang'"):
        respc.engine_template(TAKEN, engine="tgi")
    with pytest.raises(ValueError, match="no engine"):
        respc.check_template(TAKEN, engine="tgi")


def test_marks_become_a_part_of_the_closer_of_the_content() -> None:
    made = respc.engine_template(changed(answer=MARKS), engine="vllm").template
    assert set(made["fields"]) == set(TAKEN["fields"])
    closer = made["fields"]["content"]["close_pattern"]
    assert "close" not in made["fields"]["content"]
    assert closer == r"<end>|</?answer>\s*"
    module = respc.load(made)
    message = module.parse_response("A.<answer>\nB.</answer>\n<end>", prefix="")
    assert message == {"role": "assistant", "content": ["A.", "B."]}


@pytest.mark.parametrize(
    ("marks", "closer"),
    [
        ({"open_pattern": "(?=<a>|<b>)", "close_pattern": r"(?:<a>|<b>|<c>)\s*"}, r"<end>|<a>\s*|<b>\s*"),
        ({"open_pattern": r"^\s*(?=A:)|(?=<a>)", "close_pattern": "<a>|A:"}, r"^\s*A:|<end>|<a>"),
        ({"open_pattern": "<(?=a>|b>)", "close_pattern": r"\w>"}, r"<end>|<(?=a>|b>)\w>"),
        ({"open_pattern": "<(?=a>)", "close_pattern": "(?:ab?>)+"}, "<end>|<(?=a>)(?:ab?>)+"),
    ],
)
def test_marks_are_written_as_someone_would_write_them(marks: dict[str, Any], closer: str) -> None:
    made = respc.engine_template(changed(answer=marks), engine="vllm").template
    assert made["fields"]["content"]["close_pattern"] == closer


@pytest.mark.parametrize(
    "marks",
    [
        {"open": "<n>", "close": "</n>"},
        {"open_pattern": "(?=</?answer>)"},
        {**MARKS, "content": "json"},
        {**MARKS, "transform": "{content}"},
        {"open_pattern": "(?=(a)b)", "close_pattern": r"(a)\1|ab"},
        {"open_pattern": "(?i)(?=</?answer>)", "close_pattern": "</?answer>"},
        {"open_pattern": "(?=<a>)|(?=<b>)", "close_pattern": "<a>"},
    ],
)
def test_a_field_that_has_text_or_cannot_be_looked_through_is_no_mark(marks: dict[str, Any]) -> None:
    with pytest.raises(respc.TemplateError, match="no other place for its value"):
        respc.engine_template(changed(answer=marks), engine="sglang")


def test_marks_need_content_that_takes_all_other_text() -> None:
    opened = changed("content", content={"open": "<answer>", "close": "</answer>"}, marks=MARKS)
    for template in (opened, changed("content", marks=MARKS)):
        with pytest.raises(respc.TemplateError):
            respc.engine_template(template, engine="vllm")


def test_a_field_is_left_out_only_if_someone_wants_that() -> None:
    template = changed(notes={"open": "<n>", "close": "</n>"})
    made = respc.engine_template(template, engine="vllm", drop=["notes"])
    assert made.template == TAKEN
    assert [each.code.code for each in made.changes] == ["RT820"]


def test_a_pattern_that_closes_reasoning_stays_if_someone_wants_that() -> None:
    template = closed_by(close_pattern=r"</think>\s*|(?=<call>)")
    made = respc.engine_template(template, engine="vllm", keep_closer=True)
    assert made.template == template
    assert [each.code.code for each in made.left] == ["RT831"]
    closed = respc.engine_template(template, engine="vllm").template["fields"]["thinking"]
    assert closed == {"open": "<think>", "close": ["</think>", "</think>\n", "</think>\n\n"]}


def test_words_that_close_reasoning_are_a_pattern_for_the_engine_that_parses_then() -> None:
    template = closed_by(close=["My answer:", "So (in short):"])
    made = respc.engine_template(template, engine="vllm")
    assert made.template["fields"]["thinking"]["close_pattern"] == r"So \(in short\):|My answer:"
    assert respc.engine_template(template, engine="sglang").template == template


def test_the_layout_of_a_file_stays() -> None:
    text = json.dumps(changed(content={"join": "\n"}), indent=7).replace(': "<end>"', '  :"<end>"')
    made = template_for_engine(template_from_text("t.json", text), engine_named("vllm"))
    assert made.text == text.replace(',\n                     "join": "\\n"', "") + "\n"
    assert [each.span is not None for each in made.changes] == [True]


def test_of_a_tokenizer_config_the_template_alone_is_given() -> None:
    config = {"chat_template": "", "response_template": changed(content={"join": "\ud800"})}
    config["response_template"]["start_anchor"] = "<\ud800é>"
    source = template_from_text("tokenizer_config.json", json.dumps(config), "/response_template")
    made = template_for_engine(source, engine_named("sglang"))
    assert json.loads(made.text) == {**TAKEN, "start_anchor": "<\ud800é>"}
    assert made.text.encode("utf-8")
    assert "é" in made.text


@each_engine
@pytest.mark.parametrize("name", families())
def test_each_family_is_taken_or_the_fields_are_named_because_of_which_it_is_not(
    name: str, engine: str
) -> None:
    source, served_by = family_template(name), engine_named(engine)
    if name in REFUSED:
        with pytest.raises(respc.TemplateError) as refused:
            template_for_engine(source, served_by)
        assert [each.pointer.split("/")[2] for each in refused.value.diagnostics] == REFUSED[name]
        dropped = template_for_engine(source, served_by, Wishes(frozenset(REFUSED[name])))
        assert not set(REFUSED[name]) & set(dropped.template["fields"])
        return
    made = template_for_engine(source, served_by)
    assert all(each.span for each in made.changes)
    assert bool(made.left) is (name in KEPT_CLOSERS[engine])
    said = respc.check_template(made.template, engine=engine)
    # What was left is a warning, and there is no other.
    left = engine_findings(template_from_dict(made.template), served_by)
    assert [each for each in said if each.severity is not Severity.NOTE] == list(left)
    assert not [each for each in said if each.severity is Severity.ERROR]
