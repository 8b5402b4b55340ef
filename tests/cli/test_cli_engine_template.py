"""``respc engine-template``, and ``respc check --for``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

from engine_templates.cases_for_engines import TAKEN, changed
from respc.cli import main
from respc.cli.engine_names import ENGINE_NAMES
from respc.engines import ENGINES

if TYPE_CHECKING:
    from pathlib import Path

JOINED = changed(content={"join": "\n"})
NOTES = changed(notes={"open": "<n>", "close": "</n>"})


def run(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(main, list(arguments), input=text)


def written(folder: Path, template: dict[str, Any], **around: Any) -> str:
    path = folder / ("tokenizer_config.json" if around else "template.json")
    path.write_text(json.dumps({**around, "response_template": template} if around else template))
    return str(path)


def test_the_engines_are_those_that_there_are() -> None:
    assert set(ENGINE_NAMES) == set(ENGINES)


def test_the_template_is_printed_and_what_is_different_said_with_its_place(tmp_path: Path) -> None:
    source = written(tmp_path, JOINED)
    result = run("engine-template", source, "--for", "vllm")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == TAKEN
    column = json.dumps(JOINED).index('"join"') + 1
    assert result.stderr == (
        f"{source}:1:{column}: the text of a second region follows that of the first, with no `\\n` between\n"
        "  because: vLLM takes no `join` for `content` [RT822]\n"
    )


def test_nothing_is_said_of_what_the_engine_takes(tmp_path: Path) -> None:
    result = run("engine-template", written(tmp_path, TAKEN), "--for", "sglang")
    assert (result.exit_code, json.loads(result.stdout), result.stderr) == (0, TAKEN, "")


def test_a_family_is_a_source_and_its_changes_are_said_in_lines_of_their_own() -> None:
    result = run("engine-template", "qwen3", "--for", "vllm")
    assert result.exit_code == 0
    assert set(json.loads(result.stdout)["fields"]) == {"thinking", "tool_calls", "content"}
    lines = result.stderr.splitlines()
    assert [line.split(": ")[0] for line in lines if not line.startswith(" ")] == [
        f"qwen3.json:{place}" for place in ("6:5", "10:7", "25:7", "9:7", "8:24")
    ]
    assert any(r"no longer ends at `(?=<tool_call>\s*\{)`" in line for line in lines)


def test_what_stays_is_said(tmp_path: Path) -> None:
    result = run("engine-template", "qwen3", "--for", "sglang", "--keep-closer")
    assert result.exit_code == 0
    assert "close_pattern" in json.loads(result.stdout)["fields"]["thinking"]
    assert "qwen3.json:8:24: not changed: the grammar is enforced from the first token on" in result.stderr


def test_a_file_is_written_and_left_alone_when_it_is_the_same(tmp_path: Path) -> None:
    source, output = written(tmp_path, JOINED), str(tmp_path / "out.json")
    first = run("engine-template", source, "--for", "vllm", "-o", output)
    assert first.stdout == ""
    assert first.stderr.endswith(f"{output}: written\n")
    assert json.loads((tmp_path / "out.json").read_text()) == TAKEN
    assert run("engine-template", source, "--for", "vllm", "-o", output).stderr.endswith(": unchanged\n")


def test_the_template_in_a_config_or_a_folder_or_of_standard_input_is_given_alone(tmp_path: Path) -> None:
    written(tmp_path, JOINED, chat_template="")
    assert json.loads(run("engine-template", str(tmp_path), "--for", "vllm").stdout) == TAKEN
    assert json.loads(run("engine-template", "-", "--for", "vllm", text=json.dumps(JOINED)).stdout) == TAKEN


def test_what_cannot_be_is_an_error_with_its_place_and_nothing_is_written(tmp_path: Path) -> None:
    source, output = written(tmp_path, NOTES), tmp_path / "out.json"
    result = run("engine-template", source, "--for", "sglang", "-o", str(output))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "error[RT820]: SGLang has no field `notes`" in result.stderr
    assert f"--> {source}:1:" in result.stderr
    assert not output.exists()
    dropped = run("engine-template", source, "--for", "sglang", "--drop", "notes")
    assert dropped.exit_code == 0
    assert json.loads(dropped.stdout) == TAKEN


def test_a_template_that_is_refused_anyway_is_refused_here(tmp_path: Path) -> None:
    result = run("engine-template", written(tmp_path, {"fields": {}}), "--for", "vllm")
    assert result.exit_code == 1
    assert "error[RT107]" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--for", "vllm", "--drop", "notes"], "no field 'notes'; there are `thinking`, `tool_calls`"),
        (
            ["--for", "vllm", *(word for name in TAKEN["fields"] for word in ("--drop", name))],
            "no field would be left",
        ),
        (["--for", "tgi"], "'tgi' is not one of"),
        ([], "Missing option '--for'"),
    ],
)
def test_wrong_use_is_said(tmp_path: Path, arguments: list[str], said: str) -> None:
    result = run("engine-template", written(tmp_path, TAKEN), *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_file_that_is_read_is_not_written_over_and_one_that_is_not_there_is_named(tmp_path: Path) -> None:
    source = written(tmp_path, JOINED)
    result = run("engine-template", source, "--for", "vllm", "-o", source)
    assert result.exit_code == 2
    assert "is SOURCE itself" in result.stderr
    missing = run("engine-template", str(tmp_path / "no.json"), "--for", "vllm")
    assert missing.exit_code == 2
    assert "no.json" in missing.stderr


def test_the_check_says_it_in_every_format(tmp_path: Path) -> None:
    source = written(tmp_path, JOINED)
    assert run("check", source, "--format", "concise").exit_code == 0
    concise = run("check", source, "--for", "vllm", "--format", "concise")
    assert concise.exit_code == 1
    assert "error[RT822] vLLM takes no `join` for `content`" in concise.stdout
    (record,) = [
        each
        for each in json.loads(run("check", source, "--for", "sglang", "--format", "json").stdout)
        if each["code"] >= "RT8"
    ]
    assert (record["slug"], record["pointer"]) == ("engine-join", "/fields/content/join")
    github = run("check", source, "--for", "vllm", "--format", "github").stdout
    assert "title=RT822 engine-join::vLLM takes no `join` for `content`%0Ahelp: remove it" in github
    text = run("check", source, "--for", "vllm")
    assert "why: An engine sends reasoning and content while they are written" in text.stdout


def test_warnings_of_engines_count_where_they_are_wanted_and_can_be_ignored(tmp_path: Path) -> None:
    source = written(tmp_path, changed(thinking={"repeats": True}))
    assert run("check", source, "--for", "vllm").exit_code == 0
    assert run("check", source, "--for", "vllm", "--strict").exit_code == 1
    assert run("check", source, "--for", "vllm", "--strict", "--ignore", "RT830").exit_code == 0
    assert run("check", source, "--for", "vllm", "--error", "engine-reasoning-repeats").exit_code == 1
    assert run("check", source, "--for", "sglang", "--strict").exit_code == 0


def test_the_check_fixes_a_file_for_an_engine(tmp_path: Path) -> None:
    source = written(tmp_path, JOINED)
    diff = run("check", source, "--for", "vllm", "--diff", "--unsafe-fixes")
    assert '-"join"' not in diff.stdout
    assert "(fixed)" in diff.stdout
    assert json.loads((tmp_path / "template.json").read_text()) == JOINED
    assert run("check", source, "--for", "vllm", "--fix", "--unsafe-fixes").exit_code == 0
    assert json.loads((tmp_path / "template.json").read_text()) == TAKEN
