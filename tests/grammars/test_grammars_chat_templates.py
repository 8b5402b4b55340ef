"""What the real chat templates of models write for valid calls, the grammars that are spelled by them accept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import respc
from chat_templates.conversations import CONVERSATIONS, MODES, TOOLS, Conversation
from chat_templates.table import ROWS, applies, family_of, name_of
from respc.chat_templates import NotRenderedError
from support.chat_templates import ChatTemplate
from support.families import Family
from support.grammar_engines import accepts
from support.grammar_vocabularies import ByteVocabulary

if TYPE_CHECKING:
    from pathlib import Path

    from support.grammar_engines import Engine, Held


class Grammars:
    """The grammars of a chat template in an engine."""

    def __init__(self, engine: Engine, family: Family, source: str) -> None:
        self._engine, self._family, self._source = engine, family, source
        self._held: dict[tuple[str, str], Held] = {}
        self.vocabulary = ByteVocabulary()

    def held(self, choice: str, reasoning: str) -> Held:
        """Compile the grammar for calls that have to come or may come.

        Raises:
            GrammarError: there is none.
        """
        key = choice, reasoning
        if key not in self._held:
            grammar = respc.grammar(
                self._family.template,
                TOOLS,
                format=self._engine.name,
                choice=choice,
                reasoning=reasoning,
                chat_template=self._source,
            )
            self._held[key] = self._engine.compiled(grammar, self.vocabulary)
        return self._held[key]


def state_behind(family: Family, prefix: str) -> str:
    """Tell whether a prompt has opened the reasoning."""
    opened = "none"
    for event in family.module.ServingParser(prefix).initial_events:
        if event["field"] == "reasoning_content" and event["type"] != "region_chunk":
            opened = "prompt" if event["type"] == "region_open" else "none"
    return opened


def grammars_needed(family: Family, message: dict[str, Any], prefix: str) -> list[tuple[str, str]]:
    """Give the choices and the reasoning of the grammars that a message is for."""
    opened = state_behind(family, prefix)
    if opened == "none" and "reasoning_content" in message:
        opened = "open"
    return [(choice, opened) for choice in ("auto", *(() if "content" in message else ("required",)))]


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_what_a_chat_template_writes_is_accepted(
    row: dict[str, Any], engine: Engine, folders: dict[str, Path | str]
) -> None:
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    source = (folder / row["file"]).read_text(encoding="utf-8")
    template, family = ChatTemplate(source, row.get("given", {})), Family(family_of(row))
    grammars = Grammars(engine, family, source)
    refused: set[str] = set()
    for conversation in CONVERSATIONS:
        if "calls" not in conversation.needs or applies(row.get("without", {}), conversation):
            continue
        for text, choice, reasoning in written(row, family, template, conversation):
            try:
                held = grammars.held(choice, reasoning)
            except respc.GrammarError as error:
                refused.add(str(error))
                continue
            assert accepts(held, grammars.vocabulary, text), (choice, reasoning, text)
    assert refused == set()


def written(
    row: dict[str, Any], family: Family, template: ChatTemplate, conversation: Conversation
) -> list[tuple[str, str, str]]:
    """Give what a model would have written for a conversation, and which grammars that is for."""
    found = []
    for mode, options in MODES.items():
        if applies(row.get("otherwise", {}), conversation, mode):
            continue
        try:
            generations = template.generations(conversation.history, conversation.message, TOOLS, options)
        except NotRenderedError:
            continue
        for generation in generations:
            text = generation.text.removesuffix(generation.end).rstrip()
            needed = grammars_needed(family, conversation.message, generation.prefix)
            found += [(text, choice, reasoning) for choice, reasoning in needed]
    return found
