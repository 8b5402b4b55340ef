"""``respc schema``: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft202012Validator

from respc.cli import main
from respc.schema import template_schema
from support.templates import own_names, own_template

if TYPE_CHECKING:
    from pathlib import Path


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["schema", *map(str, arguments)])


def test_it_prints_the_schema_and_nothing_else() -> None:
    result = run()
    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout.endswith("}\n")
    assert not result.stdout.endswith("\n\n")
    printed = json.loads(result.stdout)
    assert printed == template_schema()
    assert "…" in result.stdout, "the text is for people: no escapes"
    Draft202012Validator.check_schema(printed)
    assert all(Draft202012Validator(printed).is_valid(own_template(name)) for name in own_names())


def test_dash_prints_it_too() -> None:
    assert run("-o", "-").stdout_bytes == run().stdout_bytes


def test_a_file_is_written_once(tmp_path: Path) -> None:
    out = tmp_path / "schema.json"
    result = run("-o", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == f"{out}: written\n"
    assert out.read_bytes() == run().stdout_bytes
    before = out.stat()
    assert run("--output", out).stderr == f"{out}: unchanged\n"
    assert (out.stat().st_ino, out.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    result = run("-o", tmp_path / "missing" / "schema.json")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [("template.json",), ("-o",), ("--unknown",)], ids=" ".join)
def test_usage(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


def test_the_command_is_listed() -> None:
    listed = CliRunner().invoke(main, ["--help"]).stdout
    assert "schema" in listed
    assert "Print the JSON Schema of templates, for editors." in listed


def test_a_process_prints_the_same_under_any_hash_seed_and_encoding() -> None:
    printed = set()
    plain = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    for seed in ("0", "1"):
        result = subprocess.run(
            [sys.executable, "-m", "respc", "schema"],
            env={**os.environ, **plain, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        )
        printed.add(result.stdout)
    assert printed == {run().stdout_bytes}
