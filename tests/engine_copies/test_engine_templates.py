"""What is said of engines is so: their own validators take and refuse what the rules say, and parse the same."""

from __future__ import annotations

import importlib
import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from engine_templates.cases_for_engines import CASES, KEPT_CLOSERS, REFUSED, Case
from respc.diagnostics import CODES, Severity
from respc.diagnostics.explanations import explanation_of
from respc.engines import NO_WISHES, Wishes, engine_named, template_for_engine
from respc.engines.literal_closers import literal_closers
from respc.engines.rules import engine_findings
from respc.families import family_template
from respc.fixing import fix_text
from respc.source import template_from_dict, template_from_text
from support.engine_stubs import Tokenizer, adapter_of
from support.families import Family, families

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.engine_amendments import Copy
    from support.engine_wheels import Engine

THINKING: Final = "thinking"
ERRORS: Final = [code for code in CODES if code.code.startswith("RT8") and code.severity is Severity.ERROR]
SERVED: Final = [family for family in families() if family.name not in REFUSED]
REASONING: Final = [family for family in SERVED if "reasoning_content" in family.template["fields"]]


@pytest.fixture(scope="module")
def adapter(engine: Engine, sources: Path) -> Iterator[Any]:
    """The engine's adapter."""
    with adapter_of(engine, sources) as module:
        yield module


def refusal_of(adapter: Any, template: dict[str, Any]) -> str | None:
    """Return what the engine's own validator says against a template."""
    try:
        adapter.validate_response_template_for_serving(deepcopy(template))
    except ValueError as error:
        return str(error)
    return None


def made_for(family: Family, engine: Engine, wishes: Wishes = NO_WISHES) -> dict[str, Any]:
    """Return the template of a family for an engine."""
    return template_for_engine(family_template(family.name), engine_named(engine.name), wishes).template


def test_facts_are_those_of_the_release(engine: Engine, adapter: Any, copy: Copy) -> None:
    facts = engine_named(engine.name)
    supported = {"vllm": "_SUPPORTED_FIELDS", "sglang": "_SUPPORTED_RESPONSE_TEMPLATE_FIELDS"}[engine.name]
    assert facts.version == engine.version
    assert set(facts.fields) == getattr(adapter, supported)
    assert set(facts.content_parsers) == set(copy.contents.CONTENT_PARSERS)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_validator_refuses_what_is_an_error_and_takes_all_else(
    case: Case, engine: Engine, adapter: Any
) -> None:
    template, _ = case
    facts = engine_named(engine.name)
    findings = engine_findings(template_from_dict(template), facts)
    errors = [each for each in findings if each.severity is Severity.ERROR]
    assert bool(errors) is (refusal_of(adapter, template) is not None)
    if all(each.fix for each in errors):
        made = respc.engine_template(template, engine=engine.name)
        assert refusal_of(adapter, made.template) is None


@pytest.mark.parametrize("code", ERRORS, ids=lambda code: code.code)
def test_what_an_explanation_shows_is_refused_and_taken(code: Any, engine: Engine, adapter: Any) -> None:
    explanation = explanation_of(code.code)
    triggering, fixed = json.loads(explanation.triggering), json.loads(explanation.fixed)
    found = {each.code for each in respc.check_template(triggering, engine=engine.name)}
    assert (code in found) is (refusal_of(adapter, triggering) is not None)
    assert refusal_of(adapter, fixed) is None


@pytest.mark.parametrize("family", SERVED, ids=str)
def test_a_family_is_taken_as_it_was_made_and_not_as_it_is(
    family: Family, engine: Engine, adapter: Any
) -> None:
    assert refusal_of(adapter, family.template) is not None, "then the template needs no other"
    assert refusal_of(adapter, made_for(family, engine)) is None


@pytest.mark.parametrize("name", REFUSED)
def test_a_family_is_refused_for_what_was_said(name: str, engine: Engine, adapter: Any) -> None:
    source, facts = family_template(name), engine_named(engine.name)
    fixed = fix_text(source, lambda template: engine_findings(template, facts)).source.template
    (finding,) = [each for each in engine_findings(source, facts) if each.fix is None]
    field = finding.pointer.split("/")[2]
    named = field if finding.code.slug == "engine-field" else fixed["fields"][field]["content"]
    assert f"'{named}'" in str(refusal_of(adapter, fixed))
    without = made_for(Family(name), engine, Wishes(frozenset({field})))
    assert refusal_of(adapter, without) is None


