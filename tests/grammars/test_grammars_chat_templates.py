"""What the real chat templates of models write for valid calls, the grammars that are spelled by them accept.

The table of chat templates says of each what is no text of its grammar, and why.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import pytest

import respc
from chat_templates.conversations import CONVERSATIONS, MODES, TOOLS, Conversation
from chat_templates.table import WRITING_CALLS, applies, family_of, name_of
from respc.chat_templates import NotRenderedError
from respc.verifying.marks import alike
from support.chat_templates import ChatTemplate
from support.families import Family
from support.grammar_engines import accepts
from support.grammar_families import spelling_of
from support.grammar_vocabularies import ByteVocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from respc.grammars.building import Thinking
    from support.grammar_engines import Engine, Held

VOCABULARY: Final = ByteVocabulary()
CALLING: Final = [each for each in CONVERSATIONS if "calls" in each.needs]


def in_order(value: Any) -> Any:
    """Sort the keys of all objects: some chat templates do, and a grammar has the properties in their order."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [*map(in_order, value)] if isinstance(value, list) else value


def tools_in_order() -> list[dict[str, Any]]:
    """Give the tools with sorted properties."""
    tools = deepcopy(TOOLS)
    for tool in tools:
        tool["function"]["parameters"] = in_order(tool["function"]["parameters"])
    return tools


SORTED_TOOLS: Final = tools_in_order()


@dataclass(frozen=True)
class Written:
    """What a model writes by a chat template.

    Attributes:
        conversation: of which it is the last message.
        mode: in which mode.
        text: what is written, without what ends the turn.
        reasoning: who opens the reasoning.
    """

    conversation: Conversation
    mode: str
    text: str
    reasoning: Thinking

    @property
    def choices(self) -> list[str]:
        """What is asked of the grammars that it is for."""
        return ["auto", *(() if "content" in self.conversation.message else ("required",))]


class Grammars:
    """The grammars of a chat template in an engine."""

    def __init__(self, engine: Engine, family: Family, source: str) -> None:
        self._engine, self._family, self._source = engine, family, source
        self.held = cache(self._held)

    def _held(self, choice: str, reasoning: Thinking) -> Held | respc.GrammarError:
        """Compile a grammar, or say why there is none."""
        try:
            grammar = respc.grammar(
                self._family.template,
                SORTED_TOOLS,
                format=self._engine.name,
                choice=choice,
                reasoning=reasoning,
                chat_template=self._source,
            )
        except respc.GrammarError as error:
            return error
        return self._engine.compiled(grammar, VOCABULARY)

    def fault(self, written: Written) -> str | None:
        """Say why a text is none of its grammars; None where it is one of each."""
        for choice in written.choices:
            held = self.held(choice, written.reasoning)
            if isinstance(held, respc.GrammarError):
                return str(held)
            if not accepts(held, VOCABULARY, written.text):
                return f"{choice} {written.reasoning} {written.text!r}"
        return None


@pytest.mark.long
@pytest.mark.parametrize("row", WRITING_CALLS, ids=name_of)
def test_what_a_chat_template_writes_is_accepted(
    row: dict[str, Any], engine: Engine, folders: dict[str, Path | str]
) -> None:
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    source = (folder / row["file"]).read_text(encoding="utf-8")
    family = Family(family_of(row))
    grammars = Grammars(engine, family, source)
    excused: dict[str, str] = row.get("grammars", {})
    used: set[str] = set()
    wrong: list[str] = []
    accepted = 0
    for written in texts(row, family, ChatTemplate(source, row.get("given", {}))):
        fault = grammars.fault(written)
        accepted += fault is None
        if fault is None:
            continue
        used |= {written.mode, written.conversation.name, *written.conversation.needs} & {*excused}
        if not applies(excused, written.conversation, written.mode):
            wrong.append(f"{written.conversation.name}, {written.mode}: {fault}")
    assert not wrong
    assert used == {*excused}
    assert accepted or "calls" in excused


def texts(row: dict[str, Any], family: Family, template: ChatTemplate) -> Iterator[Written]:
    """Yield what a chat template writes for messages with calls, in all modes."""
    for conversation in CALLING:
        if applies(row.get("without", {}), conversation):
            continue
        for mode, options in MODES.items():
            if applies(row.get("otherwise", {}), conversation, mode):
                continue
            message, history = in_order(conversation.message), in_order(conversation.history)
            try:
                generations = template.generations(history, message, SORTED_TOOLS, options)
            except NotRenderedError:
                continue
            for each in generations:
                text = each.said.removesuffix(row.get("ends", ""))
                yield behind_reasoning(family, Written(conversation, mode, text, "none"), each.prefix)


def behind_reasoning(family: Family, written: Written, prefix: str) -> Written:
    """Tell who opens the reasoning of a text; what closes some that is not there is a part of the prompt."""
    closer = closer_of(family)
    text = written.text.removeprefix(closer) if closer else written.text
    if text != written.text:
        return Written(written.conversation, written.mode, text, "none")
    reasoning: Thinking = "none"
    if is_reasoning(family, prefix):
        reasoning = "prompt"
    elif opens_reasoning(family, prefix, text):
        reasoning = "open"
    return Written(written.conversation, written.mode, text, reasoning)


def closer_of(family: Family) -> str:
    """Give what closes the reasoning of a family, whatever comes next; "" where there is none."""
    reasoning = spelling_of(family).reasoning
    if reasoning is None:
        return ""
    before_call = reasoning.before_call.strip()
    before_content = (reasoning.before_content or reasoning.before_call).strip()
    return before_call[: alike(before_call, before_content)]


def is_reasoning(family: Family, prefix: str) -> bool:
    """Tell whether what comes behind a prompt is reasoning."""
    parser = family.module.ServingParser(prefix)
    parser.feed("x")
    message = parser.finalize()[0] or {}
    return "x" in message.get("reasoning_content", "")


def opens_reasoning(family: Family, prefix: str, text: str) -> bool:
    """Tell whether a text has reasoning in it, though that may be empty."""
    parser = family.module.ServingParser(prefix)
    events = [*parser.feed(text), *parser.finalize()[1]]
    return any(each["type"] == "region_open" and each["field"] == "reasoning_content" for each in events)
