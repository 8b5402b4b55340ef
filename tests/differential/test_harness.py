"""The harness notices what it must: parsers that differ from the interpreter in one small way each."""

from __future__ import annotations

from random import Random
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from support.chunking import characters, many, random_cuts, single_cuts
from support.oracle import (
    LimitedInterpreter,
    Trace,
    assert_same,
    builtin_class,
    difference_between,
    interpret,
    run_compiled,
)
from support.shrinking import shrink
from support.strictness import first_difference

TEMPLATE: dict[str, Any] = {
    "start_anchor": "A:",
    "fields": {"data": {"open": "<", "close": ">", "content": "json"}, "text": {}},
}
TEXT = 'x<{"a": [1, true], "b": 1.0}>y'


@pytest.mark.parametrize(
    ("expected", "actual"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        (1.0, float("nan")),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": [{"b": 0}]}, {"a": [{"b": False}]}),
        ({1: 0}, {True: 0}),
        ([1], (1,)),
        ([1], [1, 2]),
        ("a", "b"),
        (None, ""),
        ([], None),
    ],
)
def test_differences_that_equality_may_miss(expected: Any, actual: Any) -> None:
    assert first_difference(expected, actual) is not None
    assert first_difference(actual, expected) is not None


def test_same_values_are_the_same() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    nan = {"n": float("nan"), "m": [-0.0, float("-nan")]}
    assert first_difference(nan, {"n": float("nan"), "m": [-0.0, float("nan")]}) is None
    assert first_difference(deep, deep) is None


class Faulty(LimitedInterpreter):
    """The interpreter with one fault, named by ``fault``."""

    fault = "none"

    def __init__(self, prefix: str, *, tools: Any = None) -> None:
        super().__init__(TEMPLATE, prefix, tools=tools)

    def feed(self, text: str) -> Any:
        events = super().feed(text)
        if self.fault == "tuple of events":
            return tuple(events)
        if self.fault == "wrong class":
            raise LookupError("fault")
        if self.fault == "empty chunk":
            events.append({"type": "region_chunk", "field": "text", "text": "", "dirty": False})
        if self.fault == "dirty as int":
            events = [
                {**event, "dirty": int(event["dirty"])} if "dirty" in event else event for event in events
            ]
        if self.fault == "reordered keys":
            events = [dict(reversed(event.items())) for event in events]
        if self.fault == "late change":
            self._last = [*getattr(self, "_last", []), *events]
        return events

    def finalize(self) -> Any:
        message, events = super().finalize()
        if self.fault == "late change":
            self._last[0]["text"] = "changed"
        if self.fault == "dropped close":
            events.pop()
        if self.fault == "float for int":
            message["data"]["a"][0] = 1.0
        if self.fault == "reordered message":
            message = dict(reversed(message.items()))
        if self.fault == "fails at the end":
            raise ValueError("fault")
        return message, events


def run_with(fault: str) -> Trace:
    parser = type("Parser", (Faulty,), {"fault": fault})

    def parse_response(text: str, *, prefix: str, tools: Any) -> dict[str, Any]:
        one = parser(prefix, tools=tools)
        one.feed(text)
        message = one.finalize()[0]
        return {**message, "more": 1} if fault == "other message of the whole text" else message

    module = SimpleNamespace(ResponseParser=parser, parse_response=parse_response)
    return run_compiled(cast("ModuleType", module), "A:p", [TEXT])


def test_no_fault_is_no_difference() -> None:
    assert_same(interpret(TEMPLATE, "A:p", [TEXT]), run_with("none"))


@pytest.mark.parametrize(
    "fault",
    [
        "other message of the whole text",
        "tuple of events",
        "wrong class",
        "empty chunk",
        "dirty as int",
        "reordered keys",
        "late change",
        "dropped close",
        "float for int",
        "reordered message",
        "fails at the end",
    ],
)
def test_every_fault_is_noticed(fault: str) -> None:
    with pytest.raises(AssertionError, match=r"."):
        assert_same(interpret(TEMPLATE, "A:p", [TEXT]), run_with(fault), fault)


def test_a_loop_is_cut_off_and_must_become_an_exception() -> None:
    endless = {"start_anchor": "A", "fields": {"x": {"open_pattern": "(?=b)", "close_pattern": "(?=b)"}}}
    expected = interpret(endless, "", ["a", "bc"])
    assert expected.never_ends
    assert expected.failed_at == "feed 1"
    assert difference_between(expected, Trace([], [[]], error="RuntimeError", failed_at="feed 1")) is None
    assert difference_between(expected, Trace([], [[]], error="KeyError", failed_at="feed 1")) is not None
    assert difference_between(expected, Trace([], [[], []], final_events=[], message={})) is not None


def test_error_is_the_nearest_builtin_class() -> None:
    class TemplateError(Exception): ...

    class TemplateValueError(TemplateError, ValueError): ...

    assert builtin_class(TemplateValueError()) == "ValueError"
    assert builtin_class(TemplateError()) == "Exception"


def test_chunkings_lose_nothing() -> None:
    text = "aé🦊\n<b>" * 5
    chunkings = list(many(text, Random(1)))
    assert len(chunkings) == 2 + 4 + len(text) - 1
    assert {"".join(chunks) for _, chunks in chunkings} == {text}
    assert len(list(single_cuts("ab"))) == 1
    assert characters("ab") == ["a", "b"]
    assert any("" in random_cuts(text, Random(seed)) for seed in range(20))


def test_shrinking_keeps_what_matters() -> None:
    case = {"template": TEMPLATE, "prefix": "long", "chunks": ["aXb", "cYd"], "tools": [1], "passes": []}

    def matters(other: dict[str, Any]) -> bool:
        return "Y" in "".join(other["chunks"]) and "text" in other["template"].get("fields", {})

    small = shrink(case, matters, 30)
    assert small["chunks"] == ["Y"]
    assert small["prefix"] == ""
    assert small["tools"] is None
    assert small["template"]["fields"] == {"text": {}}
