"""What is built is complete, and works where it is installed, far from the checkout."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

PROJECT = TESTS.parent
SOURCES = {"respc": "compiler", "respc_runtime": "runtime", "respc_parsers": "generated"}
PARSE = """
import json, sys, smollm
import respc, respc_runtime
for package in (respc, respc_runtime, smollm):
    assert package.__file__.startswith(sys.argv[1]), package.__file__
text = '<think>Hm.</think>Hi<tool_call>{"name": "f", "arguments": {}}</tool_call>'
print(json.dumps(smollm.parse_response(text, prefix="")))
"""


def run(*command: str | Path, folder: Path) -> str:
    # The paths of the checkout must not get in.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    run(sys.executable, "-m", "build", *isolation, "--outdir", folder, PROJECT, folder=folder)
    return folder


def files_of_package(package: str) -> set[str]:
    root = PROJECT / SOURCES[package]
    return {
        path.relative_to(root).as_posix()
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_wheel_holds_the_packages_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = archive.read(next(name for name in names if name.endswith("/METADATA"))).decode("utf-8")
    (info,) = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    packed = {name for name in names if not name.startswith(info)}
    assert packed == set().union(*map(files_of_package, SOURCES))
    for package in SOURCES:
        assert f"{package}/py.typed" in packed
    assert "respc/codegen/templates/module.py.j2" in packed
    assert f"{info}/licenses/LICENSE" in names
    assert f"{info}/entry_points.txt" in names
    needed = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*; extra ==)", metadata, re.MULTILINE)
    assert sorted(needed) == ["black", "click", "jinja2", "regex", "rich"]


def test_sdist_holds_what_building_and_testing_need(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "tests/conftest.py"} <= names
    for package, root in SOURCES.items():
        assert {f"{root}/{name}" for name in files_of_package(package)} <= names
    assert not [name for name in names if "__pycache__" in name or name.startswith((".ci", ".git/", ".venv"))]


def test_installed_wheel_compiles_and_the_module_parses(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("*.whl")
    environment = tmp_path / "environment"
    venv.create(environment, with_pip=False)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", wheel, folder=tmp_path)
    template = tmp_path / "smollm.json"
    template.write_bytes((TESTS / "templates" / "smollm.json").read_bytes())
    run(scripts / "respc", "compile", template.name, "-o", "smollm.py", folder=tmp_path)
    golden = TESTS / "goldens" / "accepted" / "smollm" / "expected.py"
    assert (tmp_path / "smollm.py").read_bytes() == golden.read_bytes()
    assert "respc, version" in run(scripts / "respc", "--version", folder=tmp_path)
    message = json.loads(run(python, "-c", PARSE, str(tmp_path), folder=tmp_path))
    assert message == {
        "role": "assistant",
        "reasoning_content": "Hm.",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}],
        "content": "Hi",
    }
