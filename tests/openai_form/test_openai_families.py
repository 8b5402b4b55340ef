"""For every family and every way of cutting its samples, the deltas add up to the message of the family's parser."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from openai_form.completions_of_tests import OBJECTS, argument_values, run
from respc_runtime.argument_text import can_stream_arguments, written_arguments
from respc_runtime.outside_text import OUTSIDE_REASONS
from support.chunking import few, random_cuts
from support.families import Family, families

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc_runtime.openai import ChatCompletionParser

SAMPLES = [(family, sample) for family in families() for sample in family.samples]


def check_message(parser: ChatCompletionParser, family: Family, sample: dict[str, Any]) -> None:
    """Compare the message with that of the sample, which is the default parser's.

    The form reads some calls that this does not, reports what this drops, and keeps the model's own blanks.
    """
    message, expected = parser.message, sample["message"]
    assert message is not None
    calls = message.get("tool_calls", [])
    unread = [region for region in parser.unread if region.error.reason != OUTSIDE_REASONS["after_turn"]]
    if expected is None:
        # The default parser refuses it for a call that it cannot read.
        assert unread or calls
        return
    reported = "".join(region.text for region in unread)
    for key in ("content", "reasoning_content"):
        # Where only a call stands between two texts without any blanks, the form has none either.
        text, wanted = ("".join((each.get(key) or "").split()) for each in (message, expected))
        assert text == wanted or (wanted.startswith(text) and reported), key
    functions = [call["function"] for call in expected.get("tool_calls", []) if call["function"]["name"]]
    given = list(zip([call["function"]["name"] for call in calls], argument_values(message), strict=True))
    known = list(zip([function["name"] for function in functions], values_of(functions), strict=True))
    # Of several lists of calls, the default parser's message has the last alone.
    assert given[-len(known) or None :] == known or (unread and all(call in known for call in given))
    if not any(region.is_call for region in unread):
        assert parser.finish_reason == ("tool_calls" if calls else "stop")


def values_of(functions: list[dict[str, Any]]) -> list[Any]:
    """Give the arguments of functions as clients read them."""
    return [json.loads(written_arguments(function["arguments"])) for function in functions]


def every_run(
    family: Family, sample: dict[str, Any], chunkings: Iterator[tuple[str, list[str]]]
) -> Iterator[tuple[ChatCompletionParser, list[dict[str, Any]]]]:
    stopped = sample["kind"] != "cut_off"
    for _, chunks in chunkings:
        for stream_arguments in (False, True):
            yield run(
                family.template,
                chunks,
                sample["prefix"],
                tools=sample["tools"],
                stream_arguments=stream_arguments,
                stopped=stopped,
            )


@pytest.mark.parametrize("family", families(), ids=str)
def test_samples(family: Family) -> None:
    random = Random(family.name)
    for sample in family.samples:
        for parser, _ in every_run(family, sample, iter(few(sample["text"], random))):
            check_message(parser, family, sample)


@pytest.mark.parametrize("family", families(), ids=str)
def test_objects_are_valid(family: Family) -> None:
    random = Random(family.name)
    for sample in family.samples:
        for parser, deltas in every_run(family, sample, iter([("", random_cuts(sample["text"], random))])):
            for chunk in [*map(OBJECTS.chunk, deltas), OBJECTS.last_chunk(parser.finish_reason)]:
                ChatCompletionChunk.model_validate_json(json.dumps(chunk), strict=True)
            completion = OBJECTS.completion(parser.message, parser.finish_reason)
            ChatCompletion.model_validate_json(json.dumps(completion), strict=True)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SAMPLES), st.integers(0, 100), st.randoms(), st.booleans(), st.booleans())
def test_samples_that_break_off(
    drawn: tuple[Family, dict[str, Any]], percent: int, random: Random, stream_arguments: bool, length: bool
) -> None:
    family, sample = drawn
    text = sample["text"][: len(sample["text"]) * percent // 100]
    parser, _ = run(
        family.template,
        random_cuts(text, random),
        sample["prefix"],
        tools=sample["tools"],
        stream_arguments=stream_arguments,
        length=length,
    )
    assert parser.message is not None
    if length:
        assert parser.finish_reason == "length"
    elif parser.finish_reason == "tool_calls":
        assert not any(region.is_call for region in parser.unread)
        assert parser.message["tool_calls"]
    if sample["message"] is not None:
        # What is whole now is what is whole in the end; the form passes over calls without a name.
        calls = sample["message"].get("tool_calls", [])
        functions = [call["function"] for call in calls if call["function"]["name"]]
        whole = argument_values(parser.message)
        assert values_of(functions[: len(whole)]) == whole
    for region in parser.unread:
        assert text.endswith(region.text) or sample["prefix"].endswith(region.text[: -len(text) or None])


def test_most_families_stream_arguments() -> None:
    streamed: set[str] = set()
    for family, sample in SAMPLES:
        if sample["kind"] != "one_call" or family.name in streamed:
            continue
        _, deltas = run(
            family.template, list(sample["text"]), sample["prefix"], stream_arguments=True, stopped=True
        )
        parts = [part for delta in deltas for part in delta.get("tool_calls", [])]
        if len(parts) > 4:
            streamed.add(family.name)
    assert {
        "qwen3",
        "deepseek_v3",
        "kimi_k2",
        "gpt_oss",
        "cohere_command",
        "mistral_v3",
        "llama3_1",
    } <= streamed
    assert not {"qwen3_coder", "gemma4", "lfm2"} & streamed
    assert can_stream_arguments(
        {"name": ("captures", "name"), "id": None, "arguments": ("content",), "each": False}
    )
