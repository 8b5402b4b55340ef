"""What a user's program gets of the types of parsers, in mypy and pyright, both strict: no error where it is right."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

RIGHT: Final = """
from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import respc
from respc_parsers import kimi_k2, lfm2, smollm3
from respc_parsers.kimi_k2 import Message, ResponseParser, ServingParser, ToolCall, parse_response, prepare_tools
from respc_runtime.protocols import CompiledModule


def read_message(prompt: str) -> str:
    message = parse_response("text", prefix=prompt)
    for call in message.get("tool_calls", []):
        identity: str = call["id"]
        name: str = call["function"]["name"]
        kind = call["type"]
        arguments: dict[str, Any] = call["function"]["arguments"]
        print(identity, name, kind, arguments)
    return message["role"] + message.get("content", "")


def read_batches(texts: Sequence[str], some: str | list[str], tools: list[dict[str, Any]] | None) -> None:
    many: list[Message] = parse_response(texts, prefix=texts, tools=tools)
    several: list[Message] = parse_response(("a", "b"), prefix="", tools=prepare_tools(tools))
    queued: list[Message] = parse_response(deque(["a"]), prefix=["p"])
    either = parse_response(some, prefix="")
    collected = parse_response(texts, prefix="", errors="collect")
    contents: list[str | None] = [parsed.message.get("content") for parsed in collected]
    print(many, several, queued, either, contents)


def read_events(prompt: str, tools: list[dict[str, Any]] | None) -> list[ToolCall]:
    calls: list[ToolCall] = []
    parser = ResponseParser(prompt, tools=tools)
    for event in parser.feed("text"):
        if event["type"] == "region_close":
            if event["field"] == "tool_calls":
                name: str = event["value"]["function"]["name"]
                calls.append(event["value"])
                print(name)
            else:
                print(event["value"].strip())
        if event["type"] == "region_close" and event["field"] == "content":
            text: str = event["value"]
            print(text)
    ServingParser(prefix=prompt, tools=[{"type": "function", "function": {"name": "f"}}]).finish("text")
    return calls


def read_lists(prompt: str) -> None:
    for event in lfm2.ResponseParser(prompt).feed("text"):
        if event["type"] == "region_close" and event["field"] == "tool_calls":
            # As Python writes calls: a name and arguments, surely.
            name: str = event["value"][0]["function"]["name"]
            arguments: dict[str, Any] = event["value"][0]["function"]["arguments"]
            print(name, arguments)


def choose(template: dict[str, Any]) -> CompiledModule:
    modules: list[CompiledModule] = [kimi_k2, lfm2, smollm3, respc.load(template)]
    loaded = respc.load(template)
    content: str = loaded.parse_response("text", prefix="")["content"]
    again: str = respc.parse_response("text", template, prefix="")["content"]
    both: list[dict[str, Any]] = respc.parse_response(["text", "text"], template, prefix="")
    print(content, again, both, loaded.ResponseParser(""), respc.ResponseParser(template, "", tools=None))
    print(loaded.Message)
    return modules[0]
"""

WRONG: Final = """
from __future__ import annotations

from typing import Any

import respc
from respc_parsers.kimi_k2 import Message, ResponseParser, ServingParser, parse_response
from respc_runtime.openai import ChatCompletionParser
from respc_runtime.protocols import CompiledModule


def mistakes(message: Message, module: CompiledModule, template: dict[str, Any], calls: bytes | None) -> None:
    parse_response("text")  # wrong
    parse_response("text", prefix=None)  # wrong
    parse_response(["text"])  # wrong
    ResponseParser()  # wrong
    ResponseParser(None)  # wrong
    ResponseParser(tools=[])  # wrong
    ServingParser()  # wrong
    ServingParser(prefix=None, tools=None)  # wrong
    module.ResponseParser()  # wrong
    module.parse_response("text")  # wrong
    respc.load(template).parse_response("text")  # wrong
    respc.load(template).ResponseParser()  # wrong
    respc.parse_response("text", template)  # wrong
    respc.ResponseParser(template)  # wrong
    parse_response(None, prefix="")  # wrong
    parse_response(calls, prefix="")  # wrong
    parse_response([b"text"], prefix="")  # wrong
    parse_response({"text"}, prefix="")  # wrong
    parse_response("text", prefix=["one", "two"])  # wrong
    parse_response("text", prefix="", tools="add")  # wrong
    parse_response("text", prefix="", tools={"name": "add"})  # wrong
    parse_response("text", prefix="", tools=["add"])  # wrong
    parse_response("text", prefix="", errors="return")  # wrong
    for call in message.get("tool_calls", []):
        print(call["name"])  # wrong
        print(call["function"]["parameters"])  # wrong
        number: int = call["function"]["name"]  # wrong
        print(number)
    for event in ResponseParser("").feed("text"):
        if event["type"] == "region_close" and event["field"] == "content":
            print(event["value"]["function"])  # wrong
        elif event["type"] == "region_close" and event["field"] == "tool_calls":
            print(event["value"].strip())  # wrong
        elif event["type"] == "region_close" and event["field"] == "contents":  # wrong
            print(event)
    for told in ChatCompletionParser("kimi_k2", "").feed(b"text"):  # wrong
        print(told)
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("types")
    (folder / "right.py").write_text(RIGHT, encoding="utf-8")
    (folder / "wrong.py").write_text(WRONG, encoding="utf-8")
    return folder


def lines_of_mistakes() -> set[tuple[str, int]]:
    return {
        ("wrong.py", number) for number, line in enumerate(WRONG.splitlines(), 1) if line.endswith("# wrong")
    }


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = os.pathsep.join(str(TESTS.parent / name) for name in ("compiler", "runtime", "generated"))
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=folder,
        env={**os.environ, "MYPYPATH": places, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        check=False,
    )


def test_mypy_strict(programs: Path) -> None:
    result = run(programs, "mypy", "--strict", "--cache-dir", "mypy-cache", "right.py", "wrong.py")
    found = [line.split(":") for line in result.stdout.splitlines() if ": error: " in line]
    assert {(file, int(line)) for file, line, *_ in found} == lines_of_mistakes(), (
        result.stdout + result.stderr
    )


@pytest.mark.long
def test_pyright_strict(programs: Path) -> None:
    places = [str(TESTS.parent / name) for name in ("compiler", "runtime", "generated")]
    settings = {"include": ["right.py", "wrong.py"], "typeCheckingMode": "strict", "extraPaths": places}
    (programs / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    result = run(programs, "pyright", "--outputjson", "--pythonpath", sys.executable)
    report: dict[str, Any] = json.loads(result.stdout)
    found = {
        (finding["file"].replace("\\", "/").rpartition("/")[2], finding["range"]["start"]["line"] + 1)
        for finding in report["generalDiagnostics"]
    }
    assert found == lines_of_mistakes(), report["generalDiagnostics"]
