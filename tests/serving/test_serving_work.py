"""What the care of serving parsers costs where nothing is in doubt, in calls of functions: those can be counted."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_AT_BORDERS = 1.5
"""So many calls, at most, cost the borders of a region over those of the default parser."""

MOST_INSIDE = 4
"""So many times the calls of the default parser, at most, cost chunks in a body whose end has to be read from it."""

REGIONS: dict[str, tuple[str, ...]] = {
    "smollm3": ("<tool_call>", "\n", '{"name": "f", "arguments": {}}', "\n", "</tool_call>", "\n"),
    "qwen3_5": (
        "<tool_call>\n<function=f>\n",
        "<parameter=a>\n1\n</parameter>\n",
        "</function>\n</tool_call>",
    ),
    "deepseek_v3": (
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>",
        "f\n```json\n",
        "{}",
        "\n```<｜tool▁call▁end｜>",
        "<｜tool▁calls▁end｜>",
    ),
    "gpt_oss": ("<|channel|>analysis<|message|>", "ab", "<|end|>", "<|start|>assistant"),
}


def calls_of(work: Callable[[], object]) -> int:
    """Count the functions that are called, once all that is made on first use is there."""
    work()
    count = 0

    def note(frame: object, event: str, argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def streamed(parser: Any, chunks: Sequence[str]) -> Callable[[], object]:
    def work() -> object:
        stream = parser("")
        for chunk in chunks:
            stream.feed(chunk)
        return stream.finalize()

    return work


def streamed_open(parser: Any, chunks: Sequence[str]) -> Callable[[], object]:
    def work() -> object:
        stream = parser("")
        return [stream.feed(chunk) for chunk in chunks]

    return work


@pytest.mark.parametrize("family", REGIONS)
def test_the_borders_of_a_region_cost_little_more_than_in_the_default_parser(family: str) -> None:
    module, chunks = import_module(f"respc_parsers.{family}"), REGIONS[family]
    default, careful = (
        calls_of(streamed(parser, chunks * 6)) - calls_of(streamed(parser, chunks * 5))
        for parser in (module.ResponseParser, module.ServingParser)
    )
    assert default > len(chunks)
    assert careful <= MOST_AT_BORDERS * default


@pytest.mark.parametrize("text", [" word", " <b", " </b"])
def test_text_costs_what_it_costs_in_the_default_parser(text: str) -> None:
    module = import_module("respc_parsers.smollm3")
    begun = ["<think>", "\n", "I see."]
    default, careful = (
        calls_of(streamed(parser, [*begun, *[text] * 300]))
        - calls_of(streamed(parser, [*begun, *[text] * 200]))
        for parser in (module.ResponseParser, module.ServingParser)
    )
    assert default > 100
    assert careful == default


@pytest.mark.parametrize("text", [" word", " 1, [2],"])
def test_chunks_inside_a_body_that_a_line_of_text_ends_are_looked_at_once(text: str) -> None:
    module = import_module("respc_parsers.mistral_v3")
    begun = ["[TOOL_CALLS]", ' [{"a": "' if text == " word" else ' [{"a": [']
    default, careful = (
        calls_of(streamed_open(parser, [*begun, *[text] * 300]))
        - calls_of(streamed_open(parser, [*begun, *[text] * 200]))
        for parser in (module.ResponseParser, module.ServingParser)
    )
    assert default > 100
    brackets = text.count("[") + text.count("]")
    assert careful <= (MOST_INSIDE + brackets) * default


@pytest.mark.parametrize("family", ["smollm3", "mistral_v3", "granite3_3"])
def test_a_whole_text_without_doubt_is_read_once(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where a line of text could end a call: whether one does is seen in the body."""
    module = import_module(f"respc_parsers.{family}")
    call = '{"name": "f", "arguments": {"a": 1}}'
    text = {
        "smollm3": f"<tool_call>\n{call}\n</tool_call>",
        "mistral_v3": f"[TOOL_CALLS][{call}]",
        "granite3_3": f"<|tool_call|>[{call}]",
    }[family]

    def in_doubt(stream: Any, text: str, match: Any, at_end: bool) -> Any:
        raise AssertionError(f"{text!r} is read with events")

    monkeypatch.setattr(module.ServingParser, "_regions", in_doubt)
    (read,) = module.ServingParser("").finish(text)["tool_calls"]
    assert read["function"]["name"] == "f"
