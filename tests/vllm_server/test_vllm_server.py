"""vLLM's own API server with parsers by name answers every kind of request, and streams add up to whole answers."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import jsonschema
import pytest

from support.vllm_answers import BERGEN, FORMATS, INFERRED, TOOLS, answers_of
from support.vllm_server import NAME

if TYPE_CHECKING:
    from collections.abc import Iterator

PYTHON_VARIABLE: Final = "RESPC_VLLM_PYTHON"
"""Names the Python of an environment that has vLLM, and respc installed."""
PYTHON: Final = os.environ.get(PYTHON_VARIABLE) or (sys.executable if find_spec("vllm") else None)
TESTS: Final = Path(__file__).resolve().parents[1]

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("vllm_server"),
    pytest.mark.skipif(
        PYTHON is None,
        reason=f"needs vLLM 0.33, which is several gigabytes and wants another transformers than the tests: "
        f"install it and respc into an environment of their own, and name its Python in {PYTHON_VARIABLE}",
    ),
]

STREAMS: Final = (1, 4, 1_000)
NAMED: Final = {"type": "function", "function": {"name": "get_weather"}}
STRICT: Final = [{**tool, "function": {**tool["function"], "strict": True}} for tool in TOOLS]
SCHEMA: Final = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}}}
WHOLE: Final = [
    *("plain", "thought", "again", "tail", "cut", "thinks_on", "empty", "call"),
    *(
        (name, {"tools": TOOLS})
        for name in ("plain", "thought", "call", "two", "big", "tail", "again", "cut", "empty")
    ),
    ("call", {"tools": TOOLS, "tool_choice": "none"}),
    ("call", {"tools": STRICT}),
    ("two", {"tools": TOOLS, "parallel_tool_calls": False}),
    ("several", {"tools": TOOLS, "n": 2}),
    ("thought", {"max_tokens": 10}),
    ("thought", {"stop": ["answer"]}),
    ("thought", {"include_reasoning": False}),
    ("json", {"response_format": SCHEMA}),
    ("json", {"response_format": {"type": "json_object"}}),
    ("opened", {"chat_template_kwargs": {"opened": "<think>\n"}}),
    ("call", {"tools": TOOLS, "return_token_ids": True}),
]
"""Requests whose streams add up to the whole answer."""
UNFINISHED: Final = [
    ("cut_call", {"tools": TOOLS}),
    ("broken", {"tools": TOOLS}),
    ("big", {"tools": TOOLS, "max_tokens": 70}),
    ("call", {"tools": TOOLS, "stop": ["Bergen"]}),
]
"""Requests whose streams begin a call that does not become whole."""


class Client:
    """A client of a server at a port of this machine."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"{self._address}{path}", timeout=60) as response:
            return json.load(response)

    def post(self, path: str, body: dict[str, Any]) -> str:
        """Give the text of an answer that is none of an error."""
        data = json.dumps({"model": NAME, **body}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self._address}{path}", data, headers)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                text: str = response.read().decode()
                return text
        except urllib.error.HTTPError as error:
            pytest.fail(f"{path}: {error.code} {error.read().decode()}")


