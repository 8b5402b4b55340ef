"""The example server and the package `openai`: responses and chat completions, streamed and whole."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from openai import APIError, AsyncOpenAI, OpenAI

from forms.server_of_tests import AFTER_TOOL, TEXTS, ask

if TYPE_CHECKING:
    from collections.abc import Iterator

    from openai.types.responses import Response

    from forms.server_of_tests import Served

ADD: Final = {
    "name": "add",
    "parameters": {"properties": {"a": {"type": "integer"}, "b": {"type": "string"}}},
}
RESPONSE_TOOL: Final[dict[str, Any]] = {"type": "function", **ADD}
CHAT_TOOL: Final[dict[str, Any]] = {"type": "function", "function": ADD}
COMPLETE: Final = [key for key in TEXTS if key not in ("cut_call", "long", "stops")]


@pytest.fixture
def client(served: Served) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{served.address}/v1", api_key="none", max_retries=0, timeout=30) as client:
        yield client


def request(key: str, **keys: Any) -> Any:
    return {"model": "qwen3", "input": f"#{key}", "tools": [RESPONSE_TOOL], **keys}


def output_of(response: Response) -> list[tuple[Any, ...]]:
    """Give what is in a response, without ids."""
    found: list[tuple[Any, ...]] = []
    for item in response.output:
        if item.type == "reasoning":
            found.append(("reasoning", item.summary[0].text))
        elif item.type == "message":
            found.append(("text", item.content[0].text))  # type: ignore[union-attr]
        elif item.type == "function_call":
            found.append(("call", item.name, json.loads(item.arguments)))
    return found


EXPECTED: Final[dict[str, list[tuple[Any, ...]]]] = {
    "plain": [("text", "Hello, Åse! 🎉")],
    "reasoning": [("reasoning", "Hm, ü."), ("text", "It is 4.")],
    "call": [("reasoning", "I add."), ("text", "One moment."), ("call", "add", {"a": 1, "b": "Ås"})],
    "calls": [("call", "add", {"a": 1, "b": "Ås"}), ("call", "end", {})],
    "malformed": [("text", "Hm.\n\nSorry.")],
    "empty": [],
}


@pytest.mark.parametrize("key", COMPLETE)
def test_a_response(client: OpenAI, key: str) -> None:
    response = client.responses.create(**request(key))
    assert output_of(response) == EXPECTED[key]
    assert response.status == "completed"
    assert response.output_text == "".join(item[1] for item in EXPECTED[key] if item[0] == "text")


@pytest.mark.parametrize("key", COMPLETE)
def test_the_streaming_helper(client: OpenAI, key: str) -> None:
    texts: dict[int, str] = {}
    with client.responses.stream(**request(key)) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                texts[event.output_index] = texts.get(event.output_index, "") + event.delta
                assert event.snapshot == texts[event.output_index]
            elif event.type == "response.output_text.done":
                assert event.text == texts[event.output_index]
        response = stream.get_final_response()
    assert output_of(response) == EXPECTED[key]
    assert list(texts.values()) == [item[1] for item in EXPECTED[key] if item[0] == "text"]


def test_the_streaming_helper_of_the_asynchronous_client(served: Served) -> None:
    async def received(client: AsyncOpenAI, key: str) -> Response:
        async with client.responses.stream(**request(key)) as stream:
            return await stream.get_final_response()

    async def received_at_once() -> list[Response]:
        async with AsyncOpenAI(base_url=f"{served.address}/v1", api_key="none", max_retries=0) as client:
            return await asyncio.gather(*(received(client, key) for key in COMPLETE))

    assert list(map(output_of, asyncio.run(received_at_once()))) == [EXPECTED[key] for key in COMPLETE]


@pytest.mark.parametrize("key", ["cut_call", "long"])
def test_a_response_that_is_cut_off(client: OpenAI, key: str) -> None:
    whole = client.responses.create(**request(key, max_output_tokens=30))
    with client.responses.stream(**request(key, max_output_tokens=30)) as stream:
        last = list(stream)[-1]
    assert last.type == "response.incomplete"
    for response in (whole, last.response):
        assert response.status == "incomplete"
        assert response.incomplete_details is not None
        assert response.incomplete_details.reason == "max_output_tokens"
        assert response.usage is not None
        assert response.usage.output_tokens == 30
        assert [item.type for item in response.output] == ([] if key == "cut_call" else ["message"])


def test_usage_of_a_response_has_its_reasoning(client: OpenAI) -> None:
    usage = client.responses.create(**request("reasoning")).usage
    assert usage is not None
    assert usage.input_tokens > 0
    assert 0 < usage.output_tokens_details.reasoning_tokens < usage.output_tokens
    assert usage.total_tokens == usage.input_tokens + usage.output_tokens


def test_a_response_repeats_its_request(client: OpenAI) -> None:
    response = client.responses.create(**request("plain", temperature=0.5, instructions="Be short."))
    assert (response.temperature, response.instructions) == (0.5, "Be short.")
    assert [tool.type for tool in response.tools] == ["function"]


def test_a_second_turn_with_responses(client: OpenAI, served: Served) -> None:
    first = client.responses.create(**request("call", instructions="Add."))
    [call] = [item for item in first.output if item.type == "function_call"]
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "1Ås"}
    turns = [{"role": "user", "content": "#call"}, *first.output, output]
    second = client.responses.create(**request("call", input=turns))
    assert second.output_text == AFTER_TOOL.removesuffix("<|im_end|>")
    assert '{"name": "add", "arguments": {"a": 1, "b": "\\u00c5s"}}' in served.prompts[-1]
    assert served.prompts[-1].endswith("<|im_start|>tool\n1Ås<|im_end|>\n<|im_start|>assistant\n")


def test_parallel_calls_that_are_not_wanted(client: OpenAI) -> None:
    assert (
        output_of(client.responses.create(**request("calls", parallel_tool_calls=False)))
        == EXPECTED["calls"][:1]
    )
    options = ask("calls", tools=[CHAT_TOOL], parallel_tool_calls=False)
    [choice] = client.chat.completions.create(**options).choices
    assert len(choice.message.tool_calls or ()) == 1
    with client.chat.completions.stream(**options) as stream:
        [choice] = stream.get_final_completion().choices
    assert len(choice.message.tool_calls or ()) == 1


def test_tool_choice_none_shows_the_model_no_tools(client: OpenAI, served: Served) -> None:
    client.responses.create(**request("plain", tool_choice="none"))
    assert '"add"' not in served.prompts[-1]
    client.responses.create(**request("plain", tool_choice="auto"))
    assert '"add"' in served.prompts[-1]


@pytest.mark.parametrize("streamed", [False, True])
def test_a_chat_completion(client: OpenAI, streamed: bool) -> None:
    options = ask("call", tools=[CHAT_TOOL])
    if streamed:
        with client.chat.completions.stream(**options, stream_options={"include_usage": True}) as stream:
            completion: Any = stream.get_final_completion()
    else:
        completion = client.chat.completions.create(**options)
    [choice] = completion.choices
    assert choice.finish_reason == "tool_calls"
    assert choice.message.content == "One moment."
    assert choice.message.reasoning_content == choice.message.reasoning == "I add."
    [call] = choice.message.tool_calls
    assert json.loads(call.function.arguments) == {"a": 1, "b": "Ås"}
    assert completion.usage.completion_tokens_details.reasoning_tokens > 0


@pytest.mark.parametrize(("key", "limit"), [("stops", None), ("long", 3)])
def test_ends_of_a_chat_completion(client: OpenAI, key: str, limit: int | None) -> None:
    [choice] = client.chat.completions.create(**ask(key, stop="END", max_tokens=limit)).choices
    assert choice.finish_reason == ("stop" if limit is None else "length")
    assert choice.message.content == ("It is 4." if limit is None else "word word wo")


def test_an_engine_that_fails_in_a_stream(client: OpenAI) -> None:
    events = list(client.responses.create(**request("fails"), stream=True))
    assert events[-1].type == "response.failed"
    assert events[-1].response.error is not None
    assert events[-1].response.error.code == "server_error"
    assert events[-1].response.output[0].status == "incomplete"
    with pytest.raises(APIError, match="the generation failed"):
        list(client.chat.completions.create(**ask("fails"), stream=True))
