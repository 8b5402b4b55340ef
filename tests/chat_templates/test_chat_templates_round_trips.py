"""What real chat templates write comes back as the message it was, with the parser that the model's name gives."""

from __future__ import annotations

import json
from contextlib import suppress
from functools import cache
from importlib import import_module
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

from chat_templates.conversations import CONVERSATIONS, MODES, TOOLS, Conversation
from chat_templates.table import ROWS, applies, name_of
from respc.chat_templates import NotRenderedError
from respc_parsers import for_model
from respc_runtime.openai import ChatCompletionParser
from support.chat_templates import ChatTemplate, Generation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def modes_of(row: dict[str, Any], conversation: Conversation) -> Iterator[str]:
    """Yield the modes that a conversation is written in."""
    for mode in MODES:
        without_thought = mode == "not thinking" and "reasoning" in conversation.needs
        if not without_thought and not applies(row.get("otherwise", {}), conversation, mode):
            yield mode


@cache
def template_of(number: int, folder: Path) -> ChatTemplate:
    row = ROWS[number]
    source = (folder / row["file"]).read_text(encoding="utf-8")
    return ChatTemplate(source, row.get("given", {}))


def the_template(row: dict[str, Any], folders: dict[str, Path | str]) -> ChatTemplate:
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    return template_of(ROWS.index(row), folder)


def parser_class(row: dict[str, Any]) -> Any:
    """Give the parser that the name of a row's model gives."""
    module = for_model(row["model"]) if "model" in row else import_module(f"respc_parsers.{row['family']}")
    return module.ServingParser


def written(template: ChatTemplate, conversation: Conversation, mode: str) -> list[Generation]:
    """Give what a model would have written, with tools in its prompt where it or the template needs them."""
    history, message, options = conversation.history, conversation.message, MODES[mode]
    if "calls" not in conversation.needs:
        try:
            return template.generations(history, message, [], options)
        except NotRenderedError:
            pass
    return template.generations(history, message, TOOLS, options)


def comparable(message: dict[str, Any]) -> dict[str, Any]:
    """Give what is compared of a message: texts without outer blanks, and the JSON values of arguments."""
    compared: dict[str, Any] = {}
    for key in ("reasoning_content", "content"):
        if text := (message.get(key) or "").strip():
            compared[key] = text
    calls = []
    for call in message.get("tool_calls", ()):
        arguments = call["function"]["arguments"]
        value = json.loads(arguments) if isinstance(arguments, str) else arguments
        calls.append((call["function"]["name"], json.dumps(value, sort_keys=True)))
    return {**compared, "tool_calls": calls}


def endings(generation: Generation) -> Iterator[str]:
    """Yield the text as it is, and as servers have it that take the end of the turn off."""
    yield generation.text
    if generation.end and generation.text.endswith(generation.end):
        yield generation.text.removesuffix(generation.end)


@pytest.mark.parametrize(
    ("row", "conversation"),
    [
        pytest.param(row, conversation, id=f"{name_of(row)}-{conversation}")
        for row in ROWS
        for conversation in CONVERSATIONS
        if not applies(row.get("without", {}), conversation)
    ],
)
def test_a_message_comes_back(
    row: dict[str, Any], conversation: Conversation, folders: dict[str, Path | str]
) -> None:
    template = the_template(row, folders)
    parser_of = parser_class(row)
    tools = TOOLS if "calls" in conversation.needs else None
    modes = list(modes_of(row, conversation))
    refusals = []
    for mode in modes:
        try:
            generations = written(template, conversation, mode)
        except NotRenderedError as error:
            refusals.append(error)
            continue
        for generation in generations:
            for text in endings(generation):
                parser = ChatCompletionParser(parser_of, generation.prefix, tools=tools)
                parser.feed(text)
                parser.finalize(stopped=True)
                assert parser.message is not None
                said = f"{mode}: behind {generation.prefix[-60:]!r}, {text!r}"
                assert comparable(parser.message) == comparable(conversation.message), said
                assert parser.unread == [], said
    assert not modes or len(refusals) < len(modes), refusals


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_prompt_alone_is_no_message(row: dict[str, Any], folders: dict[str, Path | str]) -> None:
    """Otherwise the calls of an earlier turn would be made again."""
    template = the_template(row, folders)
    parser_of = parser_class(row)
    prompts = set()
    for conversation in CONVERSATIONS:
        for tools, options in product((TOOLS, []), MODES.values()):
            with suppress(NotRenderedError):
                prompts.add(template.prompt(conversation.history, tools, options))
    assert prompts
    for prompt in sorted(prompts):
        parser = ChatCompletionParser(parser_of, prompt, tools=TOOLS)
        parser.finalize(stopped=True)
        assert parser.message is not None
        assert comparable(parser.message) == {"tool_calls": []}, prompt[-60:]
        assert parser.unread == [], prompt[-60:]


@pytest.mark.parametrize("row", [row for row in ROWS if "without" in row], ids=name_of)
def test_what_a_template_is_said_to_leave_out_it_does(
    row: dict[str, Any], folders: dict[str, Path | str]
) -> None:
    template = the_template(row, folders)
    for conversation in CONVERSATIONS:
        after_calls_alone = "calls" in row["without"] and "tool_calls" not in conversation.message
        if applies(row["without"], conversation) and not after_calls_alone:
            for mode in modes_of(row, conversation):
                with pytest.raises(NotRenderedError):
                    written(template, conversation, mode)
