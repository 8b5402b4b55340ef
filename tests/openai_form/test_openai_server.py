"""End to end: a small server on the loopback, and the client of the package `openai`, a thousand streams at once."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, Final

import pytest
from openai import AsyncOpenAI, OpenAI
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from openai_form.completions_of_tests import added_up, parser_of
from respc_runtime.openai import ChatCompletionParser, CompletionObjects
from support.families import Family
from support.running_server import running

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from starlette.requests import Request

MOST_STREAMS: Final = 1000
FAMILIES: Final = [
    Family(name)
    for name in ("qwen3", "qwen3_5", "deepseek_v3_1", "kimi_k2", "gemma4", "glm4_5", "gpt_oss", "smollm3")
]
TOOL: Final = {
    "name": "look_up",
    "parameters": {"properties": {"number": {"type": "integer"}, "note": {"type": "string"}}},
}


def generation(number: int) -> tuple[Family, dict[str, Any]]:
    """Give the family of a stream, and a message that no other has."""
    family = FAMILIES[number % len(FAMILIES)]
    message: dict[str, Any] = {}
    if family.writes.get("reasoning"):
        message["reasoning_content"] = f"Stream {number} thinks of {number * 7}."
    if number % 3 != 1:
        message["content"] = f"Answer {number}: Ålesund, {'day ' * (number % 5)}done."
    if number % 3:
        calls = range(1 if number % 2 or family.writes["calls"] != "many" else 2)
        message["tool_calls"] = [
            {
                "id": f"functions.look_up:{place}",
                "type": "function",
                "function": {
                    "name": "look_up",
                    "arguments": {"number": number + place, "note": f"nö {number}"},
                },
            }
            for place in calls
        ]
    return family, message


class Server:
    """An OpenAI-compatible server whose model writes the generation that the user's message names by its number."""

    def __init__(self) -> None:
        self.expected = 0
        self.running = 0
        self.all_running = asyncio.Event()
        self.app = Starlette(routes=[Route("/v1/chat/completions", self.complete, methods=["POST"])])

    async def complete(self, request: Request) -> Response:
        body = await request.json()
        number = int(body["messages"][-1]["content"])
        family, message = generation(number)
        prompt = family.writes["prefix"]
        parser = ChatCompletionParser(
            parser_of(family),
            prompt,
            tools=body.get("tools"),
            stream_arguments=number % 4 < 2,
        )
        objects = CompletionObjects(f"chatcmpl-{number}", body["model"], 1_700_000_000)
        text = family.render(message, opened=False)
        size = 6 + number % 40
        chunks = [text[place : place + size] for place in range(0, len(text), size)]
        if body.get("stream"):
            return StreamingResponse(self.stream(parser, objects, chunks), media_type="text/event-stream")
        for chunk in chunks:
            parser.feed(chunk)
        parser.finalize(stopped=True)
        usage = {"prompt_tokens": len(prompt), "completion_tokens": 1, "total_tokens": len(prompt) + 1}
        return JSONResponse(objects.completion(parser.message, parser.finish_reason, usage))

    async def stream(
        self, parser: ChatCompletionParser, objects: CompletionObjects, chunks: list[str]
    ) -> AsyncIterator[str]:
        for delta in parser.initial_deltas:
            yield self.line(objects.chunk(delta))
        # Nobody goes on before all have begun: so many streams are open at once.
        self.running += 1
        if self.running >= self.expected:
            self.all_running.set()
        await self.all_running.wait()
        for chunk in chunks:
            await asyncio.sleep(0)
            for delta in parser.feed(chunk):
                yield self.line(objects.chunk(delta))
        for delta in parser.finalize(stopped=True):
            yield self.line(objects.chunk(delta))
        yield self.line(objects.last_chunk(parser.finish_reason))
        yield "data: [DONE]\n\n"

    @staticmethod
    def line(chunk: dict[str, Any]) -> str:
        return f"data: {json.dumps(chunk, ensure_ascii=False)}\n\n"


@pytest.fixture
def server() -> Iterator[tuple[Server, str]]:
    """A server that runs in a thread, and its address."""
    served = Server()
    with running(served.app) as address:
        yield served, f"{address}/v1"


