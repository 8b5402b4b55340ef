"""Grammars for engines: what the first request with tools waits for is begun before it."""

from __future__ import annotations

from threading import Event
from typing import TYPE_CHECKING, Any

import respc
from respc.integrations.engine_grammars import CallGrammars, Wanted

if TYPE_CHECKING:
    import pytest


class Tokenizer:
    """A tokenizer with a chat template that no other test has."""

    chat_template = "{{ 'looked at once' }}"
    eos_token = "<end>"


def test_a_chat_template_is_looked_at_once_and_from_the_first_request_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked, begun = [], Event()

    def grammar(_template: Any, tools: list[dict[str, Any]], **options: Any) -> str:
        if options.get("format") is None:
            looked.append(options["chat_template"].texts)
            begun.set()
            return ""
        raise respc.GrammarError("grammar-format", f"none for {len(tools)} tools")

    monkeypatch.setattr(respc, "grammar", grammar)
    tokenizer = Tokenizer()
    first, second = (CallGrammars("looked_at", {"fields": {}}, tokenizer) for _ in range(2))
    assert begun.wait(60)
    for grammars in (first, second):
        assert grammars.holding([{"name": "a"}], Wanted("required")) is None
    assert looked == [{"default": Tokenizer.chat_template}]
