"""What is said of values, of ends that never come, of pieces and of standalone modules is so."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from lints.building import fields, found, only, rows
from lints.cases_of_values import CITED, CUT, ENDS, JSON, LAX, MARKED, NEEDS, glued, tag
from lints.streaming import opened, streamed, texts_of, values_of
from respc.fixing import fix_text
from respc.source import template_from_text
from support.oracle import compile_or_refuse, refused_by_interpreter

if TYPE_CHECKING:
    from lints.building import Template

WORDS: Final = "Some words"
ONE: Final = "<p=a>Bergen</p>"
TWO: Final = "<p=b>Os</p>"


def body_of(template: Template, *values: str) -> str:
    """Write a region of the field ``a`` with a value under each key."""
    arguments = template["fields"]["a"].get("content_args", {})
    pattern = arguments.get("tag_pattern", "")
    form = "{key}: {value}" if "<p=" not in pattern else "<p={key}>{value}</p>"
    lines = [form.format(key=key, value=value) for key, value in zip("ab", values, strict=False)]
    return "<a>" + "\n".join(lines) + "</a>"


def fixed(template: Template, slug: str) -> Any:
    """Return a template with the fix of a finding."""
    source = template_from_text("template.json", json.dumps(template, ensure_ascii=False))
    return fix_text(
        source, lambda read: [each for each in found(read.template, slug) if each.fix]
    ).source.template


@rows(JSON)
def test_a_plain_value_raises(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    assert streamed(triggering, body_of(triggering, "1", "[2]")).error is None
    assert streamed(triggering, body_of(triggering, "1", WORDS)).error == "ValueError"
    after = fixed(triggering, slug)
    assert not found(after, slug)
    (value,) = values_of(streamed(after, body_of(after, "1", WORDS)), "a")
    assert value == {"a": 1, "b": WORDS}


@pytest.mark.parametrize("parser", [LAX, None], ids=["lax", "none"])
def test_a_plain_value_does_not_raise_elsewhere(parser: Any) -> None:
    arguments = {"tag_pattern": tag(".*?"), **({} if parser is None else {"value_parser": parser})}
    template = fields(a={"open": "<a>", "close": "</a>", "content": "xml-inline", "content_args": arguments})
    assert streamed(template, body_of(template, WORDS)).error is None


def test_marked_values_are_no_plain_ones() -> None:
    arguments = {"tag_pattern": tag(".*?"), "value_parser": MARKED}
    template = fields(a={"open": "<a>", "close": "</a>", "content": "xml-inline", "content_args": arguments})
    assert values_of(streamed(template, body_of(template, f"<|{WORDS}|>")), "a") == [{"a": WORDS}]


@rows(CUT, "greedy-tag")
def test_two_tags_are_one(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    (value,) = values_of(streamed(triggering, body_of(triggering, "Bergen", "Os")), "a")
    assert list(value) == ["a"]
    assert "Os" in value["a"]
    assert values_of(streamed(near_miss, body_of(near_miss, "Bergen", "Os")), "a") == [
        {"a": "Bergen", "b": "Os"}
    ]
    if only(triggering, slug).fix is not None:
        after = fixed(triggering, slug)
        assert values_of(streamed(after, body_of(after, "Bergen", "Os")), "a") == [{"a": "Bergen", "b": "Os"}]


def test_most_greedy_tags_have_a_fix() -> None:
    fixes = [only(triggering, slug).fix for slug, triggering, *_ in CUT if slug == "greedy-tag"]
    assert [fix is not None for fix in fixes] == [True, True, True, True, True, False]


@rows(CUT, "narrow-value")
def test_a_value_of_two_words_is_lost(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    (value,) = values_of(streamed(triggering, body_of(triggering, WORDS)), "a")
    assert value.get("a") != WORDS
    after = fixed(triggering, slug)
    assert values_of(streamed(after, body_of(after, WORDS, "1")), "a") == [{"a": WORDS, "b": "1"}]


@rows(ENDS, "closer-at-start")
def test_it_ends_nothing(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    name, opener = ("a", "<a>") if "a" in triggering["fields"] else ("content", "")
    (mark,) = set(texts_of(triggering["fields"][name], "close"))
    trace = streamed(triggering, f"{opener}body{mark}tail")
    assert values_of(trace, name) == [f"body{mark}tail"]
    assert not found(near_miss, slug)
    after = fixed(triggering, slug)
    assert not found(after, slug)
    assert values_of(streamed(after, f"{opener}body{mark}tail"), name)[0] == "body"


@rows(ENDS, "repeats-without-closer")
def test_no_second_region_ever_opens(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    (opener,) = texts_of(triggering["fields"]["a"], "open")[:1]
    trace = streamed(triggering, f"early{opener}one{opener}two\n\nThe answer.")
    assert opened(trace).count("a") == 1
    assert values_of(trace, "a") == [f"one{opener}two\n\nThe answer."]
    assert str(only(triggering, slug).help).endswith('such as "close": "</a>"')


@pytest.mark.parametrize(
    ("opener", "closer"),
    [
        ({"open": "<call>"}, "</call>"),
        ({"open_pattern": "<call=(?P<name>[^>]+)>"}, "</call>"),
        ({"open_pattern": r"\[CITE\]"}, "[/CITE]"),
        ({"open": "<|call|>"}, None),
        ({"open": "call:"}, None),
    ],
    ids=str,
)
def test_a_closer_is_proposed_where_an_opener_is_a_tag(opener: Template, closer: str | None) -> None:
    field = {**opener, "repeats": True, "transform": ["{name}"] if "name" in str(opener) else None}
    found_help = only(fields(a=field), "repeats-without-closer").help
    proposed = "" if closer is None else f', such as "close": "{closer}"'
    assert found_help == f"say what closes a region{proposed}"


@rows(ENDS, "pieces-glued")
def test_words_grow_together(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    text = "Peak is <a>G</a> high."
    assert (streamed(triggering, text).message or {})["content"] == "Peak ishigh."
    is_block = "a" not in near_miss["fields"]
    assert ("ishigh" in str(streamed(near_miss, text).message)) is is_block
    assert (streamed(fixed(triggering, slug), text).message or {})["content"] == "Peak is  high."


@pytest.mark.parametrize("arguments", [{}, {"strip": True}], ids=str)
def test_no_words_grow_together_after_the_fix_of_lost_text(arguments: dict[str, Any]) -> None:
    template = fields(a=CITED, content={"close": "<end>", "content_args": arguments})
    after = fixed(template, "text-overwritten")
    text = "Peak is <a>G</a> high.\n<a>H</a> It is."
    assert (streamed(after, text + "<end>").message or {})["content"] == "Peak is  high.\n It is."
    assert not found(after, "pieces-glued")
    assert after["fields"]["content"]["content_args"] == {"strip": False}


@pytest.mark.parametrize("name", ["tool_calls", "reasoning_content", "thinking"])
def test_what_stands_between_paragraphs_is_joined_by_a_line_break(name: str) -> None:
    template = fields(**{name: {**CITED, "repeats": True}}, content={})
    after = fixed(template, "text-overwritten")
    assert (streamed(after, "Let me see. <a>G</a> Done.").message or {})["content"] == "Let me see.\nDone."
    assert "content_args" not in after["fields"]["content"]


@pytest.mark.parametrize("content", ["json", "int"])
def test_the_fix_of_lost_values_makes_a_list(content: str) -> None:
    help_ = only(fields(a=CITED, content={"content": content}), "text-overwritten").help
    assert help_ == 'add "repeats": true'


@rows(NEEDS)
def test_a_standalone_module_imports_regex(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    for template, needs in ((triggering, True), (near_miss, False)):
        assert refused_by_interpreter(template) is None
        source = respc.compile_template(template, standalone=True, formatted=False).source
        assert ("import regex" in source) is needs


def test_only_a_standalone_module_is_said_to_need_it() -> None:
    _, triggering, near_miss, _ = NEEDS[0]
    for standalone in (True, False):
        compiled = respc.compile_template(triggering, standalone=standalone, formatted=False)
        codes = [finding.code.code for finding in compiled.diagnostics]
        assert ("RT246" in codes) is standalone
    assert compile_or_refuse(near_miss)


def test_glued_pieces_are_no_matter_of_calls() -> None:
    assert not found(glued(name="tool_calls"), "pieces-glued")
