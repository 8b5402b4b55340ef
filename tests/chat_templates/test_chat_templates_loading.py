"""Chat templates are read from where models have them, with their tokens."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from respc.chat_templates import ChatTemplate, ChatTemplateError, read_chat_template

if TYPE_CHECKING:
    from pathlib import Path


def put(folder: Path, **files: Any) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", ".").replace("_in_", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


def test_a_file_of_jinja_alone_has_no_tokens(tmp_path: Path) -> None:
    put(tmp_path, other__jinja="text", tokenizer_config__json={"eos_token": "</s>"})
    source = read_chat_template(str(tmp_path / "other.jinja"))
    assert (source.texts, source.tokens, source.ends) == ({"default": "text"}, {}, ())


def test_the_template_beside_a_config_goes_first(tmp_path: Path) -> None:
    put(tmp_path, chat_template__jinja="beside", tokenizer_config__json={"chat_template": "inside"})
    for path in (tmp_path, tmp_path / "tokenizer_config.json", tmp_path / "chat_template.jinja"):
        assert read_chat_template(str(path)).texts == {"default": "beside"}


def test_named_templates(tmp_path: Path) -> None:
    named = [{"name": "default", "template": "a"}, {"name": "tool_use", "template": "b"}]
    put(tmp_path, tokenizer_config__json={"chat_template": named})
    put(tmp_path, additional_chat_templates_in_rag__jinja="c")
    source = read_chat_template(str(tmp_path))
    assert source.texts == {"default": "a", "tool_use": "b", "rag": "c"}
    assert source.named("rag").texts == {"default": "c"}
    with pytest.raises(
        ChatTemplateError, match="no chat template is named 'x': there is default, rag, tool_use"
    ):
        source.named("x")


def test_the_template_for_tools_is_chosen_where_there_are_tools() -> None:
    template = ChatTemplate({"default": "plain", "tool_use": "tools"})
    user = [{"role": "user", "content": "Hi"}]
    assert (template.render(user), template.render(user, [])) == ("plain", "tools")
    with pytest.raises(
        ChatTemplateError, match="neither a template `default` nor `tool_use`: choose one of rag"
    ):
        ChatTemplate({"rag": ""})


def test_tokens_and_ends(tmp_path: Path) -> None:
    put(
        tmp_path,
        chat_template__jinja="",
        tokenizer_config__json={
            "bos_token": None,
            "eos_token": {"content": "<|end|>", "special": True},
            "added_tokens_decoder": {"7": {"content": "<|call|>"}, "8": {"content": "<|end|>"}},
        },
        special_tokens_map__json={"eos_token": "old", "pad_token": "<pad>"},
        generation_config__json={"eos_token_id": [8, 7, 99]},
    )
    source = read_chat_template(str(tmp_path))
    assert source.tokens == {"eos_token": "<|end|>", "pad_token": "<pad>"}
    assert source.ends == ("<|end|>", "<|call|>")


@pytest.mark.parametrize(
    ("files", "path", "reason"),
    [
        (
            {},
            "",
            "the folder has no chat template, neither a chat_template.jinja nor one in a tokenizer_config",
        ),
        ({}, "nothing.jinja", "no such file or folder"),
        ({"tokenizer_config__json": {}}, "tokenizer_config.json", "name the file that has it"),
        ({"tokenizer_config__json": "[]"}, "", "the JSON is not an object"),
        ({"tokenizer_config__json": "{"}, "", "no JSON: "),
        ({"tokenizer_config__json": {"chat_template": 3}}, "", "has to be a text, or a list of objects"),
        ({"tokenizer_config__json": {"chat_template": [{"name": "a"}]}}, "", "has to be a text, or a list"),
    ],
)
def test_what_cannot_be_read_is_said(files: dict[str, Any], path: str, reason: str, tmp_path: Path) -> None:
    put(tmp_path, **files)
    with pytest.raises(ChatTemplateError, match=reason):
        read_chat_template(str(tmp_path / path))


def test_what_is_no_utf_8_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.jinja").write_bytes(b"\xff")
    with pytest.raises(ChatTemplateError, match=r"a\.jinja: not UTF-8"):
        read_chat_template(str(tmp_path / "a.jinja"))


def test_what_is_no_jinja_is_said_with_its_line() -> None:
    with pytest.raises(ChatTemplateError, match=r"t\.jinja:2: no chat template: "):
        ChatTemplate("\n{% if %}", name="t.jinja")
