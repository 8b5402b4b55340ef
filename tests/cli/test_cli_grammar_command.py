"""`respc grammar`: what it writes, and its exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

import respc
from respc.chat_templates import ChatTemplateError, Limits
from respc.cli import main
from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

ENDLESS = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
TOOLS = [{"name": "ping", "parameters": {"type": "object", "properties": {"times": {"type": "integer"}}}}]


def run(*arguments: str | Path, **options: Any) -> Result:
    return CliRunner().invoke(main, ["grammar", *map(str, arguments)], **options)


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """A file with tools."""
    file = tmp_path / "tools.json"
    file.write_text(json.dumps(TOOLS), encoding="utf-8")
    return file


@pytest.mark.parametrize("form", ["xgrammar", "llguidance", "gbnf"])
def test_it_prints_what_the_library_gives(form: Any, tools: Path) -> None:
    result = run(
        "qwen3", "--tools", tools, "--format", form, "--choice", "auto", "--one", "--reasoning", "prompt"
    )
    assert result.exit_code == 0, result.stderr
    expected = respc.grammar("qwen3", TOOLS, format=form, choice="auto", parallel=False, reasoning="prompt")
    assert result.stdout.rstrip("\n") == expected.rstrip("\n")


def test_it_writes_a_file(tools: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    result = run("qwen3", "--tools", tools, "-o", out)
    assert result.exit_code == 0, result.stderr
    assert json.loads(out.read_text(encoding="utf-8"))["type"] == "structural_tag"


def test_the_folder_of_a_model_has_its_own_chat_template(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    config = {"eos_token": "<|end|>", "response_template": TEMPLATE}
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    result = run(tmp_path, "--tools", tools, "--format", "gbnf")
    assert result.exit_code == 0, result.stderr
    assert r'root ::= "<call>{\"name\": \"" calls' in result.stdout


def test_a_template_alone_needs_a_chat_template(tools: Path, tmp_path: Path) -> None:
    (tmp_path / "template.json").write_text(json.dumps(TEMPLATE), encoding="utf-8")
    (tmp_path / "chat.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    result = run(tmp_path / "template.json", "--tools", tools)
    assert result.exit_code == 1
    assert "error[RT921]" in result.stderr
    assert "`respc explain RT921`" in result.stderr
    assert (
        run(
            tmp_path / "template.json", "--tools", tools, "--chat-template", tmp_path / "chat.jinja"
        ).exit_code
        == 0
    )


def test_what_a_schema_cannot_say_is_named_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    wrong = {"type": "object", "properties": {"a": {"type": "array", "uniqueItems": True}}}
    file.write_text(json.dumps([*TOOLS, {"function": {"name": "b", "parameters": wrong}}]), encoding="utf-8")
    result = run("qwen3", "--tools", file)
    assert result.exit_code == 1
    assert f"{file}/1/function/parameters/properties/a/uniqueItems: error[RT926]" in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(
    "tokens",
    [
        {"<tool_call>": 5},
        {"added_tokens": [{"id": 5, "content": "<tool_call>"}]},
        {"added_tokens_decoder": {"5": {"content": "<tool_call>"}}},
    ],
)
def test_special_tokens_come_from_the_files_of_a_model(tokens: Any, tools: Path, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(json.dumps(tokens), encoding="utf-8")
    result = run("qwen3", "--tools", tools, "--format", "llguidance", "--special-tokens", file)
    assert result.exit_code == 0, result.stderr
    assert result.stdout.startswith("start: <[5]> ")


@pytest.mark.parametrize("text", ["", "{}", "[1]", "12"])
def test_a_file_without_tokens_is_refused(text: str, tools: Path, tmp_path: Path) -> None:
    file = tmp_path / "tokens.json"
    file.write_text(text, encoding="utf-8")
    result = run("qwen3", "--tools", tools, "--special-tokens", file)
    assert result.exit_code == 2
    assert str(file) in result.stderr


@pytest.mark.parametrize("text", ["", "{}", "[1]", '["a"]'])
def test_a_file_without_tools_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "tools.json"
    file.write_text(text, encoding="utf-8")
    result = run("qwen3", "--tools", file)
    assert result.exit_code == 2
    assert "no tools" in result.stderr


def test_it_does_not_write_over_what_it_reads(tools: Path) -> None:
    result = run("qwen3", "--tools", tools, "-o", tools)
    assert result.exit_code == 2
    assert json.loads(tools.read_text(encoding="utf-8")) == TOOLS


def test_a_chat_template_that_raises_is_told_with_what_it_raised(tools: Path, tmp_path: Path) -> None:
    file = tmp_path / "hostile.jinja"
    file.write_text("{{ ''.__class__.__mro__ }}", encoding="utf-8")
    result = run("qwen3", "--tools", tools, "--chat-template", file)
    assert result.exit_code == 1
    assert "hostile.jinja: the chat template writes no call of the model: SecurityError" in result.stderr


def test_a_chat_template_that_never_ends_is_ended(tools: Path, tmp_path: Path) -> None:
    file = tmp_path / "endless.jinja"
    file.write_text(ENDLESS, encoding="utf-8")
    result = run("qwen3", "--tools", tools, "--chat-template", file, "--seconds", "1")
    assert result.exit_code == 2
    assert "endless.jinja: it took more than 1 seconds and was ended: " in result.stderr
    assert "--seconds" in result.stderr
    with pytest.raises(ChatTemplateError, match="it took more than 1 seconds"):
        respc.grammar("qwen3", TOOLS, chat_template=ENDLESS, limits=Limits(seconds=1))
