"""`respc verify`: what it prints, and its exit codes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import tokenizers
from click.testing import CliRunner

from respc.cli import main
from support.small_chat_template import CHAT_TEMPLATE, TEMPLATE, changed

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result


def run(*arguments: str | Path, **options: Any) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)], **options)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The folder of a model, with both templates."""
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE, encoding="utf-8")
    config = {"eos_token": "<|end|>", "response_template": TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def test_a_clean_model(model: Path) -> None:
    result = run(model)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    header = next(line for line in lines if "feature" in line)
    assert [cell.strip() for cell in header.strip("│").split("│")][:2] == ["feature", "first"]
    (row,) = [line for line in lines if line.startswith("│ several calls")]
    assert [cell.strip() for cell in row.strip("│").split("│")] == ["several calls", "ok", "", *["ok"] * 5]
    assert ": clean: " in result.stderr


def test_a_config_alone_is_enough(model: Path) -> None:
    assert run(model / "tokenizer_config.json").exit_code == 0


@pytest.mark.parametrize("source", ["template.json", "-"])
def test_a_response_template_needs_a_chat_template(source: str, model: Path, tmp_path: Path) -> None:
    text = json.dumps(TEMPLATE)
    (tmp_path / "template.json").write_text(text, encoding="utf-8")
    path = source if source == "-" else tmp_path / source
    result = run(path, input=text)
    assert result.exit_code == 2
    assert "--chat-template" in result.stderr
    assert run(path, "--chat-template", model, input=text).exit_code == 0


def test_a_family_needs_a_chat_template(model: Path) -> None:
    result = run("qwen3")
    assert result.exit_code == 2
    assert "SOURCE qwen3 has no chat template: give one with --chat-template" in result.stderr
    result = run("qwen3", "--chat-template", model)
    assert result.exit_code == 1
    assert "differs: anchor not in the prompt: the start anchor" in result.stdout


def test_a_cause_is_explained_once_with_a_caret(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(changed("fields/content/close", None)), encoding="utf-8")
    result = run(broken, "--chat-template", model)
    assert result.exit_code == 1
    assert result.stdout.count("\ndiffers: ") == 1
    start = result.stdout.index("\ndiffers: ") + 1
    lines = result.stdout[start:].splitlines()
    assert lines[0] == 'differs: mark left in the content: "<|end|>" in `content`'
    text, carets = lines[3], lines[4]
    assert text.startswith("  text    ")
    assert text[carets.index("^") : carets.rindex("^") + 1] == "<|end|>"
    assert ": not clean: " in result.stderr


def test_json(model: Path, tmp_path: Path) -> None:
    found = json.loads(run(model, "--format", "json").stdout)
    assert found["clean"] is True
    assert found["causes"] == []
    keys = {"feature", "context", "mode", "ending", "outcome", "kind", "detail", "manner"}
    assert {frozenset(row) for row in found["rows"]} == {frozenset(keys)}
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(changed("start_anchor", "<x>")), encoding="utf-8")
    result = run(broken, "--chat-template", model, "--format", "json")
    found = json.loads(result.stdout)
    assert (found["clean"], result.exit_code) == (False, 1)
    assert {row["kind"] for row in found["rows"]} == {"anchor not in the prompt"}


def test_github(model: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text(json.dumps(changed("start_anchor", "<x>")), encoding="utf-8")
    (line,) = run(broken, "--chat-template", model, "--format", "github").stdout.splitlines()
    assert line.startswith(f"::error file={broken},title=respc verify%3A anchor not in the prompt::")
    assert run(model, "--format", "github").stdout == ""


def test_streams(model: Path) -> None:
    rows = json.loads(run(model, "--streamed", "--format", "json").stdout)["rows"]
    assert {row["ending"] for row in rows} >= {"whole", "whole, in chunks of 1", "whole, in chunks of 16"}


def test_one_of_several_chat_templates(model: Path) -> None:
    config = json.loads((model / "tokenizer_config.json").read_text(encoding="utf-8"))
    named = [{"name": "default", "template": "{{ broken }}"}, {"name": "other", "template": CHAT_TEMPLATE}]
    config["chat_template"] = named
    (model / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    (model / "chat_template.jinja").unlink()
    assert run(model).exit_code == 1
    assert run(model, "--named", "other").exit_code == 0
    result = run(model, "--named", "nothing")
    assert result.exit_code == 2
    assert "no chat template is named 'nothing': there is default, other" in result.stderr


def test_what_a_chat_template_is_given(model: Path) -> None:
    (model / "chat_template.jinja").write_text(
        CHAT_TEMPLATE.replace("<|end|>", "{{ mark }}") + "{{ [] if number == 3 else raise_exception('no') }}",
        encoding="utf-8",
    )
    result = run(model, "--given", "mark=<|end|>", "--given", "number=3")
    assert result.exit_code in (0, 1)
    assert "raise_exception" not in result.stdout
    assert run(model, "--given", "=x").exit_code == 2
    assert run(model, "--given", "x").exit_code == 2


def test_own_conversations_and_tools(model: Path, tmp_path: Path) -> None:
    conversation = tmp_path / "own.json"
    conversation.write_text(
        json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]),
        encoding="utf-8",
    )
    tools = tmp_path / "tools.json"
    tools.write_text(json.dumps([{"type": "function", "function": {"name": "f"}}]), encoding="utf-8")
    assert "conversation 1" in run(model, "--messages", conversation).stdout
    assert "│ f " in run(model, "--tools", tools).stdout
    for option, path, reason in (
        ("--messages", tools, "own.json: conversation 1"),
        ("--tools", conversation, "own.json: tools have to be a list of objects"),
        ("--messages", tmp_path / "none.json", "none.json: no such file or folder"),
    ):
        result = run(model, option, path)
        assert result.exit_code == 2
        if option == "--tools" or "none" in str(path):
            assert reason in result.stderr


def test_what_runs_for_ever_is_ended(model: Path) -> None:
    loop = "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}"
    (model / "chat_template.jinja").write_text(loop, encoding="utf-8")
    result = run(model, "--seconds", "1")
    assert result.exit_code == 2
    assert "model: it took more than 1 seconds and was ended" in result.stderr


def test_a_refused_response_template_is_shown(model: Path, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"fields": {"content": {"close_pattern": "("}}}', encoding="utf-8")
    result = run(bad, "--chat-template", model)
    assert result.exit_code == 1
    assert "error[RT" in result.stderr


def test_delimiters_and_a_tokenizer(model: Path, tmp_path: Path) -> None:
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split("", "isolated")
    tokenizer.add_special_tokens(["<|end|>"])
    tokenizer.add_tokens(["<call>", "</call>", "<|assistant|>"])
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    result = run(model, "--tokens", path)
    assert result.exit_code == 0
    assert (
        '"<|end|>" of `content`: special, so that decoding with skip_special_tokens drops it' in result.stdout
    )
    assert '"<think>" of `reasoning_content`: 7 tokens' in result.stdout
    assert '"<call>"' not in result.stdout
    notes = json.loads(run(model, "--tokens", path, "--format", "json").stdout)["tokens"]
    assert {note["delimiter"] for note in notes} == {"<|end|>", "<think>", "</think>"}
    result = run(model, "--tokens", tmp_path / "own.json")
    assert result.exit_code == 2
    assert "own.json: no tokenizer.json that can be read" in result.stderr
