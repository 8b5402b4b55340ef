"""The formats behind vLLM's parsers by name."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from respc.errors import TemplateError
from respc.families import families
from respc.integrations.vllm_formats import (
    STRUCTURAL_TAGS,
    format_of_family,
    format_of_tokenizer,
)
from respc.integrations.vllm_generation import CallIds, Generation
from support.vllm_grammars import TOOL, WRITTEN

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<bot>",
    "fields": {
        "thinking": {"open": "<think>", "close": ["</think>", "<answer>"]},
        "content": {"close": "<end>"},
    },
}


@pytest.mark.parametrize("family", STRUCTURAL_TAGS)
def test_what_a_grammar_makes_a_model_write_is_read(family: str) -> None:
    text = WRITTEN[STRUCTURAL_TAGS[family]]
    made = Generation(format_of_family(family), "", [TOOL], CallIds(), calls_wanted=True)
    answer = made.whole(text)
    calls = [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in answer.calls]
    assert calls == [("get_weather", {"city": "Bergen"})]
    assert "".join(answer.content) == ""


def test_grammars_are_of_families() -> None:
    assert STRUCTURAL_TAGS.keys() <= families().keys()
    assert set(STRUCTURAL_TAGS.values()) == WRITTEN.keys()


@pytest.mark.parametrize("place", ["response_template", "init_kwargs"])
def test_the_template_of_a_tokenizer(place: str) -> None:
    value = TEMPLATE if place == "response_template" else {"response_template": TEMPLATE}
    served = format_of_tokenizer(SimpleNamespace(**{place: value}))
    assert served.reasoning_field == "thinking"
    assert (served.reasoning_opener, served.reasoning_closer) == ("<think>", "</think>")
    assert format_of_tokenizer(SimpleNamespace(**{place: value})) is served
    answer = Generation(served, "<bot>", [], CallIds(), calls_wanted=True).whole("<think>a</think>B")
    assert ("".join(answer.reasoning), "".join(answer.content)) == ("a", "B")


def test_a_field_may_be_missing_in_an_answer() -> None:
    template = {**TEMPLATE, "fields": {**TEMPLATE["fields"], "tool_calls": {"open": "<c>", "close": "</c>"}}}
    served = format_of_tokenizer(SimpleNamespace(response_template=template))
    answer = Generation(served, "<bot>", [], CallIds(), calls_wanted=True).whole("<think>a</think>")
    assert ("".join(answer.reasoning), "".join(answer.content)) == ("a", "")


@pytest.mark.parametrize("template", [None, "text"])
def test_a_tokenizer_without_a_template(template: Any) -> None:
    tokenizer = SimpleNamespace(response_template=None, init_kwargs={"response_template": template})
    with pytest.raises(AttributeError, match="has no response template"):
        format_of_tokenizer(tokenizer)


@pytest.mark.parametrize(
    "template", [{}, {"fields": []}, {"fields": {"content": 1}}, {"fields": {"content": {}}}]
)
def test_a_template_that_is_refused(template: Any) -> None:
    with pytest.raises(TemplateError):
        format_of_tokenizer(SimpleNamespace(response_template=template))


@pytest.mark.parametrize(
    ("family", "opener", "closer"),
    [
        ("qwen3", "<think>", "</think>"),
        ("glm4_5", "<think>", "</think>"),
        ("hy_v3", "<think>", "</think>"),
        ("magistral", "[THINK]", "[/THINK]"),
        ("cohere_command", "<|START_THINKING|>", "<|END_THINKING|>"),
        ("gpt_oss", None, None),
        ("qwen3_coder", None, None),
    ],
)
def test_delimiters_of_reasoning(family: str, opener: str | None, closer: str | None) -> None:
    served = format_of_family(family)
    assert (served.reasoning_opener, served.reasoning_closer) == (opener, closer)