def subprocess_settings() -> dict[str, str]:
    # What was inferred before would be read, and not inferred.
    return {**os.environ, "PYTHONPATH": str(TESTS), "VLLM_LOGGING_LEVEL": "INFO", "RESPC_CACHE": "off"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkpoints of the servers, and their log."""
    return tmp_path_factory.mktemp("checkpoints")


@pytest.fixture(scope="module")
def servers(folder: Path) -> Iterator[dict[str, Client]]:
    """A client of a server for each format."""
    settings: list[dict[str, Any]] = []
    for name, written in FORMATS.items():
        parsers = ["--tool-call-parser", written.parser, "--reasoning-parser", written.parser]
        settings.append(
            {
                "folder": str(folder / name),
                "anchor": written.anchor,
                "marks": written.marks,
                "response_template": written.template,
                "chat_template": written.chat_template,
                "parsers": ["--enable-auto-tool-choice", *parsers],
                "answers": answers_of(written),
            }
        )
    file = folder / "settings.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [PYTHON or "", "-m", "support.vllm_server", str(file)],
            env=subprocess_settings(),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert server.stdout is not None
    try:
        line = server.stdout.readline()
        assert line, f"the server did not start:\n{(folder / 'log').read_text()}"
        clients = [Client(port) for port in json.loads(line)]
        yield dict(zip(FORMATS, clients, strict=True))
    finally:
        server.send_signal(signal.SIGTERM)
        server.communicate(timeout=60)


@pytest.fixture(params=FORMATS)
def client(request: pytest.FixtureRequest, servers: dict[str, Client]) -> Client:
    """The client of a server."""
    return servers[request.param]


def events_of(response: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in response.splitlines() if line.startswith("data: ")]
    return [json.loads(line) for line in lines if line != "[DONE]"]


def chat(client: Client, name: str, options: dict[str, Any], steps: int = 0) -> tuple[Any, Any]:
    """Give the messages of a chat completion, by their index, and the tokens that were counted."""
    messages = [{"role": "user", "content": f"Hi #{name}@{steps or 1}#"}, *options.get("continued", ())]
    body = {"messages": messages, **{key: value for key, value in options.items() if key != "continued"}}
    if not steps:
        answer = json.loads(client.post("/v1/chat/completions", body))
        return {choice["index"]: message_of(choice) for choice in answer["choices"]}, answer["usage"]
    body |= {"stream": True, "stream_options": {"include_usage": True}}
    found: dict[int, Any] = {}
    usage: Any = None
    for chunk in events_of(client.post("/v1/chat/completions", body)):
        usage = chunk.get("usage") or usage
        for choice in chunk["choices"]:
            found.setdefault(choice["index"], {"reasoning": "", "content": "", "calls": []})
            add_delta(found[choice["index"]], choice)
    return found, usage


def message_of(choice: Any) -> dict[str, Any]:
    message = choice["message"]
    return {
        "reasoning": message.get("reasoning") or "",
        "content": message.get("content") or "",
        "calls": [
            [call["function"]["name"], call["function"]["arguments"]]
            for call in message.get("tool_calls") or ()
        ],
        "finish_reason": choice["finish_reason"],
    }


def add_delta(message: dict[str, Any], choice: Any) -> None:
    delta = choice["delta"]
    message["reasoning"] += delta.get("reasoning") or ""
    message["content"] += delta.get("content") or ""
    for call in delta.get("tool_calls") or ():
        if call.get("id"):
            message["calls"].append([call["function"]["name"], ""])
        message["calls"][call["index"]][1] += call["function"].get("arguments") or ""
    if choice["finish_reason"]:
        message["finish_reason"] = choice["finish_reason"]


@pytest.mark.parametrize("asked", WHOLE, ids=str)
def test_streams_of_chat_completions_add_up(client: Client, asked: Any) -> None:
    name, options = (asked, {}) if isinstance(asked, str) else asked
    whole, usage = chat(client, name, options)
    for steps in STREAMS:
        streamed, counted = chat(client, name, options, steps)
        assert streamed == whole
        assert counted["completion_tokens_details"] == usage["completion_tokens_details"]


@pytest.mark.parametrize(("name", "options"), UNFINISHED, ids=str)
def test_calls_that_do_not_become_whole(client: Client, name: str, options: dict[str, Any]) -> None:
    streams = [chat(client, name, options, steps)[0] for steps in STREAMS]
    assert streams[0] == streams[1] == streams[2]
    assert len(streams[0][0]["calls"]) == 1
    whole = chat(client, name, options)[0]
    assert whole[0]["calls"] == []
    assert whole[0]["reasoning"] == streams[0][0]["reasoning"]


def test_all_parts_of_an_answer_arrive(client: Client) -> None:
    (message,) = chat(client, "again", {"tools": TOOLS}, 1)[0].values()
    assert message["reasoning"] == "Why — because 🦊.\nonce more\nat last"
    assert message["content"] == "First.Then."
    assert [(name, json.loads(arguments)) for name, arguments in message["calls"]] == [BERGEN]
    assert message["finish_reason"] == "tool_calls"


def test_what_is_inferred_for_a_checkpoint_is_said_once(servers: dict[str, Client], folder: Path) -> None:
    lines = [line for line in (folder / "log").read_text().splitlines() if "has no response template" in line]
    assert len(lines) == 1, lines
    assert f"{folder / INFERRED} has no" in lines[0]
    assert "reasoning_content, tool_calls, content was inferred from its chat template" in lines[0]
    assert "reads back all that this writes (clean: " in lines[0]


def test_a_continued_answer_keeps_its_first_blank(client: Client) -> None:
    options = {
        "continued": [{"role": "assistant", "content": "It goes on"}],
        "continue_final_message": True,
        "add_generation_prompt": False,
    }
    for steps in (0, *STREAMS):
        (message,) = chat(client, "blank", options, steps)[0].values()
        assert message["content"] == " and so on."


HELD: Final[dict[str, dict[str, Any]]] = {
    "required": {"tools": TOOLS, "tool_choice": "required"},
    "named": {"tools": TOOLS, "tool_choice": NAMED},
    "required, one": {"tools": TOOLS, "tool_choice": "required", "parallel_tool_calls": False},
    "strict": {"tools": STRICT},
    "one": {"tools": TOOLS, "parallel_tool_calls": False},
    "required after a thought that the prompt begins": {
        "tools": TOOLS,
        "tool_choice": "required",
        "chat_template_kwargs": {"opened": "<think>\n"},
    },
    "required after a thought that the prompt has": {
        "tools": TOOLS,
        "tool_choice": "required",
        "chat_template_kwargs": {"opened": "<think></think>"},
    },
    "required without a thought": {
        "tools": TOOLS,
        "tool_choice": "required",
        "chat_template_kwargs": {"enable_thinking": False},
    },
}
"""Requests whose calls a grammar holds."""
WALKS: Final = range(6)


@pytest.mark.parametrize("asked", HELD)
def test_calls_follow_the_grammar(client: Client, asked: str) -> None:
    options = HELD[asked]
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}
    for walk in WALKS:
        name = f"walk_{walk}"
        (message,) = chat(client, name, options)[0].values()
        grammar, reasoning_ended = client.get("/grammars")[name]
        assert reasoning_ended == "True", "the grammar has the reasoning in it"
        assert "structural_tag=None" not in grammar
        for called, arguments in message["calls"]:
            jsonschema.validate(json.loads(arguments), schemas[called])
        if options.get("tool_choice"):
            assert message["calls"]
            assert message["content"] == ""
            assert message["finish_reason"] == ("stop" if options["tool_choice"] == NAMED else "tool_calls")
        if options.get("tool_choice") == NAMED:
            assert {called for called, _ in message["calls"]} == {"get_weather"}
        if options.get("parallel_tool_calls") is False:
            assert len(message["calls"]) <= 1
        for steps in STREAMS:
            assert chat(client, name, options, steps)[0] == {0: message}


def items_of(response: Any) -> list[tuple[str, Any]]:
    items: list[tuple[str, Any]] = []
    for item in response["output"]:
        if item["type"] == "function_call":
            items.append((item["type"], (item["name"], item["arguments"])))
        else:
            parts = item.get("content") or item.get("summary") or ()
            items.append((item["type"], "".join(part["text"] for part in parts)))
    return items


@pytest.mark.parametrize("name", ["plain", "thought", "call", "two", "big", "cut", "empty", "tail", "again"])
@pytest.mark.parametrize("with_tools", [True, False])
def test_streams_of_responses_add_up(client: Client, name: str, with_tools: bool) -> None:
    tools = [{"type": "function", **tool["function"]} for tool in TOOLS] if with_tools else []
    body = {"input": f"Hi #{name}@1#", **({"tools": tools} if with_tools else {})}
    whole = items_of(json.loads(client.post("/v1/responses", body)))
    for steps in (1, 4):
        body["input"] = f"Hi #{name}@{steps}#"
        events = events_of(client.post("/v1/responses", {**body, "stream": True}))
        assert events[-1]["type"] in ("response.completed", "response.incomplete")
        items = items_of({"output": [e["item"] for e in events if e["type"] == "response.output_item.done"]})
        assert items == items_of(events[-1]["response"])
        if name in ("tail", "again"):
            # A whole answer of vLLM has one item of each kind, a stream those that the model wrote.
            assert sorted(kind for kind, _ in whole) == sorted({kind for kind, _ in items})
            for kind in ("reasoning", "message"):
                assert texts_of(items, kind) == texts_of(whole, kind)
        else:
            assert items == whole


def texts_of(items: list[tuple[str, Any]], kind: str) -> str:
    return "".join(text for item, text in items if item == kind)


@pytest.mark.parametrize("name", ["plain", "thought", "call", "two", "big", "cut_call", "again"])
def test_messages(client: Client, name: str) -> None:
    tools = [
        {"name": tool["function"]["name"], "input_schema": tool["function"]["parameters"]} for tool in TOOLS
    ]
    body = {"messages": [{"role": "user", "content": f"Hi #{name}@1#"}], "tools": tools, "max_tokens": 900}
    whole = json.loads(client.post("/v1/messages", body))
    texts = {"text": "text", "thinking": "thinking"}
    kinds = {block["type"]: block.get(texts.get(block["type"], "input")) for block in whole["content"]}
    for steps in (1, 4):
        body["messages"] = [{"role": "user", "content": f"Hi #{name}@{steps}#"}]
        blocks: dict[str, list[str]] = {}
        for event in events_of(client.post("/v1/messages", {**body, "stream": True})):
            if event["type"] == "content_block_start":
                kind = event["content_block"]["type"]
                blocks.setdefault(kind, []).append("")
            elif event["type"] == "content_block_delta":
                delta = event["delta"]
                text = next(
                    delta[key] for key in ("text", "thinking", "partial_json", "signature") if key in delta
                )
                blocks[kind][-1] += text if delta["type"] != "signature_delta" else ""
        assert "".join(blocks.get("thinking", ())) == (kinds.get("thinking") or "")
        assert "".join(blocks.get("text", ())) == (kinds.get("text") or "")
        if name != "cut_call":
            inputs = [block["input"] for block in whole["content"] if block["type"] == "tool_use"]
            assert [json.loads(text) for text in blocks.get("tool_use", ())] == inputs


def test_batches(client: Client) -> None:
    conversations = [[{"role": "user", "content": f"Hi #{name}@4#"}] for name in ("thought", "call")]
    answer = json.loads(client.post("/v1/chat/completions/batch", {"messages": conversations}))
    messages = [message_of(choice) for choice in answer["choices"]]
    assert [message["reasoning"] for message in messages] == ["Why — because 🦊."] * 2
    assert messages[0]["content"] == "The answer is 4."


def test_structured_outputs_wait_for_the_reasoning(client: Client) -> None:
    for options, ended in (({}, "False"), ({"chat_template_kwargs": {"opened": "<think></think>"}}, "True")):
        chat(client, "json", {"response_format": SCHEMA, **options})
        grammar, told = client.get("/grammars")["json"]
        assert "structured_outputs=None" not in grammar
        assert told == ended


def printed_by(module: str) -> Any:
    """Run a script in the environment of vLLM, and read the JSON that it prints last."""
    result = subprocess.run(
        [PYTHON or "", "-m", module],
        env=subprocess_settings(),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(result.stdout.splitlines()[-1])


def test_grammars_of_vllm_accept_what_is_read_by_their_families() -> None:
    assert printed_by("support.vllm_grammars") == {}


def test_each_backend_is_given_the_form_that_it_reads() -> None:
    assert printed_by("support.vllm_backends") == {
        "auto": "structural_tag",
        "xgrammar": "structural_tag",
        "guidance": "grammar",
        "outlines": "refused",
        "lm-format-enforcer": "refused",
    }