def regions_of(
    copy: Copy, template: dict[str, Any], sample: dict[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of the regions of each field that are not empty, and what of the text closed the reasoning."""
    parser = copy.parser.ResponseParser(
        deepcopy(template), sample["prefix"], tools=deepcopy(sample["tools"]) or None
    )
    events = [*parser.initial_events, *parser.feed(sample["text"])]
    events += parser.finalize()[1]
    values: dict[str, Any] = {}
    closers: list[str] = []
    for event in events:
        if event["type"] not in ("region_close", "region_malformed"):
            continue
        field = THINKING if event["field"] == "reasoning_content" else event["field"]
        if event["type"] == "region_malformed" or event["value"] not in ("", [], {}):
            values.setdefault(field, []).append(event.get("value", "malformed"))
        if field == THINKING and event["start"] < len(parser.input_text):
            closers.append(parser.input_text[event["start"] : event["end"]])
    return values, closers


@pytest.mark.parametrize("family", SERVED, ids=str)
def test_samples_parse_the_same_where_the_closer_stays(family: Family, engine: Engine, copy: Copy) -> None:
    made = made_for(family, engine, Wishes(keep_closer=True))
    for sample in family.samples:
        expected, _ = regions_of(copy, family.template, sample)
        assert regions_of(copy, made, sample)[0] == expected, sample["id"]


@pytest.mark.parametrize("family", REASONING, ids=str)
def test_samples_parse_the_same_with_literals_unless_they_use_what_is_told_to_change(
    family: Family, engine: Engine, copy: Copy
) -> None:
    made = made_for(family, engine)
    if family.name in KEPT_CLOSERS[engine.name]:
        assert "close_pattern" in made["fields"][THINKING], "then all parses the same, as another test shows"
        return
    told = literal_closers(family.template["fields"]["reasoning_content"]["close_pattern"])
    assert told is not None
    same = 0
    for sample in family.samples:
        expected, closers = regions_of(copy, family.template, sample)
        if all(closer.strip() in (*told.texts, *told.ends) for closer in closers):
            assert regions_of(copy, made, sample)[0] == expected, sample["id"]
            same += 1
    assert same > len(family.samples) / 2


@pytest.mark.parametrize("family", REASONING, ids=str)
def test_the_engine_sees_the_end_of_the_reasoning(family: Family, engine: Engine, adapter: Any) -> None:
    made = made_for(family, engine)
    if engine.name == "sglang":
        detector = adapter.ResponseTemplateReasoningDetector(response_template=made)
        literal = "close" in made["fields"][THINKING]
        assert bool(detector.get_think_end_token_ids(Tokenizer())) is literal
        return
    parser = adapter.ResponseTemplateReasoningParser(Tokenizer(), response_template=made)
    seen = 0
    for sample in family.samples:
        message = sample["message"]
        if sample["kind"] != "opened_by_prompt" or not message.get("reasoning_content"):
            continue
        if "content" not in message or "tool_calls" in message:  # it may end with the turn, or with a call
            continue
        prompt, text = (list(map(ord, sample[key])) for key in ("prefix", "text"))
        assert not parser.is_reasoning_end(prompt), sample["id"]
        ends = (prompt + text[:number] for number in range(1, len(text) + 1))
        assert any(parser.is_reasoning_end_streaming(ids, ids[-1:]) for ids in ends), sample["id"]
        seen += 1
    assert seen or not any(each["kind"] == "opened_by_prompt" for each in family.samples)


def test_reasoning_that_repeats_or_has_a_pattern_does_what_is_said(engine: Engine, adapter: Any) -> None:
    template = CASES["taken"][0]
    text = list(map(ord, "<bot><think>why</think>{"))

    def of(**changes: Any) -> Any:
        changed = deepcopy(template)
        thinking = changed["fields"][THINKING]
        thinking.update(changes)
        if "close_pattern" in changes:
            del thinking["close"]
        if engine.name == "vllm":
            return adapter.ResponseTemplateReasoningParser(Tokenizer(), response_template=changed)
        return adapter.ResponseTemplateReasoningDetector(response_template=changed)

    if engine.name == "vllm":
        assert of().is_reasoning_end(text)
        assert not of(repeats=True).is_reasoning_end(text), "it is never over"
        assert of(close_pattern="</think>").is_reasoning_end(text)
        with_line_ends = of(close=["</think>", "</think>\n", "</think>\n\n"])
        assert with_line_ends.is_reasoning_end(list(map(ord, "<bot><think>\n\n</think>\n\n")))
        assert not with_line_ends.is_reasoning_end(list(map(ord, "<bot><think>\n\n</thin")))
        assert of()._reasoning_end_ids
        assert of(close_pattern="</think>")._reasoning_end_ids is None, "so that it parses everything"
        assert of(close=["</think>", "<end>"])._reasoning_end_ids == [
            list(map(ord, end)) for end in ("</think>", "<end>")
        ]
    else:
        assert of(repeats=True).think_end_token == "</think>"
        assert of(close=["</think>", "<end>"]).think_end_token == "</think>"
        assert of(close_pattern="</think>").get_think_end_token_ids(Tokenizer()) == []


def test_what_is_made_can_be_compiled_for_the_adapter(engine: Engine, adapter: Any) -> None:
    integration: Any = importlib.import_module(f"respc.integrations.{engine.name}")
    assert adapter is not None
    made = respc.engine_template(family_template("qwen3").template, engine=engine.name)
    served = integration.serving_templates(made.template)
    assert "streaming" in served
    for template in served.values():
        assert respc.load(template, events="serving").ResponseParser


def test_a_text_that_names_the_place_is_the_same_for_a_file_and_its_values(engine: Engine) -> None:
    template = CASES["content joined"][0]
    source = template_from_text("t.json", json.dumps(template))
    facts = engine_named(engine.name)
    assert (
        template_for_engine(source, facts).template
        == template_for_engine(template_from_dict(template), facts).template
    )
