"""What fixes promise: the fixed template loads, and behaves as the fix says."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from respc.analysis import check_source
from respc.diagnostics import Severity
from respc.fixing import fix_text
from respc.source import template_from_text
from support.choosing import RandomChooser
from support.chunking import few
from support.oracle import assert_same, interpret
from support.strategies import random_example
from support.templates import (
    corpus_cases,
    corpus_names,
    corpus_template,
    own_names,
    own_samples,
    own_template,
)

if TYPE_CHECKING:
    from respc.diagnostics import Diagnostic
    from respc.source import TemplateSource

CHANGES_NOTHING = "nothing"


def source_of(template: object) -> TemplateSource:
    return template_from_text("template.json", json.dumps(template, indent=2, ensure_ascii=False))


def harmless(source: TemplateSource) -> list[Diagnostic]:
    """The findings whose fixes say that they change nothing."""
    return [
        finding
        for finding in check_source(source)
        if finding.fix is not None and finding.fix.changes.startswith(CHANGES_NOTHING)
    ]


@pytest.mark.parametrize("name", own_names())
def test_what_changes_nothing_changes_nothing(name: str) -> None:
    template = own_template(name)
    fixed = fix_text(source_of(template), harmless)
    for sample in own_samples(name):
        for _, chunks in few(sample["text"], Random(sample["id"])):
            before = interpret(template, sample["prefix"], chunks, sample["tools"])
            after = interpret(fixed.source.template, sample["prefix"], chunks, sample["tools"])
            assert_same(before, after, f"{name} {chunks}")
    assert fixed.made or fixed.source.template == template


def test_some_of_the_templates_have_what_can_be_fixed_so() -> None:
    assert any(harmless(source_of(own_template(name))) for name in own_names())


@pytest.mark.parametrize("name", corpus_names())
def test_closers_without_the_end_give_the_same_for_whole_texts(name: str) -> None:
    template = corpus_template(name)
    fixed = fix_text(source_of(template), lambda source: only("end-or-text", source))
    if not fixed.made:
        assert fixed.source.template == template
        return
    for case in corpus_cases(name):
        # Before a last line feed the end matched too, and was an end of the region; and where the prompt is a part of
        # the message, its end is a cut.
        if case["text"].endswith("\n") or interpret(template, case["prefix"], [""]).initial_events:
            continue
        before = interpret(template, case["prefix"], [case["text"]], case["tools"])
        after = interpret(fixed.source.template, case["prefix"], [case["text"]], case["tools"])
        assert (before.message, before.error) == (after.message, after.error)


def only(slug: str, source: TemplateSource) -> list[Diagnostic]:
    return [finding for finding in check_source(source) if finding.code.slug == slug]


@pytest.mark.parametrize("name", corpus_names())
def test_fixed_templates_of_the_corpus_have_nothing_left_to_fix(name: str) -> None:
    fixed = fix_text(source_of(corpus_template(name)), check_source)
    left = check_source(fixed.source)
    assert not [finding for finding in left if finding.fix is not None or finding.severity is Severity.ERROR]
    assert fix_text(fixed.source, check_source).text == fixed.text


def errors(findings: tuple[Diagnostic, ...]) -> set[tuple[str, str]]:
    return {(each.code.code, each.pointer) for each in findings if each.severity is Severity.ERROR}


@pytest.mark.parametrize("seed", range(150))
def test_a_fixed_template_has_no_new_errors(seed: int) -> None:
    template: Any = random_example(RandomChooser(Random(seed)), 0).template
    source = source_of(template)
    before = check_source(source)
    fixed = fix_text(source, check_source)
    after = check_source(fixed.source)
    assert errors(after) <= errors(before)
    assert not [finding for finding in after if finding.fix is not None]
