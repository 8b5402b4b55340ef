"""Every fix does what its class promises: a safe one changes no message, and any gives a template that is better."""

from __future__ import annotations

import json
from copy import deepcopy
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from lints import (
    cases_of_contents,
    cases_of_delimiters,
    cases_of_messages,
    cases_of_streams,
    cases_of_transforms,
    cases_of_unclosed,
    cases_of_values,
)
from respc.analysis import check_source
from respc.diagnostics import Severity
from respc.engines import ENGINES, check_for_engine
from respc.families import families, family_template
from respc.source import apply_edits, edits_of, template_from_text
from support.chunking import random_cuts, whole
from support.oracle import assert_same, interpret, refused_by_interpreter
from support.templates import (
    corpus_cases,
    corpus_names,
    corpus_template,
    own_names,
    own_samples,
    own_template,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics import Diagnostic
    from respc.source import TemplateSource

Template = dict[str, Any]
Text = tuple[str, str, Any]
"""A prefix, what a model wrote, and tools."""

THEMES: Final = (
    cases_of_contents,
    cases_of_delimiters,
    cases_of_messages,
    cases_of_streams,
    cases_of_transforms,
    cases_of_unclosed,
    cases_of_values,
)
PIECES: Final = (
    "<a>",
    "</a>",
    "1",
    "some words",
    "\n",
    "<p=k>v</p>",
    " ",
    '{"name": "f"}',
    "[f(a=1)]",
    "</s>",
)
SOME_TEXTS: Final = 5
ONLY_FOR_ENGINES: Final = "RT8"
UNSAFE: Final = {
    *(
        "RT229",
        "RT233",
        "RT235",
        "RT237",
        "RT236",
        "RT304",
        "RT321",
        "RT322",
        "RT332",
        "RT334",
        "RT335",
        "RT336",
        "RT337",
    ),
    *("RT402", "RT520", "RT521", "RT526", "RT620", "RT621", "RT640"),
    *("RT820", "RT821", "RT822", "RT830", "RT831", "RT832"),
}
SAFE: Final = {"RT103", "RT109", "RT120", "RT121", "RT140", "RT202", "RT241", "RT301", "RT328"}
SOMETIMES: Final = {"RT301"}
"""Safe where a word is certain, and not where it is guessed."""


def source_of(template: Template) -> TemplateSource:
    return template_from_text("template.json", json.dumps(template, indent=2, ensure_ascii=False))


def with_fixes(template: Template) -> Iterator[tuple[Diagnostic, Template]]:
    """List the fixes of a template, for engines too, each with the template in which it alone was made."""
    source = source_of(template)
    found = list(check_source(source))
    for engine in ENGINES.values():
        found += [each for each in check_for_engine(source, engine) if each.code.code > ONLY_FOR_ENGINES]
    for finding in found:
        if finding.fix is not None:
            assert source.text is not None
            text = apply_edits(source.text.text, edits_of(finding.fix, source))
            yield finding, json.loads(text)


def spoilt(template: Template) -> Template:
    """Write a template in ways that say the same, as authors do, so that safe fixes have something to do."""
    changed = {"version": 1.0, **deepcopy(template)}
    for field in changed["fields"].values():
        for flag in ("repeats", "optional"):
            if flag in field:
                field[flag] = 1 if field[flag] else 0
        for key in ("join", "transform"):
            field.setdefault(key, None)
        for side in ("open", "close"):
            if isinstance(field.get(side), list):
                field[side] = [*field[side], field[side][0]]
        for flag in ("strip", "merge_duplicates", "allow_non_json"):
            if flag in (field.get("content_args") or {}):
                field["content_args"][flag] = "true" if field["content_args"][flag] else 0
    return changed


def texts_of(name: str) -> list[Text]:
    rows = corpus_cases(name) if name in corpus_names() else own_samples(name)
    return [(row["prefix"], row["text"], row["tools"]) for row in rows]


def prove(finding: Diagnostic, template: Template, fixed: Template, texts: list[Text]) -> None:
    """Prove what the class of a fix promises."""
    code = finding.code.code
    assert finding.fix is not None
    assert code in (SAFE if finding.fix.is_safe else UNSAFE | SOMETIMES)
    refused = refused_by_interpreter(template)
    if finding.fix.is_safe and refused is None:
        # All safe fixes together are tried on all texts.
        random = Random(f"{code} {finding.pointer}")
        for prefix, text, tools in random.sample(texts, min(len(texts), SOME_TEXTS)):
            for chunks in (whole(text), random_cuts(text, random)):
                before = interpret(template, prefix, chunks, tools)
                assert_same(before, interpret(fixed, prefix, chunks, tools), f"{code} {chunks}")
    assert refused is not None or refused_by_interpreter(fixed) is None, "what loads still loads"
    assert errors(fixed) <= errors(template)
    if not finding.code.code.startswith(ONLY_FOR_ENGINES):
        again = [
            (each.code, each.message, each.pointer)
            for each in check_source(source_of(fixed))
            if each.fix is not None
        ]
        assert (finding.code, finding.message, finding.pointer) not in again


def errors(template: Template) -> set[tuple[str, str]]:
    return {
        (each.code.code, each.message)
        for each in check_source(source_of(template))
        if each.severity is Severity.ERROR
    }


@pytest.mark.parametrize("changed", [False, True], ids=["as it is", "spoilt"])
@pytest.mark.parametrize("name", [*own_names(), *corpus_names()])
def test_every_fix_of_every_template_keeps_its_promise(name: str, changed: bool) -> None:
    template = own_template(name) if name in own_names() else corpus_template(name)
    if changed:
        template = spoilt(template)
    made = [finding for finding, fixed in with_fixes(template) if prove_one(finding, template, fixed, name)]
    assert not changed or any(finding.fix is not None and finding.fix.is_safe for finding in made)


def prove_one(finding: Diagnostic, template: Template, fixed: Template, name: str) -> bool:
    prove(finding, template, fixed, texts_of(name))
    return True


@pytest.mark.parametrize("name", [*own_names(), *corpus_names()])
def test_all_safe_fixes_together_change_no_message(name: str) -> None:
    template = spoilt(own_template(name) if name in own_names() else corpus_template(name))
    fixed = respc.fix_template(template)
    assert fixed.fixed
    assert all(finding.fix is not None and finding.fix.is_safe for finding in fixed.fixed)
    assert not [finding for finding in fixed.left if finding.fix is not None and finding.fix.is_safe]
    for prefix, text, tools in texts_of(name):
        for chunks in (whole(text), random_cuts(text, Random(text))):
            before = interpret(template, prefix, chunks, tools)
            assert_same(before, interpret(fixed.template, prefix, chunks, tools), f"{name} {chunks}")


ROWS: Final = [row for theme in THEMES for row in theme.ROWS]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_the_fixes_of_all_rules_keep_their_promises(row: Any) -> None:
    random = Random(str(row))
    texts: list[Text] = [
        ("", "".join(random.choices(PIECES, k=random.randrange(1, 9))), None) for _ in range(12)
    ]
    for finding, fixed in with_fixes(row[1]):
        prove(finding, row[1], fixed, texts)


def of_a_config() -> tuple[Diagnostic, ...]:
    """What is found beside a chat template that reads the reasoning under its usual name."""
    fields = {"thinking": {"open": "<t>", "close": "</t>", "repeats": True}, "content": {"repeats": True}}
    config = {
        "chat_template": "{{ message.reasoning_content }}",
        "response_template": {"start_anchor": "A", "fields": fields},
    }
    return check_source(template_from_text("tokenizer_config.json", json.dumps(config), "/response_template"))


@pytest.mark.long
@pytest.mark.parametrize("name", families())
def test_what_is_fixed_for_engines_keeps_its_promise(name: str) -> None:
    template = family_template(name).template
    for finding, fixed in with_fixes(template):
        prove(finding, template, fixed, [])


@pytest.mark.long
def test_every_class_of_fix_was_seen() -> None:
    refused: list[Template] = [
        {"start_anchr": "A", "fields": {"content": {}}},
        {"start_anchor": "A", "fields": {"content": {"clos": "</s>"}}},
        {"start_anchor": "A", "fields": {"content": {"close": None}}},
        {"start_anchor": "A", "fields": {"content": {"join": ""}}},
        {"start_anchor": "A", "fields": {"content": {"content": "jsn"}}},
        {"start_anchor": "A", "fields": {"content": {"transform_each": True}}},
        {
            "start_anchor": "A",
            "fields": {"c": {"content": "kv-lines", "content_args": {"value_parser": "json"}}},
        },
    ]
    served: list[Template] = [
        {"start_anchor": "A", "fields": {"thinking": {"open": "Let me think.", "close": "So the answer is"}}},
        {
            "start_anchor": "A",
            "fields": {"reasoning": {"open": "<t>", "close": "</t>", "repeats": 1, "join": ""}},
        },
    ]
    templates = [*refused, *served, *(row[1] for row in ROWS), *(own_template(name) for name in own_names())]
    seen = {(finding.code.code, False) for finding in of_a_config() if finding.fix is not None}
    for template in templates:
        for finding, fixed in with_fixes(template):
            assert finding.fix is not None
            prove(finding, template, fixed, [])
            seen.add((finding.code.code, finding.fix.is_safe))
    assert {code for code, is_safe in seen if is_safe} == SAFE
    assert {code for code, is_safe in seen if not is_safe} - SOMETIMES == UNSAFE


@pytest.mark.parametrize("name", families())
def test_the_ready_made_templates_have_nothing_to_fix(name: str) -> None:
    template = family_template(name).template
    fixed = respc.fix_template(template, unsafe_fixes=True)
    assert fixed.template == template
    assert fixed.fixed == ()


class TestLibrary:
    TEMPLATE: Final[Template] = {
        "version": True,
        "start_anchor": "A",
        "fields": {"thinking": {"open": "<t>", "close": "</t>"}, "content": {"close": "<e>"}},
    }

    def test_only_safe_fixes_are_made_unless_more_is_asked_for(self) -> None:
        before = deepcopy(self.TEMPLATE)
        fixed = respc.fix_template(self.TEMPLATE)
        assert before == self.TEMPLATE
        assert fixed.template == {**self.TEMPLATE, "version": 1}
        assert [each.code.code for each in fixed.fixed] == ["RT120"]
        assert {each.code.code for each in fixed.left} == {"RT520", "RT521", "RT640"}

    def test_unsafe_fixes_are_made_where_they_are_asked_for(self) -> None:
        fixed = respc.fix_template(self.TEMPLATE, unsafe_fixes=True)
        joined = {"repeats": True, "join": "\n"}
        assert fixed.template["fields"]["content"] == {"close": "<e>", **joined}
        assert [each.code.code for each in fixed.left] == ["RT640"]

    def test_for_an_engine(self) -> None:
        fixed = respc.fix_template(self.TEMPLATE, unsafe_fixes=True, engine="vllm")
        assert not [each for each in fixed.left if each.fix is not None]
        with pytest.raises(ValueError, match="no engine"):
            respc.fix_template(self.TEMPLATE, engine="x")

    def test_what_json_cannot_hold_is_refused(self) -> None:
        with pytest.raises(respc.TemplateError):
            respc.fix_template({"fields": {1: {}}})
