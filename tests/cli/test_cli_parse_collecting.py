"""``respc parse --errors collect``, and prompts without a start anchor."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from respc.cli import main

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<bot>",
    "fields": {
        "n": {"open": "<n>", "close": "</n>", "content": "int"},
        "content": {"repeats": True, "join": "\n"},
    },
}
BAD = "a<n>x</n>b"


@pytest.fixture
def template(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(TEMPLATE))
    return path


def run(*arguments: str | Path, stdin: str = "") -> Result:
    return CliRunner().invoke(main, ["parse", *map(str, arguments)], input=stdin)


def test_one_text(template: Path) -> None:
    assert run(template, stdin=BAD).exit_code == 1
    result = run(template, "--errors", "collect", stdin=BAD)
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert shown["message"] == {"content": "a\nb"}
    (unread,) = shown["unread"]
    assert unread["field"] == "n"
    assert unread["text"] == "<n>x</n>"
    assert BAD[unread["start"] : unread["end"]] == "<n>x</n>"


def test_rows_of_a_corpus(template: Path) -> None:
    rows = "".join(
        json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate([BAD, "c", 1])
    )
    result = run(template, "--jsonl", "--errors", "collect", stdin=rows)
    assert result.exit_code == 1
    first, second, third = map(json.loads, result.stdout.splitlines())
    assert first["message"] == {"content": "a\nb"}
    assert first["error"]["class"] == "ResponseValueError"
    assert (first["error"]["field"], first["error"]["position"]) == ("n", 1)
    assert [each["text"] for each in first["error"]["unread"]] == ["<n>x</n>"]
    assert second == {"id": 1, "text": "c", "message": {"content": "c"}}
    assert "message" not in third
    assert third["error"]["class"] == "RowError"


def test_events_are_not_collected(template: Path) -> None:
    assert run(template, "--errors", "collect", "--events", stdin=BAD).exit_code == 2


def test_a_prompt_without_anchor_is_refused(template: Path) -> None:
    result = run(template, "--prefix", "<user>Hi", stdin="c")
    assert result.exit_code == 1
    assert "MissingAnchorError" in result.stderr
    shown = run(template, "--prefix", "<user>Hi", "--any-prefix", stdin="c")
    assert json.loads(shown.stdout) == {"content": "<user>Hic"}
    assert json.loads(run(template, "--prefix", "<user>Hi<bot>", stdin="c").stdout) == {"content": "c"}


def test_so_are_prompts_of_rows(template: Path) -> None:
    row = json.dumps({"text": "c", "prompt": "<user>Hi"}) + "\n"
    options = (template, "--jsonl", "--prefix-key", "prompt")
    result = run(*options, stdin=row)
    assert json.loads(result.stdout)["error"]["class"] == "MissingAnchorError"
    assert json.loads(run(*options, "--any-prefix", stdin=row).stdout)["message"] == {"content": "<user>Hic"}
