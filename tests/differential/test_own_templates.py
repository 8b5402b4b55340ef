"""The tests' own templates and samples, under every way to cut them."""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

import pytest
from transformers.utils.chat_parsing import parse_response as interpret_response

import respc
from support.checking import check
from support.chunking import many
from support.oracle import compiled, interpret, refused_by_interpreter
from support.outcomes import outcome
from support.strictness import first_difference
from support.templates import own_names, own_samples, own_template

SAMPLES = [(name, sample["id"]) for name in own_names() for sample in own_samples(name)]
MOST_CUTS = 160


def sample_of(name: str, ident: str) -> dict[str, Any]:
    return next(sample for sample in own_samples(name) if sample["id"] == ident)


@pytest.mark.parametrize("name", own_names())
def test_template_is_accepted_and_has_samples(name: str) -> None:
    assert refused_by_interpreter(own_template(name)) is None
    idents = [sample["id"] for sample in own_samples(name)]
    assert len(idents) >= 8
    assert len(set(idents)) == len(idents)


@pytest.mark.parametrize(("name", "ident"), SAMPLES)
def test_every_chunking(name: str, ident: str) -> None:
    sample = sample_of(name, ident)
    template = own_template(name)
    chunkings = list(many(sample["text"], Random(f"{name}/{ident}")))[: MOST_CUTS + 6]
    check(
        template, {None: compiled(template)}, sample["prefix"], chunkings, sample["tools"], f"{name}/{ident}"
    )


@pytest.mark.parametrize(("name", "ident"), SAMPLES)
def test_every_border_between_prefix_and_text(name: str, ident: str) -> None:
    sample = sample_of(name, ident)
    template = own_template(name)
    modules = {None: compiled(template)}
    everything = sample["prefix"] + sample["text"]
    for border in range(len(sample["prefix"]), min(len(everything), len(sample["prefix"]) + 60)):
        chunking = ("rest of the text", [everything[border:]])
        check(
            template, modules, everything[:border], [chunking], sample["tools"], f"{name}/{ident} at {border}"
        )


@pytest.mark.parametrize("name", own_names())
def test_one_shot(name: str) -> None:
    template = own_template(name)
    module = compiled(template)
    for sample in own_samples(name):
        text, prefix, tools = sample["text"], sample["prefix"], sample["tools"]
        expected = outcome(interpret_response, text, deepcopy(template), prefix=prefix, tools=deepcopy(tools))
        actual = outcome(module.parse_response, text, prefix=prefix, tools=deepcopy(tools))
        assert first_difference(expected, actual, f"{name}/{sample['id']}") is None


@pytest.mark.parametrize("name", ["smollm", "harmony", "glm_args", "overlaps", "defaults_meet"])
def test_batch_is_one_message_a_text(name: str) -> None:
    template = own_template(name)
    module = compiled(template)
    samples = [
        sample
        for sample in own_samples(name)
        if interpret(template, sample["prefix"], [sample["text"]]).error is None
    ]
    assert len(samples) >= 5
    texts = [sample["text"] for sample in samples]
    prefixes = [sample["prefix"] for sample in samples]
    expected = [
        interpret_response(text, template, prefix=prefix)
        for text, prefix in zip(texts, prefixes, strict=True)
    ]
    assert first_difference(expected, module.parse_response(texts, prefix=prefixes)) is None
    alike = [interpret_response(text, template, prefix="") for text in texts[:1]] * 2
    assert first_difference(alike, module.parse_response([texts[0], texts[0]], prefix="")) is None
    assert module.parse_response([], prefix="") == []


def test_prefix_must_be_given() -> None:
    module = compiled(own_template("smollm"))
    with pytest.raises(ValueError, match="prefix"):
        module.ResponseParser()
    with pytest.raises(ValueError, match="prefix"):
        module.parse_response("text")


@pytest.mark.parametrize("name", ["smollm", "end_anchors", "scalars"])
def test_a_finished_parser_refuses_more(name: str) -> None:
    parser = compiled(own_template(name)).ResponseParser("")
    parser.finalize()
    with pytest.raises(RuntimeError):
        parser.feed("more")
    with pytest.raises(RuntimeError):
        parser.feed("")
    with pytest.raises(RuntimeError):
        parser.finalize()


def test_a_failed_parser_refuses_more() -> None:
    """On purpose unlike the interpreter, which swallows all that follows into the region that failed."""
    parser = compiled(own_template("scalars")).ResponseParser("")
    with pytest.raises(ValueError, match=r"."):
        parser.feed("<i>not a number</i>")
    with pytest.raises(RuntimeError):
        parser.feed("x")
    with pytest.raises(RuntimeError):
        parser.finalize()


def test_defaults_are_not_shared_between_parsers() -> None:
    template = own_template("defaults_meet")
    module = compiled(template)
    first = module.parse_response("<c>1</c>", prefix="")
    first["calls"][0]["seed"].append("touched")
    first["deep"]["a"]["b"].append("touched")
    second = module.parse_response("", prefix="")
    assert first_difference(interpret_response("", template, prefix=""), second) is None


def test_events_are_not_shared_between_feeds() -> None:
    parser = compiled(own_template("smollm")).ResponseParser("")
    first = parser.feed("one")
    second = parser.feed("two")
    first[-1]["text"] = "touched"
    first.clear()
    assert second == [{"type": "region_chunk", "field": "content", "text": "two", "dirty": False}]
    message, _ = parser.finalize()
    assert message["content"] == "onetwo"


def set_alarm(hour: int, enabled: bool, label: str | None = None) -> None:
    """
    Sets an alarm.

    Args:
        hour: The hour.
        enabled: Whether it rings.
        label: What it is for.
    """


@pytest.mark.parametrize(
    "tools",
    [
        [set_alarm],
        [set_alarm, {"type": "function", "function": {"name": "set_alarm"}}],
        [{"function": {"name": "set_alarm", "parameters": None}}, set_alarm],
        [{"type": "web_search"}, {"name": "set_alarm", "parameters": "none"}, set_alarm],
        (set_alarm,),
        [],
    ],
)
def test_tools_as_functions_and_odd_tools(tools: Any) -> None:
    template = own_template("smollm")
    arguments = '{"hour": "7", "enabled": "true", "label": "null"}'
    text = f'<tool_call>{{"name": "set_alarm", "arguments": {arguments}}}</tool_call>'
    check(template, {None: compiled(template)}, "", [("whole", [text])], tools, "tools")


def test_a_function_without_a_docstring_is_refused_alike() -> None:
    def bare(hour: int) -> None: ...

    template = own_template("smollm")
    traces = check(template, {None: compiled(template)}, "", [("whole", ["x"])], [bare], "bare function")
    assert traces[0].failed_at == "construct"


def test_source_is_given_as_text() -> None:
    source = respc.compile_template(own_template("smollm")).source
    compile(source, "<generated>", "exec")
    assert "ResponseParser" in source
