"""`EventStreamer` gives, token by token, the events and the message of the whole generation."""

from __future__ import annotations

import time
from contextlib import suppress
from itertools import pairwise
from queue import Empty
from threading import Thread
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import respc
from integrations.tokenizers_of_tests import (
    ANSWERS,
    BACKENDS,
    CALL,
    PROMPT,
    TEMPLATE,
    ids_of,
    tokenizer_of,
)
from respc.integrations.transformers import EventStreamer, MissingTemplateError
from respc_runtime.errors import MissingPrefixError, ParserStateError, ResponseError
from support.strictness import first_difference
from support.templates import own_template

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

THINKING = PROMPT + "<think>\n"
MANY = [*ANSWERS, "".join(ANSWERS), CALL + "\u00e5" * 40 + "猫\N{CAT FACE}" * 30]
SECONDS = 20.0


@pytest.fixture(params=sorted(BACKENDS))
def tokenizer(request: pytest.FixtureRequest) -> PreTrainedTokenizerBase:
    return tokenizer_of(request.param)


def generate(prompt: list[int], ids: list[int], streamer: EventStreamer, at_once: int = 1) -> None:
    """Put what the `generate` of transformers puts: the prompt as a row of a batch, tokens without one."""
    streamer.put(np.array([prompt]))
    for start in range(0, len(ids), at_once):
        streamer.put(np.array(ids[start : start + at_once]))
    streamer.end()


def in_a_thread(*arguments: Any) -> Thread:
    """Start a generation; what it raises ends it, and is for the streamer to hand over."""

    def run() -> None:
        with suppress(ResponseError):
            generate(*arguments)

    thread = Thread(target=run)
    thread.start()
    return thread


def merged(events: list[Any]) -> list[Any]:
    """Return the events with the chunks of a region as one: how it is cut is up to the tokenizer."""
    result: list[Any] = []
    for event in events:
        if event["type"] == "region_chunk" and result and result[-1]["type"] == "region_chunk":
            result[-1] = {**event, "text": result[-1]["text"] + event["text"]}
        else:
            result.append(event)
    return result


@pytest.mark.parametrize("at_once", [1, 3])
@pytest.mark.parametrize("prompt", [PROMPT, THINKING], ids=["clean", "thinking"])
@pytest.mark.parametrize("answer", MANY, ids=range(len(MANY)))
def test_events_and_message_are_those_of_the_original(
    tokenizer: PreTrainedTokenizerBase, answer: str, prompt: str, at_once: int
) -> None:
    prompt_ids, ids = ids_of(tokenizer, prompt), ids_of(tokenizer, answer)
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    thread = in_a_thread(prompt_ids, ids, streamer, at_once)
    events = list(streamer)
    thread.join()

    interpreter = tokenizer.get_response_parser(prefix=prompt_ids)
    expected = [*interpreter.initial_events, *interpreter.feed(tokenizer.decode(ids))]
    message, last = interpreter.finalize()
    assert first_difference(merged([*expected, *last]), merged(events)) is None
    assert first_difference(message, streamer.message) is None
    # As a row of a batch, because an empty list alone is an empty batch.
    assert first_difference(tokenizer.parse_response([ids], prefix=prompt_ids), [streamer.message]) is None
    assert all("\ufffd" not in event["text"] for event in events if event["type"] == "region_chunk")


def test_character_that_the_end_cuts_off_is_as_in_the_original(tokenizer: PreTrainedTokenizerBase) -> None:
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    ids = ids_of(tokenizer, "It rains, and \N{CAT FACE}")[:-1]
    generate(ids_of(tokenizer, PROMPT), ids, streamer)
    assert streamer.message == tokenizer.parse_response(ids, prefix=PROMPT)
    assert streamer.message["content"].endswith("\ufffd")
    assert merged(list(streamer))[1]["text"] == tokenizer.decode(ids)


def test_events_come_with_their_tokens(tokenizer: PreTrainedTokenizerBase) -> None:
    seen: list[Any] = []
    streamer = EventStreamer(tokenizer, on_event=seen.append)
    streamer.put(np.array([ids_of(tokenizer, THINKING)]))
    assert seen[0]["type"] == "region_open"
    after: list[str] = []
    for token in ids_of(tokenizer, "It rains, and 雪 falls."):
        streamer.put(np.array([token]))
        after.append("".join(event["text"] for event in seen if event["type"] == "region_chunk"))
    waited = [text for before, text in pairwise(after) if before == text]
    assert len(waited) <= 2  # the first two bytes of the only character that no token is for
    streamer.put(np.array([tokenizer.convert_tokens_to_ids("</think>")]))
    assert seen[-1]["type"] == "region_close"
    assert streamer.message is None
    streamer.end()
    assert streamer.message == {"role": "assistant", "reasoning_content": seen[-1]["value"]}


