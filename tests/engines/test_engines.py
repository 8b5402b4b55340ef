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
ROWS = [
    {"number": number, "prefix": PREFIX, "text": f"<think>\n{number}?\n</think>\n\nIt is {number}.<|im_end|>"}
    for number in range(2_500)
]


def needs(module: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        importlib.util.find_spec(module) is None,
        reason=f"{module} is large, and not among what the tests need: pip install 'respc[engines]'",
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


def expected(row: dict[str, Any]) -> dict[str, Any]:
    number = row["number"]
    return {"role": "assistant", "reasoning_content": f"{number}?", "content": f"It is {number}."}


@needs("datasets")
def test_datasets(tmp_path: Path) -> None:
    made = rows_of(run("with_datasets.py", tmp_path, "messages.jsonl").read_text(encoding="utf-8"))
    assert [row["number"] for row in made] == [row["number"] for row in ROWS]
    assert all(json.loads(row["message"]) == expected(row) for row in made)


@needs("ray")
def test_ray(tmp_path: Path) -> None:
    files = sorted(run("with_ray.py", tmp_path, "messages").glob("*.json"))
    made = [row for file in files for row in rows_of(file.read_text(encoding="utf-8"))]
    assert sorted(row["number"] for row in made) == [row["number"] for row in ROWS]
    assert all(json.loads(row["message"]) == expected(row) for row in made)
