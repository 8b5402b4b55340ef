"""``respc show``: the forms, the files, and what it refuses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner, Result

from respc.cli import main

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = {
    "start_anchor": "<|im_start|>assistant\n",
    "fields": {
        "thoughts": {"open": "<think>", "close_pattern": r"</think>\s*"},
        "content": {"close": "<|im_end|>", "repeats": True, "join": "\n"},
    },
}


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, ["show", *arguments], input=text)


def written(folder: Path, template: Any = TEMPLATE) -> str:
    path = folder / "template.json"
    path.write_text(json.dumps(template), encoding="utf-8")
    return str(path)


def test_the_table_has_what_is_known_of_each_field(tmp_path: Path) -> None:
    result = run(written(tmp_path))
    assert result.exit_code == 0, result.stderr
    assert result.stderr == ""
    lines = [
        [cell.strip() for cell in line.split("│")[1:-1]] for line in result.stdout.splitlines() if "│" in line
    ]
    assert lines[0] == ["field", "part", "as written", "what it becomes", "held back"]
    assert any(
        cells[:3] == ["thoughts", "opens", "<think>"] and "at most 6 char" in cells[4] for cells in lines
    )
    assert ["", "value", "text", r"all regions joined by `\n`", ""] in lines
    assert any(cells[1:3] == ["closes", r"/</think>\s*/"] for cells in lines)
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 120


@pytest.mark.parametrize("shown_as", ["table", "mermaid", "svg", "html"])
def test_a_file_has_what_would_be_printed_and_is_left_alone_when_it_is_the_same(
    tmp_path: Path, shown_as: str
) -> None:
    source, output = written(tmp_path), tmp_path / "out"
    printed = run(source, "--format", shown_as)
    assert printed.exit_code == 0
    first = run(source, "--format", shown_as, "-o", str(output))
    assert first.stdout == ""
    assert first.stderr == f"{output}: written\n"
    assert output.read_text(encoding="utf-8") == printed.stdout
    assert run(source, "--format", shown_as, "-o", str(output)).stderr == f"{output}: unchanged\n"


def test_each_format_is_what_it_says(tmp_path: Path) -> None:
    source = written(tmp_path)
    assert run(source, "--format", "mermaid").stdout.startswith("stateDiagram-v2\n")
    assert ElementTree.fromstring(run(source, "--format", "svg").stdout).tag.endswith("svg")
    page = run(source, "--format", "html").stdout
    assert page.startswith("<!doctype html>\n")
    assert page.endswith("</html>\n")


def test_standard_input_is_a_source() -> None:
    result = run("-", text=json.dumps(TEMPLATE))
    assert result.exit_code == 0
    assert result.stdout.startswith("<stdin>")


def test_a_template_that_the_interpreter_refuses_is_refused_with_its_errors(tmp_path: Path) -> None:
    result = run(written(tmp_path, {"fields": {"a": {"open": "<a>", "open_pattern": "b"}}}))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error[RT" in result.stderr


def test_a_template_that_loads_but_cannot_work_is_shown_all_the_same(tmp_path: Path) -> None:
    template = {
        "start_anchor": "A",
        "fields": {"a": {"open": "<a>", "close": "</a>", "content": "xml-inline"}},
    }
    assert CliRunner().invoke(main, ["check", written(tmp_path, template)]).exit_code == 1
    result = run(written(tmp_path, template))
    assert result.exit_code == 0
    assert "xml-inline" in result.stdout


@pytest.mark.parametrize("content", ["{", "[]"])
def test_what_is_no_template_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "template.json"
    path.write_text(content, encoding="utf-8")
    result = run(str(path))
    assert result.exit_code == 1
    assert "error[RT" in result.stderr


def test_files_that_cannot_be_read_or_written_are_failures(tmp_path: Path) -> None:
    missing = run(str(tmp_path / "missing.json"))
    assert missing.exit_code == 2
    assert "missing.json" in missing.stderr
    unwritable = run(written(tmp_path), "-o", str(tmp_path / "no folder" / "out"))
    assert unwritable.exit_code == 2
    assert "no folder" in unwritable.stderr


def test_the_same_template_is_shown_in_the_same_bytes_under_any_hash_seed(tmp_path: Path) -> None:
    source = written(
        tmp_path, {**TEMPLATE, "fields": {**TEMPLATE["fields"], "x": {"open_pattern": "[ab]c+"}}}
    )
    shown = {
        subprocess.run(
            [sys.executable, "-m", "respc", "show", source, "--format", "html"],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(shown) == 1
