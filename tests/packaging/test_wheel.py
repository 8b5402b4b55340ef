"""What is built is complete, and works where it is installed, far from the checkout."""

from __future__ import annotations

import json
import re
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest

from support.devices import needs_posix
from support.distributions import PROJECT, SOURCES, build, environment_with, files_of_package, run
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

PARSE = """
import json, sys, smollm
import respc, respc_runtime
for package in (respc, respc_runtime, smollm):
    assert package.__file__.startswith(sys.argv[1]), package.__file__
text = '<think>Hm.</think>Hi<tool_call>{"name": "f", "arguments": {}}</tool_call>'
print(json.dumps(smollm.parse_response(text, prefix="")))
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from it."""
    folder = tmp_path_factory.mktemp("built")
    build(PROJECT, folder)
    return folder


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
    scripts = environment_with(tmp_path, wheel)
    template = tmp_path / "smollm.json"
    template.write_bytes((TESTS / "templates" / "smollm.json").read_bytes())
    run(scripts / "respc", "compile", template.name, "-o", "smollm.py", folder=tmp_path)
    golden = TESTS / "goldens" / "accepted" / "smollm" / "expected.py"
    assert (tmp_path / "smollm.py").read_bytes() == golden.read_bytes()
    assert "respc, version" in run(scripts / "respc", "--version", folder=tmp_path)
    message = json.loads(run(scripts / "python", "-c", PARSE, str(tmp_path), folder=tmp_path))
    assert message == {
        "role": "assistant",
        "reasoning_content": "Hm.",
        "tool_calls": [{"type": "function", "function": {"name": "f", "arguments": {}}}],
        "content": "Hi",
    }


@needs_posix
def test_the_first_command_of_the_readme_does_what_is_said_there(built: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (checkout,) = tmp_path.iterdir()
    readme = (checkout / "README.md").read_text(encoding="utf-8")
    command = re.findall(r"^```sh\n(.*)\n```$", readme, re.MULTILINE)[0]
    shown = run("bash", "-c", command, folder=checkout)
    assert "region_open" in shown
    assert shown.count('"role": "assistant"') == 1
    parser = (checkout / "smollm_parser.py").read_bytes()
    assert parser == (checkout / "generated" / "respc_parsers" / "smollm3.py").read_bytes()
