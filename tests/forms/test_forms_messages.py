"""The Messages form: which events come, in which order, and what is in the final object."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from forms.forms_of_tests import (
    MESSAGE_OBJECTS,
    as_message,
    blocks_of,
    chat_parser,
    kinds,
)
from forms.test_forms_responses import LISTS, NAMED, WHOLE_CALL
from openai_form.completions_of_tests import CALL, TEMPLATE, with_field
from respc_runtime.messages import MessageStream, TokenCounts, digest_signature, make_tool_use_id

BLOCK: Final = ["content_block_start", "content_block_delta", "content_block_stop"]


def content(stream: MessageStream[str]) -> list[dict[str, Any]]:
    assert stream.message is not None
    return list(stream.message["content"])


def reason(stream: MessageStream[str]) -> tuple[str, str | None]:
    assert stream.message is not None
    return stream.message["stop_reason"], stream.message["stop_sequence"]


def test_thinking_text_and_calls_are_blocks_in_the_order_of_the_text() -> None:
    text = f"<think>Hm, ü.</think>Sum:{WHOLE_CALL}{WHOLE_CALL}<end>"
    stream, events = as_message(TEMPLATE, text, stopped=True)
    assert kinds(events) == ["message_start", *(4 * BLOCK), "message_delta", "message_stop"]
    tool_use = {"type": "tool_use", "name": "add", "input": {"a": 1}}
    assert content(stream) == [
        {"type": "thinking", "thinking": "Hm, ü.", "signature": digest_signature("Hm, ü.")},
        {"type": "text", "text": "Sum:"},
        {**tool_use, "id": "made_0"},
        {**tool_use, "id": "made_1"},
    ]
    assert reason(stream) == ("tool_use", None)


def test_the_signature_comes_right_before_the_end_of_its_block() -> None:
    _, events = as_message(TEMPLATE, ["<think>Hm.</think>So."])
    deltas = [event["delta"]["type"] for event in events if event["type"] == "content_block_delta"]
    assert deltas == ["thinking_delta", "signature_delta", "text_delta"]


def test_a_server_signs_in_its_own_way() -> None:
    stream = MessageStream(chat_parser(TEMPLATE), MESSAGE_OBJECTS, sign=lambda thinking: f"{len(thinking)}")
    stream.feed("<think>Hm.</think>")
    stream.finalize()
    assert content(stream)[0]["signature"] == "3"


def test_usage_is_told_at_the_start_and_at_the_end() -> None:
    _, events = as_message(TEMPLATE, ["Hi."])
    start = events[0]["message"]["usage"]
    assert (start["input_tokens"], start["cache_read_input_tokens"], start["output_tokens"]) == (12, 5, 0)
    assert events[-2]["usage"] == {
        "input_tokens": 12,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 5,
        "output_tokens": 9,
        "output_tokens_details": {"thinking_tokens": 4},
    }


def test_usage_of_the_prompt_stays_where_nothing_else_is_told() -> None:
    stream = MessageStream(chat_parser(TEMPLATE), MESSAGE_OBJECTS, usage=TokenCounts(prompt=3))
    stream.finalize()
    assert stream.message is not None
    assert stream.message["usage"]["input_tokens"] == 3


def test_an_empty_answer_has_no_blocks() -> None:
    stream, events = as_message(TEMPLATE, ["<end>"], stopped=True)
    assert kinds(events) == ["message_start", "message_delta", "message_stop"]
    assert reason(stream) == ("end_turn", None)


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("Hi.<end>", {"stopped": True}, ("end_turn", None)),
        ("Hi.", {"length": True}, ("max_tokens", None)),
        (WHOLE_CALL, {"length": True}, ("max_tokens", None)),
        (WHOLE_CALL, {"length": True, "stop_sequence": "STOP"}, ("max_tokens", None)),
        (WHOLE_CALL, {}, ("tool_use", None)),
        (f"{WHOLE_CALL}Hm.", {"stop_sequence": "STOP"}, ("stop_sequence", "STOP")),
        # A call of which clients have nothing does not keep them from running the others.
        (f"{WHOLE_CALL}<call>oops</call>", {}, ("tool_use", None)),
    ],
)
def test_the_stop_reason(text: str, options: dict[str, Any], expected: tuple[str, str | None]) -> None:
    stream, _ = as_message(TEMPLATE, [text], **options)
    assert reason(stream) == expected


@pytest.mark.parametrize("text", ['<call add>{"a": 1', "<call add>oops</call>", "<call add>"])
def test_a_begun_call_that_is_not_whole_is_not_in_the_message_and_no_reason_to_run_any(text: str) -> None:
    stream, events = as_message(NAMED, f'<call end>{{"b": 2}}</call>{text}')
    assert [block["name"] for block in blocks_of(events[1:-2])] == ["end", "add"]
    assert [block["name"] for block in content(stream)] == ["end"]
    assert reason(stream) == ("end_turn", None)


@pytest.mark.parametrize(
    "arguments",
    [
        "[1]",
        '"text"',
        "NaN",
        '{"a": NaN}',
        '{"a": -Infinity}',
        '{"a": 1e999}',
        '"{\\"a\\": 1e999}"',
        '{"a": "\\ud800"}',
    ],
)
def test_arguments_that_a_message_cannot_hold(arguments: str) -> None:
    text = f'Hm.<call>{{"name": "add", "arguments": {arguments}}}</call>So.'
    stream, events = as_message(TEMPLATE, [text])
    assert [block["type"] for block in blocks_of(events[1:-2])] == ["text"]
    [call] = stream.without_input
    assert call["function"]["name"] == "add"
    assert reason(stream) == ("end_turn", None)
    json.dumps(stream.message, allow_nan=False, ensure_ascii=False).encode()


def test_arguments_that_a_message_cannot_hold_of_a_begun_call() -> None:
    stream, events = as_message(NAMED, ["<call add>[1]</call>"])
    assert [block["input"] for block in blocks_of(events[1:-2])] == [[1]]
    assert content(stream) == []
    assert [call["function"]["name"] for call in stream.without_input] == ["add"]
    assert reason(stream) == ("end_turn", None)


def test_no_arguments_are_an_empty_input() -> None:
    stream, _ = as_message(TEMPLATE, ['<call>{"name": "now", "arguments": null}</call>'])
    assert [block["input"] for block in content(stream)] == [{}]


def test_calls_wait_for_arguments_of_the_one_before_them() -> None:
    text = '<calls>[{"name": "add", "arguments": null}, {"name": "end", "arguments": {"b": 2}}]</calls>'
    stream, _ = as_message(LISTS, text, stream_arguments=True)
    assert [(block["name"], block["input"]) for block in content(stream)] == [("add", {}), ("end", {"b": 2})]


def test_an_id_that_comes_twice_is_made_anew() -> None:
    with_id = with_field("tool_calls", transform={**CALL, "id": "{content.id}"})
    call = '<call>{"id": "one", "name": "add", "arguments": {}}</call>'
    stream, _ = as_message(with_id, [call, call])
    first, second = [block["id"] for block in content(stream)]
    assert first == "one"
    assert second.startswith("toolu_")


def test_ids_as_the_api_has_them() -> None:
    stream, _ = as_message(TEMPLATE, [WHOLE_CALL], make_id=make_tool_use_id)
    [block] = content(stream)
    assert block["id"].startswith("toolu_")


def test_an_error_ends_a_stream() -> None:
    stream = MessageStream(chat_parser(TEMPLATE), MESSAGE_OBJECTS)
    error = {"type": "overloaded_error", "message": "no room"}
    assert stream.fail("no room", kind="overloaded_error") == [{"type": "error", "error": error}]
    assert MESSAGE_OBJECTS.ping() == {"type": "ping"}
