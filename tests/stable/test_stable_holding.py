"""A stable module holds back what could begin a delimiter, and nothing else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from support.families import Family, representatives
from support.holding import unneeded_holds
from support.serving import without_care
from support.stability import after_anchor, stable_module
from support.templates import own_names, own_samples, own_template

RAISING = {"zero-is-no-list"}
"""Samples whose parser raises in the middle."""

STABLE = [name for name in own_names() if stable_module(own_template(name)) is not None]


def holds(template: dict[str, Any], samples: list[dict[str, Any]]) -> dict[str, list[tuple[int, str]]]:
    """Give what is held back without need, by sample."""
    serving = stable_module(template, "serving")
    assert serving is not None
    module = without_care(serving)
    needed: dict[Any, bool] = {}
    found = {
        sample["id"]: unneeded_holds(
            template, module, after_anchor(template, sample["prefix"]) + sample["text"], needed
        )
        for sample in samples
        if sample["id"] not in RAISING
    }
    return {ident: unneeded for ident, unneeded in found.items() if unneeded}


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_families_hold_back_no_more_than_needed(family: Family) -> None:
    assert holds(family.template, family.samples) == {}


@pytest.mark.parametrize("name", STABLE)
def test_own_templates_hold_back_no_more_than_needed(name: str) -> None:
    assert holds(own_template(name), own_samples(name)) == {}


class LateParser:
    """A parser that holds one character more than it needs."""

    def __init__(self, parser: Any) -> None:
        self.parser = parser
        self.last = ""

    def feed(self, text: str) -> Any:
        text = self.last + text
        self.last = text[-1:]
        return self.parser.feed(text[:-1])

    def finalize(self) -> Any:
        events = self.parser.feed(self.last)
        message, more = self.parser.finalize()
        return message, events + more


def test_a_parser_that_holds_one_character_more_is_found() -> None:
    template = own_template("smollm")
    module = stable_module(template, "serving")
    assert module is not None
    late = SimpleNamespace(ResponseParser=lambda prefix: LateParser(module.ResponseParser(prefix)))
    assert unneeded_holds(template, module, "ab<think>", {}) == []
    assert unneeded_holds(template, late, "ab<think>", {}) != []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [("a|b", "a"), ("<a>", "<a>"), ("a[b]*[c]{0,2}", "abcc"), ("aab?c?", "aabc"), ("a.*?b(?:c)?", "axbc")],
)
def test_what_is_whole_and_cannot_grow_is_not_held_back(pattern: str, text: str) -> None:
    template = {"start_anchor": "@", "fields": {"x": {"open_pattern": pattern, "close": ";"}, "y": {}}}
    module = stable_module(template)
    assert module is not None
    parser = module.ResponseParser("")
    events = [event for character in text for event in parser.feed(character)]
    assert {"type": "region_open", "field": "x"} in events
