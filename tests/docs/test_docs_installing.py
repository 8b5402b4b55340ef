"""Instructions to install can be followed: respc is in no index, so nobody is sent there for it."""

from __future__ import annotations

import re

import pytest

from support.templates import TESTS

PROJECT = TESTS.parent
TEXTS = {".md", ".py", ".toml", ".yml", ".j2", ".jinja", ".json", ".txt"}
FOLDERS = ("compiler", "runtime", "generated", "docs", "benchmarks", "tests")
# A path (`./runtime`, `dist/respc_runtime-….whl`) is none of these, nor is what is taken away again.
FROM_AN_INDEX = re.compile(
    r"(?:pipx?3? install|uv tool install|uv add)\b[^`\n]*?[\s'\"]"
    r"respc(?:[-_](?:runtime|parsers))?(?![\w/-]|\.\w)"
)


def test_no_text_installs_respc_from_an_index() -> None:
    files = [*PROJECT.glob("*.*"), *(path for folder in FOLDERS for path in (PROJECT / folder).rglob("*.*"))]
    texts = [path for path in files if path.suffix in TEXTS and path.name != "test_docs_installing.py"]
    assert PROJECT / "README.md" in texts
    found = [
        f"{path.relative_to(PROJECT)}: {match[0]}"
        for path in texts
        for match in FROM_AN_INDEX.finditer(path.read_text(encoding="utf-8"))
    ]
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        "pip install respc",
        "pip install --upgrade respc`",
        "pip install 'respc[native]'",
        "pip install respc-runtime",
        "pip install -q respc_runtime",
        "pip install vllm respc==0.1.0",
        "pip install respc, then",
        "uv add respc-runtime",
        "uv pip install respc.",
    ],
)
def test_what_cannot_be_followed_is_seen(line: str) -> None:
    assert FROM_AN_INDEX.search(line)


@pytest.mark.parametrize(
    "line",
    [
        "pip install .",
        "pip install -e '.[dev]'",
        "pip install ./runtime ./generated",
        "pip install './runtime[regex]'",
        "pip install dist/respc_runtime-0.1.0-py3-none-any.whl",
        "pip install dist/respc_runtime-*.whl",
        "pip install respc_runtime-0.1.0-py3-none-any.whl",
        "pip uninstall respc-runtime`, then `pip install .`",
        "pip install regex`, as respc says",
        "pip install ../respc",
    ],
)
def test_what_can_be_followed_is_left_alone(line: str) -> None:
    assert not FROM_AN_INDEX.search(line)