@pytest.fixture
def many_files() -> None:
    """Both ends of a thousand connections are open in one process."""
    resource = pytest.importorskip("resource", reason="Windows has no limit of open files to raise")
    needed = 2 * MOST_STREAMS + 200
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < needed:
        if hard != resource.RLIM_INFINITY and hard < needed:
            pytest.skip(f"a process may open no more than {hard} files")
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def request(number: int) -> dict[str, Any]:
    return {
        "model": "a-model",
        "messages": [{"role": "user", "content": str(number)}],
        "tools": [{"type": "function", "function": TOOL}],
    }


async def received(client: AsyncOpenAI, number: int) -> tuple[int, list[dict[str, Any]], list[str], set[str]]:
    """Take a stream: its number, deltas, finish reasons, and the ids of its chunks."""
    deltas: list[dict[str, Any]] = []
    reasons: list[str] = []
    ids: set[str] = set()
    async for chunk in await client.chat.completions.create(**request(number), stream=True):
        [choice] = chunk.choices
        ids.add(chunk.id)
        deltas.append(choice.delta.model_dump(exclude_unset=True))
        if choice.finish_reason:
            reasons.append(choice.finish_reason)
    return number, deltas, reasons, ids


async def received_from_all(
    address: str, streams: int
) -> list[tuple[int, list[dict[str, Any]], list[str], set[str]]]:
    async with AsyncOpenAI(base_url=address, api_key="none", max_retries=0, timeout=120) as client:
        return await asyncio.gather(*(received(client, number) for number in range(streams)))


def check_total(number: int, total: dict[str, Any], reason: str | None) -> None:
    """Compare what a client has in the end with what the model wrote."""
    family, message = generation(number)
    assert (total.get("content") or "") == message.get("content", "")
    assert (total.get("reasoning_content") or "") == message.get("reasoning_content", "")
    calls, expected = total.get("tool_calls") or [], message.get("tool_calls", [])
    assert [(call["function"]["name"], json.loads(call["function"]["arguments"])) for call in calls] == [
        (call["function"]["name"], call["function"]["arguments"]) for call in expected
    ]
    if family.name == "kimi_k2":
        assert [call["id"] for call in calls] == [call["id"] for call in expected]
    assert reason == ("tool_calls" if expected else "stop")


@pytest.mark.usefixtures("many_files")
@pytest.mark.parametrize("number_of_streams", [100, pytest.param(MOST_STREAMS, marks=pytest.mark.long)])
def test_many_streams_at_once(server: tuple[Server, str], number_of_streams: int) -> None:
    served, address = server
    for family in FAMILIES:
        parser_of(family)
    served.expected = number_of_streams
    streams = asyncio.run(received_from_all(address, number_of_streams))
    assert served.running == number_of_streams
    made: list[str] = []
    for number, deltas, reasons, ids in streams:
        assert ids == {f"chatcmpl-{number}"}
        assert deltas[0] == {"role": "assistant"}
        total = added_up(deltas)
        check_total(number, total, *reasons)
        made += [call["id"] for call in total["tool_calls"] if call["id"].startswith("call_")]
    assert len(set(made)) == len(made) > number_of_streams / 2


def test_completions_that_do_not_stream(server: tuple[Server, str]) -> None:
    with OpenAI(base_url=server[1], api_key="none", max_retries=0, timeout=30) as client:
        for number in range(3 * len(FAMILIES)):
            completion = client.chat.completions.create(**request(number))
            assert completion.id == f"chatcmpl-{number}"
            [choice] = completion.choices
            check_total(number, choice.message.model_dump(), choice.finish_reason)


def test_the_streaming_helper_of_the_client(server: tuple[Server, str]) -> None:
    """The package's own accumulation of deltas gives the same."""
    with OpenAI(base_url=server[1], api_key="none", max_retries=0, timeout=30) as client:
        for number in range(2 * len(FAMILIES)):
            with client.chat.completions.stream(**request(number)) as stream:
                events = [event.type for event in stream]
                completion = stream.get_final_completion()
            [choice] = completion.choices
            check_total(number, choice.message.model_dump(), choice.finish_reason)
            assert ("tool_calls.function.arguments.done" in events) == bool(choice.message.tool_calls)