@pytest.mark.parametrize(
    "shape",
    [lambda ids: [ids], lambda ids: ids, lambda ids: np.array(ids), lambda ids: np.array([ids]), tuple],
    ids=["rows", "list", "array", "array of rows", "tuple"],
)
def test_shapes_that_are_put(shape: Any) -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    for ids in (ids_of(tokenizer, PROMPT), ids_of(tokenizer, ANSWERS[0])):
        streamer.put(shape(ids))
    streamer.put(np.int64(tokenizer.convert_tokens_to_ids("<think>")))
    streamer.put(ids_of(tokenizer, "a")[0])
    streamer.end()
    assert streamer.message == {"role": "assistant", "reasoning_content": "a", "content": "It rains."}


def test_batch_is_refused_on_both_sides() -> None:
    streamer = EventStreamer(tokenizer_of(), timeout=SECONDS)
    with pytest.raises(ValueError, match="one sequence, but a batch of 2"):
        streamer.put(np.array([[1, 2], [3, 4]]))
    with pytest.raises(ValueError, match="one sequence, but a batch of 2"):
        next(streamer)


@pytest.mark.parametrize("given", ["text", None, [1.5], ["text"], [[[1, 2]]], [1, [2]]], ids=repr)
def test_what_is_no_token_ids_is_refused_on_both_sides(given: Any) -> None:
    streamer = EventStreamer(tokenizer_of(), timeout=SECONDS)
    streamer.put([1, 2])
    with pytest.raises(TypeError, match=f"token ids of one sequence.*{type(given).__name__} was given"):
        streamer.put(given)
    with pytest.raises(TypeError, match="token ids of one sequence"):
        list(streamer)


def test_text_that_cannot_be_parsed_ends_both_sides() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    streamer.put(ids_of(tokenizer, PROMPT))
    with pytest.raises(ValueError, match="tool_calls"):
        streamer.put(ids_of(tokenizer, "before<tool_call>no JSON</tool_call>"))
    with pytest.raises(ParserStateError):
        streamer.put(ids_of(tokenizer, "more"))
    # What the parser gave before is there; what came with the token that failed is not.
    with pytest.raises(ValueError, match="tool_calls"):
        list(streamer)
    assert streamer.message is None


def test_missing_field_is_raised_by_end() -> None:
    template = {**TEMPLATE, "fields": {**TEMPLATE["fields"], "content": {"optional": False}}}
    tokenizer = tokenizer_of(template=template)
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    in_a_thread(ids_of(tokenizer, PROMPT), ids_of(tokenizer, CALL), streamer).join()
    events: list[Any] = []
    with pytest.raises(ValueError, match="'content'"):
        events.extend(streamer)
    assert [event["type"] for event in merged(events)] == ["region_open", "region_chunk", "region_close"]
    assert streamer.message is None
    generate(ids_of(tokenizer, PROMPT), ids_of(tokenizer, "Here."), streamer)
    assert streamer.message == {"role": "assistant", "content": "Here."}


def test_streamer_is_ready_again_after_the_end_even_of_a_failure() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    prompt = ids_of(tokenizer, PROMPT)
    for answer in (ANSWERS[0], ANSWERS[2]):
        generate(prompt, ids_of(tokenizer, answer), streamer)
        assert merged(list(streamer))[-1]["type"] == "region_close"
        assert streamer.message == tokenizer.parse_response(answer, prefix=PROMPT)
    streamer.put(prompt)
    assert streamer.message is None
    with pytest.raises(ValueError, match="tool_calls"):
        streamer.put(ids_of(tokenizer, "<tool_call></tool_call>"))
    streamer.end()
    with pytest.raises(ValueError, match="tool_calls"):
        list(streamer)
    generate(ids_of(tokenizer, THINKING), ids_of(tokenizer, "a"), streamer)
    assert [event["type"] for event in merged(list(streamer))] == [
        "region_open",
        "region_chunk",
        "region_close",
    ]


def test_prompt_that_generate_puts_after_a_failure_begins_anew() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, timeout=SECONDS)
    prompt = ids_of(tokenizer, PROMPT)
    for _ in range(2):
        in_a_thread(prompt, ids_of(tokenizer, "<tool_call></tool_call>"), streamer, 100).join()
        with pytest.raises(ValueError, match="tool_calls"):
            list(streamer)
    with pytest.raises(ParserStateError, match="call `end`"):
        streamer.put(np.array([prompt[0]]))
    generate(prompt, ids_of(tokenizer, ANSWERS[0]), streamer)
    assert merged(list(streamer))[-1] == {"type": "region_close", "field": "content", "value": "It rains."}
    assert streamer.message == {"role": "assistant", "content": "It rains."}


