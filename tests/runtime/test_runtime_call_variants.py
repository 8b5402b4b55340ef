"""Bodies of calls in other forms than the template's: what is read of them, and what is not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from respc_runtime.call_lists import parse_call_list
from respc_runtime.call_variants import other_body
from respc_runtime.loose_calls import other_call_list, with_quoted_words
from respc_runtime.string_closers import JSON_QUOTES

if TYPE_CHECKING:
    from respc_runtime.forms import CallForm

ONE: CallForm = {
    "name": ("content", "name"),
    "id": None,
    "arguments": ("content", "arguments"),
    "each": False,
}
EACH: CallForm = {
    "name": ("content", "tool_name"),
    "id": ("content", "tool_call_id"),
    "arguments": ("content", "parameters"),
    "each": True,
}
NAMED: CallForm = {"name": ("captures", "name"), "id": None, "arguments": ("content",), "each": False}


def amended(body: str, form: CallForm) -> Any:
    found = other_body(body, form, JSON_QUOTES)
    return None if found is None else json.loads(found)


@pytest.mark.parametrize(
    ("body", "arguments"),
    [
        ('{"name": "f", "parameters": {"a": 1}}', {"a": 1}),
        ('{"name": "f"}', {}),
        ('{"name": "f", "arguments": null}', {}),
        ('{"type": "function", "function": {"name": "f", "arguments": {"a": 1}}}', {"a": 1}),
    ],
)
def test_one_call(body: str, arguments: dict[str, Any]) -> None:
    found = amended(body, ONE)
    assert (found["name"], found["arguments"]) == ("f", arguments)


@pytest.mark.parametrize(
    "body",
    [
        '{"arguments": {}}',
        '{"name": "", "arguments": {}}',
        '{"name": 1}',
        '{"name": "f", "city": "Oslo"}',
        "[]",
        "1",
        "no JSON",
        '{"name": "f"',
        "",
        "[" * 100_000,
    ],
)
def test_what_means_no_call_is_none(body: str) -> None:
    assert amended(body, ONE) is None


def test_calls_of_a_list() -> None:
    assert amended('{"tool_name": "f", "parameters": {"a": 1}}', EACH) == [
        {"tool_name": "f", "parameters": {"a": 1}, "tool_call_id": None}
    ]
    both = amended('[{"name": "f"}, {"tool_name": "g", "arguments": {"b": 2}, "tool_call_id": "7"}]', EACH)
    assert [(call["tool_name"], call["parameters"], call["tool_call_id"]) for call in both] == [
        ("f", {}, None),
        ("g", {"b": 2}, "7"),
    ]
    assert amended('[{"name": "f"}, 1]', EACH) is None


def test_nothing_but_blanks_are_no_arguments() -> None:
    assert other_body(" \n", NAMED, JSON_QUOTES) == "{}"
    assert other_body(" \n", ONE, JSON_QUOTES) is None


@pytest.mark.parametrize(
    ("body", "calls"),
    [
        ('[{"name": "f", "arguments": {"a": [1, null]}}]', [("f", {"a": [1, None]})]),
        ('{"name": "f", "parameters": {"a": "é"}}', [("f", {"a": "é"})]),
        ("[f(a='one\ntwo')]", [("f", {"a": "one\ntwo"})]),
        ("[f(a='it's here', b=1)]", [("f", {"a": "it's here", "b": 1})]),
        (r'[f(a="\d+\n")]', [("f", {"a": "\\d+\n"})]),
        ("[f(a={'x', 'y'}), g()]", [("f", {"a": ["x", "y"]}), ("g", {})]),
        ("[f(a=007, b=-03)]", [("f", {"a": 7, "b": -3})]),
        ("f(a=1)", [("f", {"a": 1})]),
    ],
)
def test_loose_calls_as_in_python(body: str, calls: list[tuple[str, dict[str, Any]]]) -> None:
    written = other_call_list(body)
    assert written is not None
    assert [(call["name"], call["arguments"]) for call in parse_call_list(written)] == calls


@pytest.mark.parametrize(
    "body", ["[f(1)]", "[f(a='x)]", "text", "[]", "[f(a=1, a=2)]", "[f(a=1)] and", "[1]"]
)
def test_what_is_no_list_of_calls_is_none(body: str) -> None:
    assert other_call_list(body) is None


@pytest.mark.parametrize("part", ["f(a='x', ", "a='", "f(", "(((", "'x', a=", "  ", "[f(a={'x'}), "])
def test_loose_calls_take_linear_time(part: str) -> None:
    other_call_list("[" + part * 20_000)


def test_bare_words_of_a_dialect() -> None:
    quotes = (("<|", "|>"),)
    assert with_quoted_words(
        "{a: rye bread, b: true, c: 1}", quotes
    ) == "{a: rye bread, b: true, c: 1}".replace(" rye bread", "<|rye bread|>")
    same = (("~", "~"),)
    assert with_quoted_words("{a:rye,b:~x:y,z~,c:{d:oat}}", same) == "{a:~rye~,b:~x:y,z~,c:{d:~oat~}}"
