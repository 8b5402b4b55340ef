"""The Responses form: which events come, in which order, and what is in the final object."""

from __future__ import annotations

from typing import Any, Final

import pytest

from forms.forms_of_tests import (
    RESPONSE_OBJECTS,
    USAGE,
    as_response,
    chat_parser,
    items_of,
    kinds,
    numbered_item_ids,
)
from openai_form.completions_of_tests import CALL, TEMPLATE, with_field
from respc_runtime.responses import ResponseObjects, ResponseStream

WHOLE_CALL: Final = '<call>{"name": "add", "arguments": {"a": 1}}</call>'
NAMED: Final = with_field(
    "tool_calls",
    open=None,
    open_pattern=r"<call (?P<name>\w+)>",
    transform={"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
)
LISTS: Final = with_field(
    "tool_calls",
    open="<calls>",
    close="</calls>",
    repeats=None,
    transform_each=True,
    transform={"type": "function", "function": {"name": "{name}", "arguments": "{arguments}"}},
)
TEXT_EVENTS: Final = [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
]
CALL_EVENTS: Final = [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
]


def output(response: dict[str, Any] | None) -> list[dict[str, Any]]:
    assert response is not None
    return list(response["output"])


def test_reasoning_text_and_calls_are_items_in_the_order_of_the_text() -> None:
    text = f"<think>Hm, ü.</think>Sum:{WHOLE_CALL}{WHOLE_CALL}Done.<end>"
    stream, events = as_response(TEMPLATE, text, stopped=True)
    summary = ["reasoning_summary_part", "reasoning_summary_text"]
    assert kinds(events) == [
        "created",
        "in_progress",
        "output_item.added",
        f"{summary[0]}.added",
        f"{summary[1]}.delta",
        f"{summary[1]}.done",
        f"{summary[0]}.done",
        "output_item.done",
        *TEXT_EVENTS,
        *CALL_EVENTS,
        *CALL_EVENTS,
        *TEXT_EVENTS,
        "completed",
    ]
    part = {"type": "output_text", "annotations": [], "logprobs": []}
    call = {"type": "function_call", "name": "add", "arguments": '{"a": 1}', "status": "completed"}
    message = {"type": "message", "role": "assistant", "status": "completed"}
    assert output(stream.response) == [
        {
            "id": "rs_0",
            "type": "reasoning",
            "summary": [{"type": "summary_text", "text": "Hm, ü."}],
            "status": "completed",
        },
        {"id": "msg_1", **message, "content": [{**part, "text": "Sum:"}]},
        {"id": "fc_2", **call, "call_id": "made_0"},
        {"id": "fc_3", **call, "call_id": "made_1"},
        {"id": "msg_4", **message, "content": [{**part, "text": "Done."}]},
    ]


def test_reasoning_can_go_out_as_its_text() -> None:
    stream, events = as_response(TEMPLATE, ["<think>Hm.</think>"], reasoning="text")
    assert kinds(events)[2:-1] == [
        "output_item.added",
        "content_part.added",
        "reasoning_text.delta",
        "reasoning_text.done",
        "content_part.done",
        "output_item.done",
    ]
    [item] = output(stream.response)
    assert item["content"] == [{"type": "reasoning_text", "text": "Hm."}]
    assert item["summary"] == []


def test_reasoning_in_another_form_is_refused() -> None:
    with pytest.raises(ValueError, match="it has to be 'summary' or 'text'"):
        ResponseStream(chat_parser(TEMPLATE), RESPONSE_OBJECTS, reasoning="both")  # type: ignore[arg-type]


@pytest.mark.parametrize("keys", [["reasoning"], ["reasoning", "reasoning_content"]])
def test_reasoning_has_either_name_in_the_deltas(keys: list[str]) -> None:
    class Renamed:
        initial_deltas: Final = [{"role": "assistant"}]
        unread: Final[list[Any]] = []

        def feed(self, chunk: str) -> list[dict[str, Any]]:
            return [dict.fromkeys(keys, chunk)]

        def finalize(self, *, length: bool = False, stopped: bool = False) -> list[dict[str, Any]]:
            return []

    stream = ResponseStream(Renamed(), RESPONSE_OBJECTS)
    events = [*stream.initial_events, *stream.feed("Hm"), *stream.feed("."), *stream.finalize()]
    assert [item["summary"][0]["text"] for item in items_of(events)] == ["Hm."]


def test_an_empty_answer_has_no_items() -> None:
    stream, events = as_response(TEMPLATE, ["<end>"], stopped=True)
    assert kinds(events) == ["created", "in_progress", "completed"]
    assert output(stream.response) == []


def test_a_limit_leaves_the_last_text_incomplete() -> None:
    stream, events = as_response(TEMPLATE, ["<think>Hm.</think>It is"], length=True)
    assert events[-1]["type"] == "response.incomplete"
    assert stream.response is not None
    assert stream.response["incomplete_details"] == {"reason": "max_output_tokens"}
    assert [item["status"] for item in output(stream.response)] == ["completed", "incomplete"]


def test_a_call_that_was_whole_before_the_limit_is_complete() -> None:
    stream, _ = as_response(TEMPLATE, [WHOLE_CALL], length=True)
    assert [item["status"] for item in output(stream.response)] == ["completed"]


def test_what_the_prompt_wrote_comes_first_or_not_at_all() -> None:
    stream, _ = as_response(TEMPLATE, ["Ås."], "<turn>It is ")
    assert [item["content"][0]["text"] for item in output(stream.response)] == ["It is Ås."]
    stream, _ = as_response(TEMPLATE, ["Ås."], "<turn>It is ", prefill=False)
    assert [item["content"][0]["text"].strip() for item in output(stream.response)] == ["Ås."]


def test_a_whole_call_is_added_and_done_at_once() -> None:
    chat = chat_parser(TEMPLATE)
    stream = ResponseStream(chat, RESPONSE_OBJECTS, make_id=numbered_item_ids())
    assert kinds(stream.feed(WHOLE_CALL)) == CALL_EVENTS
    assert stream.open_kind is None


def test_arguments_that_are_streamed_are_deltas() -> None:
    _, events = as_response(TEMPLATE, WHOLE_CALL, stream_arguments=True)
    deltas = [event["delta"] for event in events if event["type"].endswith("arguments.delta")]
    assert len(deltas) == len('{"a": 1}')


@pytest.mark.parametrize("options", [{}, {"stream_arguments": True}])
@pytest.mark.parametrize(
    ("text", "length"), [('<call add>{"a": 1', True), ("<call add>oops</call>", False), ("<call add>", True)]
)
def test_a_begun_call_that_is_not_whole_is_done_as_incomplete_and_not_in_the_response(
    text: str, length: bool, options: dict[str, Any]
) -> None:
    stream, events = as_response(NAMED, text, length=length, **options)
    [item] = items_of(events)
    assert (item["name"], item["status"]) == ("add", "incomplete")
    assert "response.function_call_arguments.done" not in [event["type"] for event in events]
    assert output(stream.response) == []


def test_whole_calls_never_begin_one_that_is_not_whole() -> None:
    _, events = as_response(NAMED, "Hm.<call add>oops</call>", whole_calls=True)
    assert [item["type"] for item in items_of(events)] == ["message"]


def test_a_list_that_is_malformed_in_the_end_takes_its_calls_out_of_the_response() -> None:
    text = '<calls>[{"name": "add", "arguments": {"a": 1}}, {"name": "end", "arguments": {}} oops]</calls>'
    stream, events = as_response(LISTS, text, stream_arguments=True)
    assert [item["status"] for item in items_of(events)] == ["completed", "incomplete"]
    assert output(stream.response) == []


def test_calls_wait_for_arguments_of_the_one_before_them() -> None:
    """Arguments that are no object go out when the whole list is known, and the calls behind them do not overtake."""
    text = '<calls>[{"name": "add", "arguments": [1]}, {"name": "end", "arguments": {"b": 2}}]</calls>Done.'
    stream, _ = as_response(LISTS, text, stream_arguments=True)
    calls = [item for item in output(stream.response) if item["type"] == "function_call"]
    assert [(call["name"], call["arguments"]) for call in calls] == [("add", "[1]"), ("end", '{"b": 2}')]


def test_calls_that_wait_are_told_when_the_one_before_them_is_not_whole() -> None:
    text = (
        '<calls>[{"name": "add", "arguments": [1]}, {"name": "end", "arguments": {"b": 2}} oops</calls>Done.'
    )
    _, events = as_response(LISTS, text, stream_arguments=True)
    assert [item.get("name") for item in items_of(events)] == ["add", "end", None]


def test_an_id_that_comes_twice_is_made_anew() -> None:
    """Clients tell calls apart by their ids, and the package `openai` raises where two are the same."""
    with_id = with_field("tool_calls", transform={**CALL, "id": "{content.id}"})
    call = '<call>{"id": "one", "name": "add", "arguments": {}}</call>'
    stream, _ = as_response(with_id, [call, call])
    first, second = [item["call_id"] for item in output(stream.response)]
    assert first == "one"
    assert second.startswith("call_")


def test_a_response_that_fails_ends_what_is_open() -> None:
    chat = chat_parser(TEMPLATE, stream_arguments=True)
    stream = ResponseStream(chat, RESPONSE_OBJECTS)
    events = [*stream.initial_events, *stream.feed('Hm.<call>{"name": "add", "arguments": {"a": 1}')]
    assert stream.open_kind == "call"
    events += stream.fail("the engine stopped", usage=USAGE)
    assert [item["status"] for item in items_of(events[:-1])] == ["completed", "incomplete"]
    assert events[-1]["type"] == "response.failed"
    assert events[-1]["response"] is stream.response
    assert stream.response is not None
    assert stream.response["status"] == "failed"
    assert stream.response["error"] == {"code": "server_error", "message": "the engine stopped"}
    assert [item["type"] for item in output(stream.response)] == ["message"]


def test_the_response_repeats_what_was_asked_for() -> None:
    request = {"input": "Hi", "temperature": 0.5, "tool_choice": "none", "tools": None, "stream": True}
    response = ResponseObjects("resp_1", "a-model", 1, request).response("completed", [], usage=USAGE)
    assert (response["temperature"], response["tool_choice"], response["tools"]) == (0.5, "none", [])
    assert not {"input", "stream"} & response.keys()
    assert response["usage"] == {
        "input_tokens": 17,
        "input_tokens_details": {"cached_tokens": 5, "cache_write_tokens": 0},
        "output_tokens": 9,
        "output_tokens_details": {"reasoning_tokens": 4},
        "total_tokens": 26,
    }


def test_events_share_no_lists() -> None:
    """A server may add to what it gets, such as log probabilities, without a trace in any other event."""
    _, events = as_response(TEMPLATE, ["<think>a</think>", "b", "c"], reasoning="text")
    seen: set[int] = set()
    for event in events:
        for value in event.values():
            if isinstance(value, list):
                assert id(value) not in seen
                seen.add(id(value))
