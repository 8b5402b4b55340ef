"""Generated modules pass the checks that people run over their own: mypy and pyright, both strict, and ruff."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from respc.driver import compile_source
from respc.errors import TemplateError
from respc.options import Options
from respc.source import read_template
from support.families import PARSERS
from support.goldens import ACCEPTED, FILES, cases_in, compiled_now
from support.templates import TESTS, own_names

if TYPE_CHECKING:
    from pathlib import Path

    from respc.source import TemplateSource

USE = """
from modules.smollm_expected import Message, ResponseParser, parse_response

one: Message = parse_response("text", prefix="")
many: list[Message] = parse_response(["text"], prefix=[""])
role: str = one["role"]
calls = one.get("tool_calls", [])
name: object = calls[0]["function"]
parser = ResponseParser("", tools=[])
for event in parser.feed("text"):
    if event["type"] == "region_chunk":
        piece: str = event["text"]
    elif event["type"] == "region_close":
        value: object = event["value"]
    field: str = event["field"]
message, last = parser.finalize()
wrong: int = message["role"]
"""
"""What users write, and one mistake, at which the type of the field has to show."""

MISTAKE = USE.splitlines().index('wrong: int = message["role"]') + 1

USE_OF_SERVING = """
from modules.smollm_serving_unformatted import ResponseParser

parser = ResponseParser("prompt", tools=[])
for event in parser.feed("text"):
    if event["type"] == "region_open":
        place: int = event["start"]
        names: dict[str, str] = event.get("captures", {})
    elif event["type"] == "region_chunk":
        piece: str = event["text"]
    elif event["type"] == "region_close":
        seen: bool = event["closed"]
        value: object = event["value"]
    elif event["type"] == "region_malformed":
        reason: str = event["error"].reason
        end: int = event["end"]
    else:
        outside: str = event["text"]
form = ResponseParser.calls["tool_calls"]
each: bool = form["each"]
name = form["name"]
wrong: int = parser.input_text
"""
"""The same for serving events."""

MISTAKE_OF_SERVING = USE_OF_SERVING.splitlines().index("wrong: int = parser.input_text") + 1
MISTAKES = {"use.py": MISTAKE, "use_of_serving.py": MISTAKE_OF_SERVING}


WITH_MANY_PATTERNS = ("apertus", "deepseek_v3_2", "gpt_oss", "kimi_k2", "llama3_1", "qwen3_coder")


@pytest.fixture(scope="module")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of what the golden modules are now, and of every template a standalone module, and a serving one."""
    folder = tmp_path_factory.mktemp("typing") / "modules"
    folder.mkdir()
    (folder / "__init__.py").touch()
    for case in cases_in(ACCEPTED):
        for file in FILES:
            if (case.folder / file).exists():
                module = compiled_now(case, file).source
                (folder / f"{case}_{file}").write_text(module, encoding="utf-8")
    for name in own_names():
        source = read_template(TESTS / "templates" / f"{name}.json")
        compilation = compile_source(source, Options.of(standalone=True, formatted=False))
        (folder / f"{name}_standalone_unformatted.py").write_text(compilation.source, encoding="utf-8")
        (folder / f"{name}_serving_unformatted.py").write_text(serving(source), encoding="utf-8")
    for name in WITH_MANY_PATTERNS:
        source = read_template(PARSERS / f"{name}.json")
        (folder / f"{name}_serving_unformatted.py").write_text(serving(source), encoding="utf-8")
    (folder / "use.py").write_text(USE, encoding="utf-8")
    (folder / "use_of_serving.py").write_text(USE_OF_SERVING, encoding="utf-8")
    return folder


def serving(source: TemplateSource) -> str:
    """Return the serving module of a template, stable if it can be."""
    try:
        return compile_source(source, Options.of(events="serving", formatted=False)).source
    except TemplateError:
        return compile_source(source, Options.of(events="serving", stable=False, formatted=False)).source


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )


# A standalone module has a copy of the runtime: all of them together are most of what there is to check.
@pytest.mark.parametrize("standalone", ["one", pytest.param("all", marks=pytest.mark.long)])
def test_mypy_strict(modules: Path, standalone: str) -> None:
    paths = [
        f"modules/{path.name}"
        for path in sorted(modules.glob("*.py"))
        if standalone == "all" or not path.match("*_standalone_unformatted.py")
    ]
    result = run(modules.parent, "mypy", "--strict", "--cache-dir", "mypy-cache", *paths)
    errors = [line for line in result.stdout.splitlines() if ": error: " in line]
    assert len(errors) == len(MISTAKES), result.stdout + result.stderr
    for file, line in MISTAKES.items():
        assert any(f"/{file}:{line}: error: Incompatible types in assignment" in error for error in errors)


@pytest.mark.long
def test_pyright_strict(modules: Path) -> None:
    settings = {"include": ["modules"], "typeCheckingMode": "strict"}
    (modules.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    result = run(modules.parent, "pyright", "--outputjson", "--pythonpath", sys.executable)
    report = json.loads(result.stdout)
    found = [
        f"{finding['file']}:{finding['range']['start']['line'] + 1}: {finding['message']}"
        for finding in report["generalDiagnostics"]
    ]
    assert report["summary"]["filesAnalyzed"] == len(list(modules.glob("*.py")))
    assert len(found) == len(MISTAKES), found
    for file, line in MISTAKES.items():
        (mistake,) = [finding for finding in found if f"/{file}:{line}: " in finding]
        assert 'Type "str" is not assignable to declared type "int"' in mistake


@pytest.mark.parametrize(
    ("ending", "sorted_imports"),
    [("expected", True), ("standalone", True), ("serving", True), ("unformatted", False)],
)
def test_ruff(modules: Path, ending: str, sorted_imports: bool) -> None:
    names = [f"modules/{path.name}" for path in sorted(modules.glob(f"*_{ending}.py"))]
    assert names
    result = run(
        modules.parent,
        *("ruff", "check", "--isolated", "--no-cache", "--target-version", "py310", "--line-length", "100"),
        *("--select", "E,W,F,I,UP,B,C4,SIM,RET,PIE,N,A,PERF,RUF", "--output-format", "concise"),
        # Long literals of a template cannot be broken; its characters may look alike; a try in a loop is meant.
        *("--ignore", "E501,RUF001,RUF002,RUF003,PERF203" + ("" if sorted_imports else ",I001")),
        *names,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_formatted_modules_are_within_the_line_length_but_for_literals(modules: Path) -> None:
    paths = list(modules.glob("*_expected.py"))
    assert paths
    for path in paths:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if len(line) > 100:
                assert line.count('"') >= 2, f"{path}:{number}"
                assert '"""' not in line, f"{path}:{number}"
