"""Modules in somebody's project: the linters, formatters and type checkers there, as they come, have nothing to say."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import pytest
from click.testing import CliRunner

import respc
from respc.cli import main
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: Final[dict[str, Any]] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "thought": {"open": "<think>", "close": "</think>"},
        "n": {"open_pattern": r"<n\s*>", "close": "</n>", "content": "int"},
        "content": {"close": "<|end|>", "repeats": True, "join": "\n"},
    },
}
SOURCES: Final = ("templates/a.json", "smollm3", "gpt_oss", "kimi_k2", "glm4_5")
FORMS: Final = tuple(product(("default", "serving"), (False, True)))
CHECKS: Final = ("ruff check --no-cache .", "ruff format --no-cache --check .", "black --check .")
CHANGES: Final = (
    "ruff check --no-cache --select E,W,F,I,UP,D,ANN,N,RUF,SIM,COM --fix .",
    "ruff format --no-cache .",
    "black .",
)
PACKAGES: Final = [str(TESTS.parent / folder) for folder in ("runtime", "generated")]


def module_table(source: str, events: str, standalone: bool) -> str:
    name = source.removeprefix("templates/").removesuffix(".json")
    output = f"app/{name}_{events}{'_standalone' * standalone}.py"
    lines = [f'source = "{source}"', f'output = "{output}"', f'events = "{events}"']
    return "\n".join(["[[tool.respc.modules]]", *lines, f"standalone = {str(standalone).lower()}", ""])


def compiled(*options: str) -> None:
    result = CliRunner().invoke(main, ["compile", *options])
    assert result.exit_code == 0, result.output


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own, with nothing said to any tool but respc, after a compilation and a check."""
    monkeypatch.chdir(tmp_path)
    for folder in ("templates", "app"):
        (tmp_path / folder).mkdir()
    (tmp_path / "app" / "__init__.py").write_text('"""An application."""\n', encoding="utf-8")
    (tmp_path / "templates" / "a.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
    tables = [module_table(source, *form) for source in SOURCES for form in FORMS]
    about = ["[project]", 'name = "app"', 'version = "0"', 'requires-python = ">=3.10"', "", "[tool.respc]"]
    text = "\n".join([*about, 'ignore = ["RT2", "RT5"]', "", *tables])
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    compiled()
    compiled("--check")
    return tmp_path


def passes(project: Path, command: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", *command.split()],
        cwd=project,
        env={**os.environ, "MYPYPATH": os.pathsep.join(PACKAGES)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def bytes_of(project: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (project / "app").glob("*.py")}


@pytest.mark.long
def test_checks_with_default_settings_pass(project: Path) -> None:
    assert len(bytes_of(project)) == 1 + len(SOURCES) * len(FORMS)
    for command in (*CHECKS, "mypy --strict --no-incremental app"):
        passes(project, command)


@pytest.mark.long
def test_formatters_change_nothing(project: Path) -> None:
    unformatted = respc.compile_template(TEMPLATE, formatted=False)
    (project / "app" / "unformatted.py").write_text(unformatted.source, encoding="utf-8")
    before = bytes_of(project)
    for command in (*CHECKS, *CHANGES):
        passes(project, command)
        assert bytes_of(project) == before, command
    compiled("--check")


def test_a_project_has_what_checks_would_find(tmp_path: Path) -> None:
    """Without its marks a module would be formatted: the checks above can fail."""
    made = respc.compile_template(TEMPLATE, formatted=False).source
    module = tmp_path / "a.py"
    module.write_text(made.replace("# fmt: off\n", ""), encoding="utf-8")
    with pytest.raises(AssertionError, match="would be reformatted"):
        passes(tmp_path, "black --check .")
