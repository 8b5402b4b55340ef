"""Grammars for engines: what the first request with tools waits for is begun before it."""

from __future__ import annotations

from queue import Queue
from threading import Event, Thread
from typing import Any

import pytest

import respc
from respc.integrations.engine_grammars import CallGrammars, Wanted


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


@pytest.mark.parametrize("chat_template", [None, "{{ 'no calls are written' }}"])
def test_what_is_known_without_a_chat_template_is_found_out_before_the_first_request(
    monkeypatch: pytest.MonkeyPatch, chat_template: str | None
) -> None:
    asked: Queue[Any] = Queue()

    def grammar(_template: Any, tools: list[dict[str, Any]], **options: Any) -> str:
        source = options.get("chat_template")
        asked.put(None if source is None else source.texts)
        raise respc.GrammarError("grammar-spelling", f"none for {len(tools)} tools")

    monkeypatch.setattr(respc, "grammar", grammar)
    tokenizer = Tokenizer()
    monkeypatch.setattr(tokenizer, "chat_template", chat_template, raising=False)
    CallGrammars(f"known, {chat_template}", {"fields": {"of": chat_template}}, tokenizer)
    told = [asked.get(timeout=60) for _ in range(1 if chat_template is None else 2)]
    assert told == ([] if chat_template is None else [{"default": chat_template}]) + [None]


def test_a_format_does_not_wait_for_the_chat_template_of_another(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, let_go = Event(), Event()

    def grammar(_template: Any, _tools: list[dict[str, Any]], **options: Any) -> str:
        if options["chat_template"].texts["default"] == "slow":
            begun.set()
            assert let_go.wait(60)
        return "{}"

    monkeypatch.setattr(respc, "grammar", grammar)
    slow, quick = Tokenizer(), Tokenizer()
    monkeypatch.setattr(slow, "chat_template", "slow", raising=False)
    monkeypatch.setattr(quick, "chat_template", "quick", raising=False)
    CallGrammars("slow", {"fields": {"of": "slow"}}, slow)
    assert begun.wait(60)
    answers: Queue[Any] = Queue()
    grammars = CallGrammars("quick", {"fields": {"of": "quick"}}, quick)
    Thread(target=lambda: answers.put(grammars.holding([], Wanted("required"))), daemon=True).start()
    try:
        assert answers.get(timeout=60).tag == "{}"
    finally:
        let_go.set()
