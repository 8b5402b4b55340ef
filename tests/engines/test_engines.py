"""The examples of the documentation that parse a corpus under an engine for data: they do, and nothing is lost."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
PREFIX = "<|im_start|>assistant\n"
BAD = 1_700
ROWS = [
    {"number": number, "prefix": PREFIX, "text": f"<think>\n{number}?\n</think>\n\nIt is {number}.<|im_end|>"}
    for number in range(2_500)
]
ROWS[BAD]["text"] = "<tool_call>\n{\n</tool_call>"


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        importlib.util.find_spec(module) is None,
        reason=f"{module} is large, and not among what the tests need: pip install '.[engines]'",
    )


def run(example: str, tmp_path: Path, out: str) -> Path:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS), encoding="utf-8")
    settings = {
        "HF_HOME": str(tmp_path / "home"),
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
        "RAY_USAGE_STATS_ENABLED": "0",
    }
    result = subprocess.run(
        [sys.executable, str(EXAMPLES / example), str(rows), str(tmp_path / out)],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2_000:]
    return tmp_path / out


def rows_of(lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


def assert_parsed(row: dict[str, Any]) -> None:
    number = row["number"]
    if number == BAD:
        assert row["message"] == "null"
        assert row["error"].startswith("ResponseValueError: field 'tool_calls'")
        return
    expected = {"role": "assistant", "reasoning_content": f"{number}?", "content": f"It is {number}."}
    assert (json.loads(row["message"]), row["error"]) == (expected, "")


@needs("datasets")
def test_datasets(tmp_path: Path) -> None:
    made = rows_of(run("with_datasets.py", tmp_path, "messages.jsonl").read_text(encoding="utf-8"))
    assert [row["number"] for row in made] == [row["number"] for row in ROWS]
    for row in made:
        assert_parsed(row)


@needs("ray")
def test_ray(tmp_path: Path) -> None:
    files = sorted(run("with_ray.py", tmp_path, "messages").glob("*.json"))
    made = [row for file in files for row in rows_of(file.read_text(encoding="utf-8"))]
    assert sorted(row["number"] for row in made) == [row["number"] for row in ROWS]
    for row in made:
        assert_parsed(row)
