"""The script that proves all templates of a repository: what it finds, what it says, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest

from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE, changed
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT: Final = TESTS.parent / "docs" / "examples" / "prove_all.py"


def run(*arguments: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, encoding="utf-8", check=False
    )


def rows(printed: str) -> list[list[str]]:
    """Give the cells of the rows that say something in each column but the last."""
    lines = [line for line in printed.splitlines() if line.startswith("│")]
    cells = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines]
    return [row for row in cells if row[1]]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Four chat templates: with a response template in a config, beside, misspelled beside, and with none."""

    def write(name: str, value: Any) -> None:
        text = value if isinstance(value, str) else json.dumps(value)
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")

    config = {"eos_token": "<|end|>", "chat_template": CHAT_TEMPLATE, "response_template": TEMPLATE}
    write("a/tokenizer_config.json", config)
    write("b/beside.jinja", CHAT_TEMPLATE)
    write("b/beside.json", TEMPLATE)
    write("c/misspelled.jinja", CHAT_TEMPLATE)
    write("c/misspelled.json", changed("fields/tool_calls/close", "</calls>"))
    write("d/chat_template.jinja", CHAT_TEMPLATE)
    write("d/tokenizer_config.json", {"eos_token": "<|end|>"})
    write("d/other.json", "not of this")
    return tmp_path


def test_all_of_a_repository(repository: Path) -> None:
    result = run(repository)
    assert result.returncode == 1, result.stderr
    found = [(row[1], row[2], row[-1]) for row in rows(result.stdout)]
    assert found == [
        ("tokenizer_config.json", "clean", ""),
        ("beside.json", "clean", ""),
        ("misspelled.json", "not clean", "region never closed"),
        ("inferred", "clean", ""),
    ]
    assert result.stdout.endswith("3 of 4 are read back\n")


def test_the_exit_code_is_0_where_all_is_clean(repository: Path) -> None:
    result = run(repository / "a", repository / "b" / "beside.jinja")
    assert result.returncode == 0, result.stdout
    assert "2 of 2" in result.stdout


def test_what_cannot_be_proved_is_said(tmp_path: Path) -> None:
    (tmp_path / "broken.jinja").write_text("{% if %}")
    result = run(tmp_path)
    assert result.returncode == 1
    ((_, how, proof, *_, why),) = rows(result.stdout)
    assert (how, proof) == ("inferred", "none")
    assert why
    assert result.stderr == ""


def test_nothing_to_prove_is_wrong_usage(tmp_path: Path) -> None:
    result = run(tmp_path)
    assert result.returncode == 2
    assert "prove_all.py PLACE" in result.stderr
