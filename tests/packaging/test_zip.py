"""The compiler works where it is imported from a zip archive: nothing that it reads has to be a file of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

import respc
from respc.families import family_template
from support.distributions import PROJECT, SOURCES
from support.templates import own_template

if TYPE_CHECKING:
    from pathlib import Path

# Code templates of every kind of content parser and of delimiter are used by one of them.
TEMPLATES = ("captures", "glm_args", "gemma_calls", "kv_numbers", "mistral_lists", "smollm", "end_anchors")
SCRIPT = """
import json, sys
import respc, respc_runtime, respc_parsers
assert all(".zip" in package.__file__ for package in (respc, respc_runtime, respc_parsers))
given = json.load(sys.stdin)
print(json.dumps([respc.compile_template(each["template"], **each["options"]).source for each in given]))
"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("zipped") / "respc.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for package, folder in SOURCES.items():
            root = PROJECT / folder
            for file in sorted((root / package).rglob("*")):
                if file.is_file() and "__pycache__" not in file.parts:
                    archive.write(file, file.relative_to(root).as_posix())
    return path


def run(archive: Path, *arguments: str, stdin: str = "") -> str:
    result = subprocess.run(
        [sys.executable, *arguments],
        cwd=archive.parent,
        env={**os.environ, "PYTHONPATH": str(archive), "COLUMNS": "120"},
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_modules_are_the_same(archive: Path) -> None:
    options = [{}, {"standalone": True}, {"formatted": False, "events": "serving", "stable": False}]
    given = [{"template": own_template(name), "options": option} for name in TEMPLATES for option in options]
    made = json.loads(run(archive, "-c", SCRIPT, stdin=json.dumps(given)))
    for each, source in zip(given, made, strict=True):
        assert source == respc.compile_template(each["template"], **each["options"]).source


@pytest.mark.parametrize(
    "command",
    [
        "compile smollm3 -o -",
        "compile smollm3 -o - --standalone",
        "show qwen3",
        "explain --all",
        "list",
        "schema",
    ],
)
def test_commands_print_the_same(archive: Path, command: str) -> None:
    paths = os.pathsep.join(str(PROJECT / folder) for folder in SOURCES.values())
    expected = subprocess.run(
        [sys.executable, "-m", "respc", *command.split()],
        env={**os.environ, "PYTHONPATH": paths, "COLUMNS": "120"},
        capture_output=True,
        check=True,
        timeout=120,
    )
    assert run(archive, "-m", "respc", *command.split()) == expected.stdout.decode("utf-8")


def test_a_ready_made_parser_parses(archive: Path) -> None:
    text = "<think>Hm.</think>Hi"
    expected = respc.parse_response(text, family_template("smollm3").template, prefix="")
    script = "import respc_parsers.smollm3 as m, sys; print(m.parse_response(sys.stdin.read(), prefix=''))"
    assert run(archive, "-c", script, stdin=text) == f"{expected}\n"
    assert "Hm." in run(archive, "-m", "respc", "parse", "smollm3", stdin=text)
