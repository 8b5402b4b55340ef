"""`respc infer`: what it prints and writes, and its exit codes."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import respc
from respc.cli import main
from respc.source import read_template
from support.small_chat_template import CHAT_TEMPLATE

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

LOSSY = CHAT_TEMPLATE.replace("message.tool_calls or []", "(message.tool_calls or []) | reverse")
"""Calls are written the last one first, which no parser can know."""
CONFIG = '{\n    "eos_token": "<|end|>",\n    "extra": {"b": [1,2], "a": "\\u00e9"}\n}\n'


def run(*arguments: str | Path, **options: Any) -> Result:
    return CliRunner().invoke(main, ["infer", *map(str, arguments)], **options)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model without a response template."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(CONFIG, encoding="utf-8")
    return folder


@pytest.fixture
def lossy(tmp_path: Path) -> Path:
    """A chat template of which not all comes back."""
    file = tmp_path / "lossy.jinja"
    file.write_text(LOSSY, encoding="utf-8")
    return file


@cache
def inferred() -> dict[str, Any]:
    """What is inferred for the model."""
    return respc.infer(CHAT_TEMPLATE, given={"eos_token": "<|end|>"}).template


def test_the_template_is_printed_and_the_report_goes_beside(model: Path) -> None:
    result = run(model)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == inferred()
    for said in (
        "start_anchor: ",
        "tool_calls: ",
        "      matches ",
        "│ several calls",
        "no more",
        ": clean: ",
    ):
        assert said in result.stderr


@pytest.mark.parametrize("shown_as", ["text", "json", "github"])
def test_the_report_is_printed_where_the_template_goes_to_a_file(
    shown_as: str, model: Path, tmp_path: Path
) -> None:
    output = tmp_path / "made.json"
    result = run(model, "-o", output, "--format", shown_as)
    assert result.exit_code == 0, result.output
    template = read_template(output).template
    assert template == inferred()
    if shown_as == "text":
        assert "│ several calls" in result.stdout
    if shown_as == "json":
        document = json.loads(result.stdout)
        assert document["template"] == template
        assert document["clean"]
        assert {"observations", "verification", "warnings", "tried"} <= document.keys()


def test_what_is_written_can_be_compiled_checked_and_verified(model: Path, tmp_path: Path) -> None:
    output = tmp_path / "made.json"
    assert run(model, "-o", output).exit_code == 0
    for command in (
        ["check", str(output)],
        ["compile", str(output), "-o", str(tmp_path / "made.py")],
        ["verify", str(output), "--chat-template", str(model)],
    ):
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, result.output


def test_standard_input_is_jinja(model: Path) -> None:
    result = run("-", "--eos", "<|end|>", input=CHAT_TEMPLATE)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout) == inferred()


def test_into_a_config_of_which_all_else_stays(model: Path) -> None:
    config = model / "tokenizer_config.json"
    assert run(model, "--into", config).exit_code == 0
    text = config.read_text(encoding="utf-8")
    kept, separator, added = text.partition(',\n    "response_template": ')
    assert kept + "\n}\n" == CONFIG
    assert separator
    assert added.endswith("\n    }\n}\n")
    assert all(line.startswith("    ") for line in added.splitlines()[1:-1])
    assert read_template(model).template == inferred()


@pytest.mark.parametrize("line_break", ["\n", "\r\n", ""])
@pytest.mark.parametrize("value", [None, {"fields": {}}])
def test_a_template_that_is_there_is_replaced_by_force(line_break: str, value: Any, model: Path) -> None:
    config = model / "tokenizer_config.json"
    members = ('"eos_token": "<|end|>"', f'"response_template": {json.dumps(value)}', '"last": 1')
    text = f"{{{line_break}  " + f",{line_break}  ".join(members) + f"{line_break}}}"
    config.write_bytes(text.encode())
    refused = run(model, "--into", config)
    if value is not None:
        assert refused.exit_code == 2
        assert "--force" in refused.stderr
        assert config.read_bytes() == text.encode()
        assert run(model, "--into", config, "--force").exit_code == 0
    written = config.read_bytes().decode()
    assert list(json.loads(written)) == ["eos_token", "response_template", "last"]
    assert json.loads(written)["response_template"] == inferred()
    begun, ended = text.split(json.dumps(value))
    assert written.startswith(begun)
    assert written.endswith(ended)
    assert written.count("\n") == written.count(line_break or "\n")


def test_nothing_is_written_where_not_all_comes_back(lossy: Path, tmp_path: Path) -> None:
    output = tmp_path / "made.json"
    config = tmp_path / "config.json"
    config.write_text("{}")
    for where in (["-o", output], ["--into", config], []):
        result = run(lossy, "--eos", "<|end|>", *where)
        assert result.exit_code == 1, result.output
        assert "--partial" in result.stderr
        assert not output.exists()
        assert config.read_text() == "{}"
    assert result.stdout == ""
    assert "differs: another argument" in result.stderr


def test_partial_writes_it_all_the_same(lossy: Path) -> None:
    result = run(lossy, "--eos", "<|end|>", "--partial")
    assert result.exit_code == 1
    assert "tool_calls" in json.loads(result.stdout)["fields"]
    assert "differs: another argument" in result.stderr


def test_causes_for_github(lossy: Path) -> None:
    result = run(lossy, "--eos", "<|end|>", "--format", "github")
    assert result.exit_code == 1
    assert "::error " in result.stderr
    assert "title=respc verify%3A another argument" in result.stderr


def test_nothing_can_be_inferred(tmp_path: Path) -> None:
    file = tmp_path / "silent.jinja"
    file.write_text("{{ bos_token }}")
    result = run(file, "--partial", "--format", "json")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: ")
    assert str(file) in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["MODEL", "-o", "x.json", "--into", "CONFIG"], "-o or --into"),
        (["MODEL", "--force"], "--into"),
        (["MODEL", "--given", "x"], "KEY=VALUE"),
        (["MODEL", "--named", "gone"], "no chat template is named 'gone'"),
        (["nowhere"], "nowhere"),
        (["MODEL", "--into", "nowhere.json"], "nowhere.json"),
        (["MODEL", "--into", "LIST"], "not an object"),
        (["MODEL", "--into", "TEXT"], "TEXT:1:1: expected a value"),
        (["FOLDER"], "put it there, or name the file that has it"),
        (["MODEL", "-o", "FOLDER"], "a folder: name a file in it"),
        (["MODEL", "-o", "FOLDER/gone/x.json"], "gone: make it first"),
        (["MODEL", "-o", "CONFIG"], "tokenizer_config.json itself"),
        (["MODEL", "-o", "JINJA"], "chat_template.jinja itself"),
    ],
)
def test_usage(arguments: list[str], said: str, model: Path, tmp_path: Path) -> None:
    (tmp_path / "LIST").write_text("[]")
    (tmp_path / "TEXT").write_text("no JSON")
    places = {
        "MODEL": model,
        "CONFIG": model / "tokenizer_config.json",
        "JINJA": model / "chat_template.jinja",
        "LIST": tmp_path / "LIST",
        "TEXT": tmp_path / "TEXT",
        "FOLDER": tmp_path,
        "FOLDER/gone/x.json": tmp_path / "gone" / "x.json",
    }
    result = run(*(places.get(argument, argument) for argument in arguments))
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert (model / "tokenizer_config.json").read_text(encoding="utf-8") == CONFIG
    assert (model / "chat_template.jinja").read_text(encoding="utf-8") == CHAT_TEMPLATE


def test_a_chat_template_that_never_ends_is_ended(tmp_path: Path) -> None:
    file = tmp_path / "endless.jinja"
    file.write_text("{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}")
    result = run(file, "--seconds", "1")
    assert result.exit_code in (1, 2)
    assert result.stderr.startswith("Error: ")
