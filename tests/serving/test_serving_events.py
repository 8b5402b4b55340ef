"""The serving form of events against the default form: the same, with places, and faults as events."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import event, given
from transformers.utils.chat_parsing.response_templates import load_response_template

import respc
from support.checking import describe
from support.chunking import few
from support.families import Family, representatives
from support.modules import module_of
from support.oracle import Trace, difference_between, record
from support.serving import (
    as_default,
    check_places,
    hiding_what_was_lost,
    input_texts,
    without_care,
    without_prompt,
)
from support.strategies import Example, examples, generated
from support.strictness import first_difference
from support.templates import own_names, own_samples, own_template

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from support.chunking import Chunking

Pair = tuple["ModuleType", "ModuleType"]


def pair_of(template: dict[str, Any], passes: tuple[str, ...] | None = None) -> Pair:
    """Return the module of a template in the default form, and in the serving form."""
    default = respc.load(template, passes=passes, stable=False)
    return default, without_care(respc.load(template, passes=passes, events="serving", stable=False))


def trace_of(module: ModuleType, prefix: str, chunks: list[str], tools: Any) -> Trace:
    return record(lambda: module.ResponseParser(prefix, tools=tools), chunks)


def check_pair(
    template: dict[str, Any], pair: Pair, prefix: str, chunkings: Iterable[Chunking], tools: Any
) -> None:
    """Assert that a template's serving form is its default form and more."""
    begun = load_response_template(template).truncate_past_last_anchor(prefix) if prefix else ""
    for name, chunks in chunkings:
        context = f"{name}: {describe(template, prefix, chunks, tools)}"
        texts = input_texts(pair[1], prefix, chunks, tools)
        fed = [begun + "".join(chunks[:count]) for count in range(len(chunks) + 1)]
        assert texts == [*fed, fed[-1]][: len(texts)], context
        serving = trace_of(pair[1], prefix, chunks, tools)
        default = without_prompt(trace_of(pair[0], prefix, chunks, tools), serving, len(begun))
        difference = difference_between(default, hiding_what_was_lost(default, as_default(serving)))
        assert difference is None, f"{difference}\n{context}"
        if serving.error is None:
            check_places(serving, texts[-1], len(begun))
        check_one_shot(pair, prefix, "".join(chunks), tools, context)


def check_one_shot(pair: Pair, prefix: str, text: str, tools: Any, context: str) -> None:
    """Assert that both forms give the same message, or the same error: type, text and place."""
    expected, actual = (message_or_error(module, prefix, text, tools) for module in pair)
    assert first_difference(expected, actual) is None, f"{first_difference(expected, actual)}\n{context}"


def message_or_error(module: ModuleType, prefix: str, text: str, tools: Any) -> Any:
    try:
        return module.parse_response(text, prefix=prefix, tools=tools)
    except Exception as error:
        return type(error).__name__, str(error)


@generated(30)
@given(examples(texts=4))
def test_generated(example: Example) -> None:
    check_example(example)


@pytest.mark.long
@generated(120)
@given(examples(texts=4))
def test_many_generated(example: Example) -> None:
    check_example(example)


def check_example(example: Example) -> None:
    """Assert that both forms of a template agree: with all passes, and with none."""
    for passes in (None, ()):
        try:
            pair = pair_of(example.template, passes)
        except respc.TemplateError:
            event("refused")
            return
        for made in example.generations:
            check_pair(example.template, pair, made.prefix, made.chunkings(), made.tools)


@pytest.mark.parametrize("passes", [None, ()], ids=["all-passes", "no-pass"])
@pytest.mark.parametrize("name", own_names())
def test_own_templates(name: str, passes: tuple[str, ...] | None) -> None:
    template = own_template(name)
    pair = pair_of(template, passes)
    for sample in own_samples(name):
        chunkings = few(sample["text"], Random(sample["id"]))
        check_pair(template, pair, sample["prefix"], chunkings, sample["tools"])


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_families(family: Family) -> None:
    pair = pair_of(family.template)
    for sample in family.samples:
        chunkings = few(sample["text"], Random(sample["id"]))
        check_pair(family.template, pair, sample["prefix"], chunkings, sample["tools"])


@pytest.mark.parametrize("name", own_names())
def test_standalone_modules(name: str) -> None:
    template = own_template(name)
    compilation = respc.compile_template(
        template, events="serving", stable=False, standalone=True, formatted=False
    )
    assert "respc_runtime." not in compilation.source
    pair = (respc.load(template, stable=False), without_care(module_of(compilation.source)))
    for sample in own_samples(name):
        chunkings = few(sample["text"], Random(sample["id"]), 1)
        check_pair(template, pair, sample["prefix"], chunkings, sample["tools"])
