"""What is said of regions without a closer, and of text that nothing takes, happens in the interpreter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from lints.building import found, key, only, rows, value_at
from lints.cases_of_unclosed import (
    DROPPED,
    IN_REASONING,
    JSON,
    NAMES,
    OUTSIDE,
    UNCLOSED,
    calls,
    keyed,
    tagged,
)
from lints.streaming import opened, streamed, texts_of, values_of

if TYPE_CHECKING:
    from lints.building import Field, Template

MANY_FORMS: Final = r'(?:^\s*|<m>[ \n]?|;+[ \n]?|[ ]|\n\n)(?=\{\s*"(?:t"\s*:\s*"f"\s*,\s*")?name"\s*:)'
"""An opener of which more forms have samples than are tried."""

WORD: Final = "word"
FIRST: Final = "first"
SECOND: Final = "second"


def body_of(field: Field, value: str) -> str:
    """Return a body that holds a value."""
    call = {"name": "f", "arguments": {"k": value}}
    return {
        "json": json.dumps([call] if field.get("transform_each") else call),
        "kv-lines": f"k: {value}",
        "xml-inline": f"<p=k>{value}</p>",
    }.get(field.get("content", "text"), value)


def openers_of(field: Field) -> list[str]:
    """Return openers, without the body that they perhaps look ahead to."""
    return [text.partition("<p=")[0] for text in texts_of(field, "open")]


def opens_twice(field: Field) -> list[str]:
    """Return texts with two regions, of which the first is not closed."""
    end = "".join(texts_of(field, "close")[:1]).partition("<f=")[0]
    return [
        opener + body_of(field, FIRST) + blanks + opener + body_of(field, SECOND) + end
        for opener in openers_of(field)
        for blanks in ("", "\n")
    ]


def name_at(template: Template, slug: str) -> str:
    return only(template, slug).pointer.split("/")[2]


@rows(UNCLOSED, "opener-as-body")
def test_one_region_has_what_two_were_to_have(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    name = name_at(triggering, slug)
    for text in opens_twice(triggering["fields"][name]):
        trace = streamed(triggering, text)
        assert trace.error is None
        assert opened(trace).count(name) == 1
        assert SECOND in str(values_of(trace, name))
    field = near_miss["fields"].get(name, {})
    if field.get("repeats") and not field.get("open_pattern", "").startswith(r"\A"):
        traces = [streamed(near_miss, text) for text in opens_twice(field)]
        mixed = [SECOND in str(values_of(trace, name)[:1]) and not trace.error for trace in traces]
        # Without a closer there is nothing that could be fixed.
        assert all(mixed) is not bool({"close", "close_pattern"} & field.keys())


@rows(UNCLOSED, "opener-spoils-body")
def test_two_regions_cannot_be_read(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    name = name_at(triggering, slug)
    for text in opens_twice(triggering["fields"][name]):
        assert streamed(triggering, text).error is not None
    field = near_miss["fields"][name]
    if field.get("repeats") and field["content"] == "json":
        for text in opens_twice(field):
            trace = streamed(near_miss, text)
            # A closer that takes the opener away ends the first region, and leaves no second one.
            assert len(values_of(trace, name)) == (1 if isinstance(field.get("close"), list) else 2)
            assert SECOND not in str(values_of(trace, name)[0])


def test_a_form_of_an_opener_that_has_no_sample_counts_too() -> None:
    call = {key: value for key, value in JSON.items() if key != "open"} | {"open_pattern": MANY_FORMS}
    assert found(calls(call, close="</call>"), "opener-spoils-body")
    assert not found(calls(call, close_pattern="</call>|(?=<m>)"), "opener-spoils-body")


def test_one_of_two_openers_is_enough() -> None:
    two = r"to=[a-z]+ ?<f=(?P<name>[^<>]+)>|</f>\s*<f=(?P<name>[^<>]+)>"
    assert found(tagged(open_pattern=two, close="</g>"), "opener-as-body")
    # The other one perhaps never stands inside a region.
    assert not found(tagged(open_pattern=two, close_pattern=r"</g>|(?=</f>\s*<f=)"), "opener-as-body")


def test_the_help_fixes_it() -> None:
    for slug, triggering, _, _ in [*UNCLOSED, *IN_REASONING]:
        finding = only(triggering, slug)
        assert finding.help is not None
        _, _, name, side = finding.pointer.split("/")
        field = dict(triggering["fields"][name])
        closer = field.pop(side)
        if finding.help.startswith("write "):
            field |= json.loads(f"{{{finding.help.removeprefix('write ')}}}")
        else:
            field["close_pattern"] = closer + finding.help.split("`")[1]
        assert not found({**triggering, "fields": {**triggering["fields"], name: field}}, slug)


@rows(IN_REASONING)
def test_a_call_is_read_as_reasoning(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    def fields_of(template: Template, mark: str = "") -> list[str]:
        call = template["fields"].get("tool_calls", JSON)
        return opened(streamed(template, f"<think>{WORD} {mark}{openers_of(call)[0]}{body_of(call, FIRST)}"))

    assert fields_of(triggering) == ["reasoning_content"]
    fixed = near_miss["fields"].get("reasoning_content", {})
    if (
        "tool_calls" in near_miss["fields"]
        and {"close", "close_pattern"} & fixed.keys()
        and "call" in str(fixed)
    ):
        mark = "<calls>" if "calls" in str(fixed) else ""
        assert fields_of(near_miss, mark)[1] == ("content" if "close" in fixed else "tool_calls")


@rows(DROPPED)
def test_text_of_a_body_is_dropped(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    name = name_at(triggering, slug)
    field = triggering["fields"][name]
    tag = {"kv-lines": "k: v", "xml-inline": "<p=k>v</p>"}[field["content"]]
    if "content_args" in field and "<p=" not in field["content_args"]["tag_pattern"]:
        tag = "k;"
    opener = openers_of(field)[0]
    text = f"{opener}{tag}\nOrdinary text\n{tag}"
    trace = streamed(triggering, text)
    assert trace.error is None
    assert values_of(trace, name)
    assert "Ordinary" not in str(trace.message)
    near = streamed(near_miss, text)
    assert near.error or "Ordinary" in str(near.message)


@rows(OUTSIDE)
def test_text_outside_is_lost(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    assert streamed(triggering, WORD).message == {}
    assert place == key("/fields")
    if any("open" not in field for field in near_miss["fields"].values()):
        assert WORD in str(streamed(near_miss, WORD).message)


@rows(NAMES)
def test_a_parameter_of_another_name_is_missing(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    def keys_of(template: Template, parameter: str) -> set[str]:
        (name,) = (name for name in template["fields"] if name != "content")
        field = dict(template["fields"][name])
        field["transform"] = ["{content}"]
        opener = openers_of(field)[0]
        if "open_pattern" in field:
            field["transform"] = [*field["transform"], "{name}"]
        tag = f"<p={parameter}>v</p>" if "<p=" in str(field) else f"<{parameter}>"
        changed = {**template, "fields": {**template["fields"], name: field}}
        (value,) = values_of(streamed(changed, opener + tag), name)
        return set(value[0])

    assert keys_of(triggering, "date") == {"date"}
    assert "start-date" not in keys_of(triggering, "start-date")
    assert value_at(triggering, only(triggering, slug).pointer)


@pytest.mark.parametrize("end", ["</p>", r"</\w+>", r"<\/\w+>", "</(?P=key)>"])
def test_fixed_names_of_parameters_are_found_whole(end: str) -> None:
    head = "p=" if end == "</p>" else ""
    template = keyed(rf"<{head}(?P<key>\w+)>(?P<value>.*?){end}")
    finding = only(template, "narrow-parameter-name")
    assert finding.help is not None
    written = json.loads(f"{{{finding.help.removeprefix('write ')}}}")
    names = ("start-date", "user.name", "plain_1")
    tags = "".join(f"<{head}{name}>1</{'p' if head else name}>" for name in names)
    for pattern, read in ((written["tag_pattern"], [*names]), (template_pattern(template), ["plain_1"])):
        (call,) = values_of(streamed(keyed(pattern), f"<f=get>{tags}</f>"), "tool_calls")
        assert [*call["function"]["arguments"]] == read


def template_pattern(template: Template) -> str:
    return str(template["fields"]["tool_calls"]["content_args"]["tag_pattern"])
