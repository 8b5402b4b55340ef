"""The example server: errors in each API's form, clients that go away, its types, and its transformers engine."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import aclosing
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import APITimeoutError, OpenAI

from forms.server_of_tests import ENDLESS, EXAMPLES, ask, example
from support.strategies import generated
from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from forms.server_of_tests import Served

PROJECT: Final = TESTS.parent
CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
ASKED: Final = {CHAT: {}, RESPONSES: {"input": "#plain"}, MESSAGES: {"max_tokens": 9}}
IMAGE: Final = [{"type": "image_url", "image_url": {"url": "x"}}]
REFUSED: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "unknown model": ({"model": "gpt"}, "there is no model 'gpt'"),
    "no model": ({"model": None}, "`model` is missing"),
    "tools that are no list": ({"tools": {"name": "f"}}, "`tools` is not a list"),
    "a tool without a name": ({"tools": [{"type": "function"}]}, "`tools` has one without a name"),
    "a schema that cannot be read": (
        {"tools": [{"name": "f", "parameters": {"properties": {"a": {"anyOf": 1}}}}]},
        "`tools` cannot be read",
    ),
    "a call that is required": ({"tool_choice": "required"}, "`tool_choice` can be auto and none"),
    "a call of a name": (
        {"tool_choice": {"type": "tool", "name": "f"}},
        "`tool_choice` can be auto and none",
    ),
    "several choices": ({"n": 2}, "one choice is made here"),
    "no messages": ({"messages": [], "input": []}, "is missing or empty"),
    "an image": (
        {"messages": [{"role": "user", "content": IMAGE}], "input": [{"role": "user", "content": IMAGE}]},
        "which cannot be served",
    ),
    "no role": ({"messages": [{"content": "Hi"}], "input": [{"content": "Hi"}]}, "a message has no `role`"),
    "a limit that is none": (
        {"max_tokens": -1, "max_output_tokens": -1},
        "the limit of tokens has to be a whole number",
    ),
    "stop strings that are none": (
        {"stop": [1], "stop_sequences": [1], "text": {"format": {"type": "json_schema"}}},
        "cannot be served: outputs are not shaped|the stop strings are not",
    ),
}


def post(address: str, body: bytes) -> tuple[int, dict[str, Any]]:
    """Send a body, and give the status and the answer."""
    request = urllib.request.Request(address, body, {"content-type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.load(error)


def check_error(path: str, status: int, answer: dict[str, Any], message: str) -> None:
    error = answer["error"]
    assert re.search(message, error["message"])
    if path == MESSAGES:
        assert answer["type"] == "error"
        assert error.keys() == {"type", "message"}
        assert error["type"] == ("not_found_error" if status == 404 else "invalid_request_error")
    else:
        assert error.keys() == {"message", "type", "param", "code"}
        assert error["type"] == "invalid_request_error"
        assert error["code"] == ("model_not_found" if status == 404 else None)


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize("reason", REFUSED)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_request_that_is_refused(served: Served, path: str, reason: str, streamed: bool) -> None:
    keys, message = REFUSED[reason]
    body = {**ask("plain"), **ASKED[path], **keys, "stream": streamed}
    status, answer = post(served.address + path, json.dumps(body).encode())
    assert status == (404 if reason == "unknown model" else 400)
    check_error(path, status, answer, message)


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_a_body_that_is_none(served: Served, path: str, body: bytes) -> None:
    status, answer = post(served.address + path, body)
    assert status == 400
    check_error(path, status, answer, "the body is not")


KEYS: Final = st.sampled_from(
    [
        *("role", "content", "type", "text", "name", "function", "arguments", "tool_calls", "parameters"),
        *("summary", "output", "call_id", "input", "thinking", "properties", "input_schema", "format"),
    ]
)
VALUES: Final = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from(["", "user", "assistant", "function_call", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
BODIES: Final = st.fixed_dictionaries(
    {"model": st.just("qwen3")},
    optional=dict.fromkeys(
        [
            *("messages", "input", "tools", "tool_choice", "stop", "stop_sequences", "max_tokens", "text"),
            *(
                "system",
                "instructions",
                "stream",
                "stream_options",
                "max_output_tokens",
                "parallel_tool_calls",
            ),
        ],
        VALUES,
    ),
)


@generated(100)
@given(BODIES)
def test_no_request_breaks_the_server(body: dict[str, Any]) -> None:
    server, requests = example("server"), example("server_requests")
    for api in (server.COMPLETIONS, server.RESPONSES, server.MESSAGES):
        try:
            asked = api.read(requests.read_body(json.dumps(body).encode()))
        except requests.RequestError:
            continue
        api.form(asked, server.Chat(server.ServingParser, server.written_prompt(asked), asked, str, 1))


def test_the_models(served: Served) -> None:
    with OpenAI(base_url=f"{served.address}/v1", api_key="none") as client:
        assert [model.id for model in client.models.list()] == ["qwen3"]


def test_what_the_scripted_engine_says() -> None:
    server, requests = example("server"), example("server_requests")

    def said(*turns: dict[str, Any]) -> dict[str, Any]:
        asked = requests.asked_of_chat({"model": "qwen3", "messages": list(turns)})
        prompt = server.written_prompt(asked)
        message: dict[str, Any] = server.ServingParser(prompt).finish("".join(server.scripted(prompt)))
        return message

    assert said({"role": "user", "content": "Hi"})["content"].startswith("Hello!")
    asked = {"role": "user", "content": "How is the weather?"}
    called = said(asked)
    [call] = called["tool_calls"]
    assert call["function"] == {"name": "get_weather", "arguments": {"city": "Ålesund"}}
    answered = said(asked, called, {"role": "tool", "content": "sunny"})
    assert answered["content"] == "It is sunny in Ålesund."


@pytest.mark.parametrize("path", ASKED)
def test_a_client_that_leaves_a_stream_stops_its_generation(served: Served, path: str) -> None:
    body = {**ask(ENDLESS), **ASKED[path], "stream": True}
    body |= {"input": f"#{ENDLESS}"} if path == RESPONSES else {}
    body |= {"max_tokens": 10**9} if path == MESSAGES else {}
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(served.address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        for _ in range(20):
            assert answer.readline()
        assert served.running == 1
    served.wait_until_idle()


def test_a_client_that_does_not_wait_for_a_whole_answer_stops_its_generation(served: Served) -> None:
    with (
        OpenAI(base_url=f"{served.address}/v1", api_key="none", max_retries=0, timeout=0.5) as client,
        pytest.raises(APITimeoutError),
    ):
        client.responses.create(model="qwen3", input=f"#{ENDLESS}")
    served.wait_until_idle()


def test_stop_strings_are_found_wherever_they_are_cut() -> None:
    engine = example("server_engine")

    async def pieces(texts: list[str]) -> AsyncGenerator[Any, None]:
        for text in texts:
            yield engine.Piece(text)
        yield engine.Piece("", 0, "stop token")

    async def until(texts: list[str], stop: list[str]) -> tuple[str, Any]:
        given = [piece async for piece in engine.until_stop_string(pieces(texts), stop)]
        return "".join(piece.text for piece in given), given[-1]

    text = "So it ENDS, or EN"
    for size in range(1, len(text) + 1):
        texts = [text[start : start + size] for start in range(0, len(text), size)]
        written, last = asyncio.run(until(texts, ["STOP", "END"]))
        assert (written, last.ended, last.stop_string) == ("So it ", "stop string", "END")
        written, last = asyncio.run(until(texts, ["STOP", "ENE"]))
        assert (written, last.ended, last.stop_string) == (text, "stop token", None)
        written, last = asyncio.run(until(texts, []))
        assert (written, last.ended) == (text, "stop token")


class Tokenizer:
    """A token a character, and what the streamer needs of a tokenizer."""

    def __call__(self, text: str, **_: Any) -> dict[str, Any]:
        return {"input_ids": numpy.array([list(map(ord, text))])}

    def decode(self, tokens: Any, **options: Any) -> str:
        assert options == {"skip_special_tokens": False}
        return "".join(map(chr, numpy.atleast_1d(tokens)))


class Model:
    """Generates a text, and what the engine needs of a model."""

    generation_config = SimpleNamespace(eos_token_id=ord("$"))

    def __init__(self, text: str, fails: bool = False) -> None:
        self._text = text
        self._fails = fails
        self.written = 0

    def generate(
        self, *, input_ids: Any, streamer: Any, max_new_tokens: int, stopping_criteria: list[Any]
    ) -> list[list[int]]:
        streamer.put(input_ids)
        tokens = [ord(character) for character in self._text[:max_new_tokens]]
        for token in tokens:
            if stopping_criteria[0](None, None):
                break
            self.written += 1
            streamer.put(numpy.array([token]))
            time.sleep(0.001)
        if self._fails:
            raise RuntimeError("out of memory")
        streamer.end()
        return [[*input_ids[0], *tokens]]


async def generated_by(model: Model, max_tokens: int | None, most: int = 10_000) -> tuple[str, Any]:
    engine = example("server_engine").TransformersEngine(model, Tokenizer())
    given: list[Any] = []
    async with aclosing(engine.generate("Hi", max_tokens)) as pieces:
        async for piece in pieces:
            given.append(piece)
            if len(given) == most:
                break
    return "".join(piece.text for piece in given), given[-1].ended


def test_the_engine_of_transformers() -> None:
    text = "<think>\nHm.\n</think>\n\nHello!\n$"
    assert asyncio.run(generated_by(Model(text), None)) == (text, "stop token")
    assert asyncio.run(generated_by(Model(text), 9)) == (text[:9], "length")
    assert asyncio.run(generated_by(Model(text), len(text))) == (text, "stop token")
    with pytest.raises(RuntimeError, match="out of memory"):
        asyncio.run(generated_by(Model(text, fails=True), None))


def test_the_engine_of_transformers_stops_when_nobody_reads_it() -> None:
    model = Model("on and on " * 1_000)
    asyncio.run(generated_by(model, None, most=3))
    assert model.written < 5_000


@pytest.mark.long
def test_the_types_of_the_server() -> None:
    paths = [str(EXAMPLES), *(str(PROJECT / name) for name in ("compiler", "runtime", "generated"))]
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file", os.devnull, str(EXAMPLES / "server.py")],
        cwd=PROJECT,
        env={**os.environ, "MYPYPATH": os.pathsep.join(paths)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.long
def test_the_server_starts_as_a_program() -> None:
    """As the page says it is run; port 0 is any free one."""
    with subprocess.Popen(
        [sys.executable, str(EXAMPLES / "server.py"), "0"],
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stderr is not None
            assert any("Uvicorn running on http://127.0.0.1:" in line for line in process.stderr)
        finally:
            process.terminate()