@pytest.mark.parametrize(
    "shape",
    [list, np.array, lambda ids: [ids], lambda ids: np.array([ids])],
    ids=["list", "array", "row", "rows"],
)
def test_prefix_can_be_token_ids(shape: Any) -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, prefix=shape(ids_of(tokenizer, THINKING)))
    generate([1], ids_of(tokenizer, "so</think>It rains."), streamer)
    assert streamer.message == {"role": "assistant", "reasoning_content": "so", "content": "It rains."}


def test_prefix_of_several_sequences_is_refused() -> None:
    with pytest.raises(ValueError, match="batch of 2"):
        EventStreamer(tokenizer_of(), prefix=[[1], [2]])
    with pytest.raises(TypeError, match="token ids of one sequence"):
        EventStreamer(tokenizer_of(), prefix=3.5)


def test_prefix_takes_the_place_of_the_prompt() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, prefix=THINKING, timeout=SECONDS)
    generate(ids_of(tokenizer, "anything"), ids_of(tokenizer, "so</think>It rains."), streamer)
    assert streamer.message == {"role": "assistant", "reasoning_content": "so", "content": "It rains."}


def test_all_ids_are_the_generation_without_skip_prompt() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, skip_prompt=False, prefix=THINKING)
    generate(ids_of(tokenizer, "so"), ids_of(tokenizer, "</think>It rains."), streamer)
    assert streamer.message == {"role": "assistant", "reasoning_content": "so", "content": "It rains."}
    with pytest.raises(MissingPrefixError):
        EventStreamer(tokenizer, skip_prompt=False)


def test_tools_and_another_template() -> None:
    tokenizer = tokenizer_of(template=None)
    schema = {"name": "look_up", "parameters": {"properties": {"count": {"type": "integer"}}}}
    streamer = EventStreamer(tokenizer, tools=[schema], response_template=TEMPLATE)
    generate(ids_of(tokenizer, PROMPT), ids_of(tokenizer, CALL), streamer)
    assert streamer.message is not None
    assert streamer.message["tool_calls"][0]["function"]["arguments"] == {"count": 3, "place": "Tromsø"}


def test_template_is_checked_before_the_generation() -> None:
    with pytest.raises(MissingTemplateError, match="has no response template"):
        EventStreamer(tokenizer_of(template=None))
    with pytest.raises(respc.TemplateError, match="response_template of the"):
        EventStreamer(tokenizer_of(template={"start_anchor": "a", "fields": {}}))
    with pytest.raises(respc.TemplateError, match="<template>"):
        EventStreamer(tokenizer_of(), response_template={"start_anchor": "a", "fields": {}})


def test_iteration_waits_no_longer_than_the_timeout() -> None:
    streamer = EventStreamer(tokenizer_of(), timeout=0.05)
    with pytest.raises(Empty, match=r"within 0\.05 seconds"):
        next(streamer)


def test_iteration_waits_for_a_slow_generation() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer)

    def slowly() -> None:
        streamer.put(ids_of(tokenizer, PROMPT))
        for token in ids_of(tokenizer, ANSWERS[0]):
            time.sleep(0.01)
            streamer.put([token])
        streamer.end()

    thread = Thread(target=slowly)
    thread.start()
    assert merged(list(streamer))[-1] == {"type": "region_close", "field": "content", "value": "It rains."}
    thread.join()


def test_failure_of_generate_is_handed_over() -> None:
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer)
    streamer.put(ids_of(tokenizer, THINKING))
    streamer.fail(MemoryError("no more memory"))
    streamer.fail(MemoryError("said twice"))
    assert [next(streamer)["type"] for _ in range(2)] == ["region_open", "region_chunk"]
    with pytest.raises(MemoryError, match="no more memory"):
        next(streamer)
    streamer.end()
    generate(ids_of(tokenizer, PROMPT), [], streamer)
    assert list(streamer) == []
    assert streamer.message == {"role": "assistant"}


def test_callback_leaves_nothing_to_iterate_over() -> None:
    seen: list[Any] = []
    tokenizer = tokenizer_of()
    streamer = EventStreamer(tokenizer, on_event=seen.append)
    generate(ids_of(tokenizer, PROMPT), ids_of(tokenizer, ANSWERS[0]), streamer)
    assert merged(seen)[-1] == {"type": "region_close", "field": "content", "value": "It rains."}
    with pytest.raises(TypeError, match="on_event"):
        iter(streamer)


def test_exception_of_a_callback_reaches_generate() -> None:
    def stop(event: Any) -> None:
        raise KeyboardInterrupt

    tokenizer = tokenizer_of()
    with pytest.raises(KeyboardInterrupt):
        generate(
            ids_of(tokenizer, PROMPT), ids_of(tokenizer, ANSWERS[0]), EventStreamer(tokenizer, on_event=stop)
        )


def test_end_without_a_generation_ends_the_iteration() -> None:
    streamer = EventStreamer(tokenizer_of(template=own_template("hermes_joined")), timeout=SECONDS)
    streamer.end()
    assert list(streamer) == []
    assert streamer.message is None
