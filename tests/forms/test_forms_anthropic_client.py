"""The example server and the package `anthropic`: messages, streamed and whole."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

import anthropic
import pytest

from forms.server_of_tests import AFTER_TOOL, ask
from respc_runtime.messages import digest_signature

if TYPE_CHECKING:
    from collections.abc import Iterator

    from forms.server_of_tests import Served

TOOL: Final = {
    "name": "add",
    "description": "Adds.",
    "input_schema": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}},
}
ADD: Final = ("tool_use", "add", {"a": 1, "b": "Ås"})
EXPECTED: Final[dict[str, tuple[str, list[tuple[Any, ...]]]]] = {
    "plain": ("end_turn", [("text", "Hello, Åse! 🎉")]),
    "reasoning": ("end_turn", [("thinking", "Hm, ü."), ("text", "It is 4.")]),
    "call": ("tool_use", [("thinking", "I add."), ("text", "One moment."), ADD]),
    "calls": ("tool_use", [ADD, ("tool_use", "end", {})]),
    "malformed": ("end_turn", [("text", "Hm.\n\nSorry.")]),
    "empty": ("end_turn", []),
    "cut_call": ("max_tokens", []),
    "long": ("max_tokens", [("text", ("word " * 48).rstrip())]),
    "stops": ("stop_sequence", [("text", "It is 4.")]),
}


@pytest.fixture
def client(served: Served) -> Iterator[Any]:
    with anthropic.Anthropic(base_url=served.address, api_key="none", max_retries=0, timeout=30) as client:
        yield client


def request(key: str, **keys: Any) -> dict[str, Any]:
    return ask(key, tools=[TOOL], max_tokens=60, stop_sequences=["END", "STOP"], **keys)


def outcome_of(message: Any) -> tuple[str, list[tuple[Any, ...]]]:
    """Give what is in a message, without ids."""
    found: list[tuple[Any, ...]] = []
    for block in message.content:
        if block.type == "tool_use":
            found.append(("tool_use", block.name, block.input))
            assert block.id.startswith("toolu_")
        else:
            found.append((block.type, getattr(block, block.type)))
        if block.type == "thinking":
            assert block.signature == digest_signature(block.thinking)
    return message.stop_reason, found


@pytest.mark.parametrize("key", EXPECTED)
def test_a_message(client: Any, key: str) -> None:
    message = client.messages.create(**request(key))
    assert outcome_of(message) == EXPECTED[key]
    assert message.stop_sequence == ("END" if key == "stops" else None)


@pytest.mark.parametrize("key", EXPECTED)
def test_the_streaming_helper(client: Any, key: str) -> None:
    texts: dict[str, str] = {"text": "", "thinking": ""}
    with client.messages.stream(**request(key)) as stream:
        for event in stream:
            if event.type in texts:
                texts[event.type] += getattr(event, event.type)
        message = stream.get_final_message()
    assert outcome_of(message) == EXPECTED[key]
    for kind, text in texts.items():
        assert text == "".join(block[1] for block in EXPECTED[key][1] if block[0] == kind)


def test_the_streaming_helper_of_the_asynchronous_client(served: Served) -> None:
    async def received(client: Any, key: str) -> Any:
        async with client.messages.stream(**request(key)) as stream:
            return await stream.get_final_message()

    async def received_at_once() -> list[Any]:
        async with anthropic.AsyncAnthropic(base_url=served.address, api_key="none", max_retries=0) as client:
            return await asyncio.gather(*(received(client, key) for key in EXPECTED))

    assert list(map(outcome_of, asyncio.run(received_at_once()))) == list(EXPECTED.values())


def test_usage_has_its_thinking(client: Any) -> None:
    whole = client.messages.create(**request("reasoning")).usage
    with client.messages.stream(**request("reasoning")) as stream:
        streamed = stream.get_final_message().usage
    for usage in (whole, streamed):
        assert usage.input_tokens > 0
        assert 0 < usage.output_tokens_details.thinking_tokens < usage.output_tokens


def test_a_second_turn(client: Any, served: Served) -> None:
    first = client.messages.create(**request("call"))
    [call] = [block for block in first.content if block.type == "tool_use"]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": "1Ås"}]}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "#call"}]},
        {"role": "assistant", "content": first.content},
        {"role": "user", "content": [result]},
    ]
    second = client.messages.create(**{**request("call", system="Add."), "messages": turns})
    assert outcome_of(second) == ("end_turn", [("text", AFTER_TOOL.removesuffix("<|im_end|>"))])
    assert "<|im_start|>system\nAdd.<|im_end|>" in served.prompts[-1]
    assert served.prompts[-1].endswith("<|im_start|>tool\n1Ås<|im_end|>\n<|im_start|>assistant\n")


def test_an_answer_that_the_request_has_begun_goes_on(client: Any, served: Served) -> None:
    turns = [{"role": "user", "content": "#plain"}, {"role": "assistant", "content": "Well:"}]
    message = client.messages.create(**{**request("plain"), "messages": turns})
    assert served.prompts[-1].endswith("<|im_start|>assistant\nWell:")
    assert outcome_of(message) == EXPECTED["plain"]


def test_parallel_calls_that_are_not_wanted(client: Any) -> None:
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    message = client.messages.create(**request("calls", tool_choice=choice))
    assert outcome_of(message) == ("tool_use", [ADD])


def test_an_engine_that_fails_in_a_stream(client: Any) -> None:
    with (
        pytest.raises(anthropic.APIStatusError, match="the generation failed"),
        client.messages.stream(**request("fails")) as stream,
    ):
        stream.until_done()
    with pytest.raises(anthropic.InternalServerError, match="the generation failed"):
        client.messages.create(**request("fails"))
