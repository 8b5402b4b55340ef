"""A service that chooses a parser by model passes mypy and pyright: each ready-made module fits the protocols."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from support.families import families
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

SERVICE = """
from __future__ import annotations

from typing import Any

from respc_parsers import for_model
from respc_runtime.openai import ChatCompletionParser
from respc_runtime.protocols import CompiledModule, CompiledParser, CompiledServingParser, ServingModule


def answer(module: CompiledModule, prompt: str, text: str, tools: list[dict[str, Any]]) -> str:
    parser: CompiledParser = module.ResponseParser(prompt, tools=tools)
    fields = [event["field"] for event in (*parser.initial_events, *parser.feed(text))]
    message, events = parser.finalize()
    many = module.parse_response([text], prefix=prompt, tools=module.prepare_tools(tools))
    parsed = module.parse_response(text, prefix=prompt, errors="collect")
    return f"{fields} {message['content']} {len(events)} {many[0].get('content')} {parsed.unread[0].text}"


def served(model: str, prompt: str, tools: list[dict[str, Any]]) -> ChatCompletionParser:
    module: ServingModule = for_model(model)
    parser: CompiledServingParser = module.ServingParser(prompt, tools=tools)
    print(parser.calls["tool_calls"]["name"], parser.texts["content"]["join"], parser.input_text)
    for form in (ChatCompletionParser(parser), ChatCompletionParser(model, prompt)):
        print(form.feed("text"), form.open_field)
    return ChatCompletionParser(module.ServingParser, prompt, texts={"thinking": ("reasoning", "reasoning_content")})
"""
MISTAKES = """
wrong: int = answer(MODULES["qwen3"], "", "", [])
ChatCompletionParser(MODULES["qwen3"].ResponseParser, "")
ChatCompletionParser("qwen3", "", texts={"thinking": "thoughts"})
MODULES["qwen3"].parse_response("text", prefix="", errors="ignore")
MODULES["json"] = json
"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A service, each ready-made module as a value of its type, and mistakes at the end."""
    names = [family.name for family in families()]
    rows = "".join(f'    "{name}": respc_parsers.{name},\n' for name in names)
    imports = "".join(f"import respc_parsers.{name}\n" for name in names)
    modules = f"MODULES: dict[str, ServingModule] = {{\n{rows}}}\n"
    path = tmp_path_factory.mktemp("protocols") / "service.py"
    body = SERVICE.replace("from typing import Any\n", f"import json\nfrom typing import Any\n\n{imports}", 1)
    path.write_text(f"{body}\n\n{modules}{MISTAKES}", encoding="utf-8")
    return path


def lines_of_mistakes(service: Path) -> list[int]:
    lines = service.read_text(encoding="utf-8").splitlines()
    return list(range(len(lines) - len(MISTAKES.strip().splitlines()) + 1, len(lines) + 1))


def run(service: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    places = [str(TESTS.parent / name) for name in ("compiler", "runtime", "generated")]
    paths = {"MYPYPATH": os.pathsep.join(places), "PYTHONPATH": os.pathsep.join(places)}
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        cwd=service.parent,
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        check=False,
    )


def test_mypy_strict(service: Path) -> None:
    result = run(service, "mypy", "--strict", "--cache-dir", "mypy-cache", service.name)
    found = [line for line in result.stdout.splitlines() if ": error: " in line]
    assert [int(line.split(":")[1]) for line in found] == lines_of_mistakes(service), result.stdout


@pytest.mark.long
def test_pyright_strict(service: Path) -> None:
    places = [str(TESTS.parent / name) for name in ("compiler", "runtime", "generated")]
    settings = {"include": [service.name], "typeCheckingMode": "strict", "extraPaths": places}
    (service.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    result = run(service, "pyright", "--outputjson", "--pythonpath", sys.executable)
    report: dict[str, Any] = json.loads(result.stdout)
    lines = {finding["range"]["start"]["line"] + 1 for finding in report["generalDiagnostics"]}
    assert sorted(lines) == lines_of_mistakes(service), report["generalDiagnostics"]
