"""What strict clients need: no call that is taken back, text that can be encoded, usage, several choices."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from openai.lib.streaming.chat import ChatCompletionStreamState
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from openai_form.completions_of_tests import (
    CALL,
    OBJECTS,
    TEMPLATE,
    added_up,
    run,
    serving_parser,
    with_field,
)
from respc_runtime.openai import ChatCompletionParser
from support.chunking import characters

if TYPE_CHECKING:
    from openai.types.chat import ParsedChatCompletion

NAMED: Final = with_field(
    "tool_calls",
    open=None,
    open_pattern=r"<call (?P<name>\w+)>",
    transform={"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
)
WITH_ID: Final = with_field("tool_calls", transform={**CALL, "id": "{content.id}"})
STRICT_TOOL: Final[dict[str, Any]] = {
    "type": "function",
    "function": {
        "name": "f",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"days": {"type": ["integer", "null"]}},
            "required": ["days"],
            "additionalProperties": False,
        },
    },
}
USAGE: Final = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def accumulated(text: str, **options: Any) -> ParsedChatCompletion[Any]:
    """Give what the streaming helper of the package makes of a generation, with a tool whose schema is strict."""
    parser, deltas = run(NAMED, characters(text), tools=[STRICT_TOOL], **options)
    state: ChatCompletionStreamState[Any] = ChatCompletionStreamState(input_tools=[STRICT_TOOL])
    for chunk in [*map(OBJECTS.chunk, deltas), OBJECTS.last_chunk(parser.finish_reason)]:
        state.handle_chunk(ChatCompletionChunk.model_validate(chunk))
    return state.get_final_completion()


@pytest.mark.parametrize("body", ['{"days": oops}', '{"days": 3'])
def test_a_client_never_has_a_call_that_is_taken_back(body: str) -> None:
    text = f"a<call f>{body}</call>b<call f>" + '{"days": "4"}</call>'
    # A call that is begun and then unread has arguments that are no JSON, which this client cannot bear.
    with pytest.raises(ValueError, match=r"line 1|EOF"):
        accumulated(text)
    [choice] = accumulated(text, whole_calls=True).choices
    assert choice.message.content == "ab"
    [call] = choice.message.tool_calls or []
    assert (call.function.name, call.function.arguments) == ("f", '{"days": 4}')


def test_whole_calls_that_are_cut_off_leave_no_trace() -> None:
    parser, deltas = run(NAMED, ["a<call f>{}</call><call f>{"], length=True, whole_calls=True)
    assert [call["function"]["arguments"] for call in added_up(deltas)["tool_calls"]] == ["{}"]
    assert [region.indexes for region in parser.unread] == [()]
    assert parser.finish_reason == "length"


def test_whole_calls_are_not_streamed() -> None:
    with pytest.raises(TypeError, match="lets calls out before"):
        ChatCompletionParser(serving_parser(TEMPLATE), "", stream_arguments=True, whole_calls=True)


@pytest.mark.parametrize("stream_arguments", [False, True])
def test_a_name_that_no_response_can_hold_is_no_name(stream_arguments: bool) -> None:
    text = r'a<call>{"name": "f\ud83d", "arguments": {}}</call>'
    parser, deltas = run(TEMPLATE, [text], stream_arguments=stream_arguments)
    assert json.dumps([deltas, parser.message], ensure_ascii=False).encode()
    assert parser.message == {"role": "assistant", "content": "a"}
    assert [region.text for region in parser.unread] == [text[1:]]


@pytest.mark.parametrize("stream_arguments", [False, True])
def test_an_id_that_no_response_can_hold_is_replaced(stream_arguments: bool) -> None:
    text = r'<call>{"name": "f", "id": "\ud83d", "arguments": {"a": "\ud83d"}}</call>'
    parser, deltas = run(WITH_ID, [text], stream_arguments=stream_arguments)
    assert json.dumps([deltas, parser.message], ensure_ascii=False).encode()
    assert parser.message is not None
    [call] = parser.message["tool_calls"]
    assert call["id"] == "made_0"
    assert json.loads(call["function"]["arguments"]) == {"a": "\ud83d"}


@pytest.mark.parametrize("stream_arguments", [False, True])
def test_an_id_that_the_closer_tells_is_waited_for(stream_arguments: bool) -> None:
    template = with_field(
        "tool_calls",
        open=None,
        open_pattern=r"<call (?P<name>\w+)>",
        close=None,
        close_pattern=r"</call (?P<id>\w+)>",
        transform={
            "id": "{id}",
            "type": "function",
            "function": {"name": "{name}", "arguments": "{content}"},
        },
    )
    text = '<call f>{"a": 1}</call x7>'
    parser, deltas = run(template, characters(text), stream_arguments=stream_arguments)
    call = {"id": "x7", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    assert deltas == [{"role": "assistant"}, {"tool_calls": [{"index": 0, **call}]}]
    assert parser.message is not None
    assert parser.message["tool_calls"] == [call]


def test_content_that_no_response_can_hold_is_escaped() -> None:
    template = with_field("content", content="json", open="<json>", join=None)
    parser, deltas = run(template, [r'<json>"\ud83d"<end>'])
    assert json.dumps([deltas, parser.message], ensure_ascii=False).encode()
    assert parser.message is not None
    assert parser.message["content"] == r'"\ud83d"'


def test_a_stream_can_end_with_its_usage() -> None:
    chunk = ChatCompletionChunk.model_validate_json(json.dumps(OBJECTS.usage_chunk(USAGE)), strict=True)
    assert chunk.choices == []
    assert chunk.usage is not None
    assert chunk.usage.total_tokens == 3
    assert (chunk.id, chunk.model) == (OBJECTS.completion_id, OBJECTS.model)


def test_choices_are_joined() -> None:
    completions = []
    for number in range(3):
        parser, _ = run(TEMPLATE, [f"answer {number}"])
        objects = replace(OBJECTS, choice=number)
        completions.append(objects.completion(parser.message, parser.finish_reason, USAGE))
    joined = {**completions[0], "choices": [choice for each in completions for choice in each["choices"]]}
    read = ChatCompletion.model_validate_json(json.dumps(joined), strict=True)
    assert [(choice.index, choice.message.content) for choice in read.choices] == [
        (number, f"answer {number}") for number in range(3)
    ]
