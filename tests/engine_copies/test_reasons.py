"""Each known reason for a difference from the engines' copies: it is there, and only in the engines that it names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import respc
from support.engine_amendments import REASONS, Reason
from support.engine_copies import Generation, compare
from support.templates import TESTS, own_template

if TYPE_CHECKING:
    from types import ModuleType

    from support.engine_amendments import Copy

PAGE = TESTS.parent / "docs" / "serving_engines.md"


def template_of(**field: Any) -> dict[str, Any]:
    return {"start_anchor": "^", "fields": {"calls": {"open": "<c>", "close": "</c>", **field}}}


def tools_of(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"function": {"name": "f", "parameters": {"properties": {"a": schema}}}}]


def ring(a: int) -> None:
    """Ring.

    Args:
        a: how often.
    """


CALL = {"function": {"name": "f", "arguments": "{content}"}}
TAGS = {"content": "xml-inline", "content_args": {"tag_pattern": r"<(?P<key>\w)>(?P<value>.*?)</\w>"}}
JSON_TAGS = {"tag_pattern": TAGS["content_args"]["tag_pattern"], "value_parser": {"name": "json"}}

CASES: dict[str, tuple[dict[str, Any], list[str], Any]] = {
    "assertions at the edge of the text": (
        {"start_anchor": "^", "fields": {"calls": {"open": "<c>", "close_pattern": r"\.(?=\n?\Z)"}}},
        ["<c>a.\n", "b"],
        None,
    ),
    "groups of closers": (
        {
            "start_anchor": "^",
            "fields": {
                "calls": {
                    "open": "<c>",
                    "close_pattern": r"</c (?P<id>\d)>",
                    "content": "json",
                    "transform": {"id": "{id}", "value": "{content}"},
                }
            },
        },
        ["<c>[]</c 1>"],
        None,
    ),
    "bare keys": (
        template_of(content="json", content_args={"unquoted_keys": True}),
        ["<c>{a : 1}</c>"],
        None,
    ),
    "merged lists": (
        template_of(content="xml-inline", content_args={**JSON_TAGS, "merge_duplicates": True}),
        ["<c><a>[1]</a><a>2</a></c>"],
        None,
    ),
    "deep JSON": (template_of(content="json"), ["<c>" + "[" * 100_000 + "</c>after"], None),
    "python-call-list": (template_of(content="python-call-list"), ["<c>[f(a=1)]</c>"], None),
    "tools that are functions": (
        template_of(**TAGS, transform={"function": {"name": "ring", "arguments": "{content}"}}),
        ["<c><a>1</a></c>"],
        [ring],
    ),
    "casts to unions and long numbers": (
        template_of(**TAGS, transform=CALL),
        ["<c><a>True</a></c>"],
        tools_of({"type": ["boolean", "string"]}),
    ),
    "strings of JSON": (
        template_of(content="json", transform=CALL),
        ['<c>{"a": "1"}</c>'],
        tools_of({"type": ["integer", "string"]}),
    ),
    "marks of chunks": (template_of(content="int"), ["<c>", "1", "</c>"], None),
}


def serving(template: dict[str, Any]) -> ModuleType:
    return respc.load(template, events="serving", stable=False)


@pytest.mark.parametrize("reason", REASONS, ids=str)
def test_reason_is_there_in_its_engines_alone(copy: Copy, reason: Reason) -> None:
    template, chunks, tools = CASES[reason.name]
    generation = Generation(template, "", "".join(chunks), tools)
    found = compare(copy, serving(template), generation, [("chunks", chunks)])
    assert dict(found) == {(reason.name if copy.engine in reason.engines else "the same"): 1}


@pytest.mark.parametrize("digits", ["9007199254740993", "12345678901234567890"])
def test_long_numbers_are_rounded_as_in_transformers(copy: Copy, digits: str) -> None:
    template = template_of(**TAGS, transform=CALL)
    generation = Generation(template, "", f"<c><a>{digits}</a></c>", tools_of({"type": "number"}))
    found = compare(copy, serving(template), generation, [("whole", [generation.text])])
    expected = "casts to unions and long numbers" if copy.engine == "sglang" else "the same"
    assert dict(found) == {expected: 1}


def test_whole_numbers_written_with_a_point_are_integers(copy: Copy) -> None:
    template = template_of(**TAGS, transform=CALL)
    generation = Generation(template, "", "<c><a>3.0</a></c>", tools_of({"type": "integer"}))
    assert dict(compare(copy, serving(template), generation, [("whole", [generation.text])])) == {
        "the same": 1
    }


def test_defaults_are_not_shared(copy: Copy) -> None:
    template = own_template("defaults_meet")
    generation = Generation(template, "", "<c>1</c><c>2</c>", None)
    module = serving(template)
    for _ in range(2):
        assert dict(compare(copy, module, generation, [("whole", [generation.text])])) == {"the same": 1}


def test_a_difference_without_a_reason_is_found(copy: Copy) -> None:
    template = own_template("smollm")
    other = {**template, "fields": {**template["fields"], "content": {"content_args": {"strip": False}}}}
    generation = Generation(template, "", "<think>a</think> b ", None)
    with pytest.raises(AssertionError, match=copy.engine):
        compare(copy, serving(other), generation, [("whole", [generation.text])])


def test_page_names_every_reason() -> None:
    assert set(CASES) == {reason.name for reason in REASONS}
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    for reason in REASONS:
        (row,) = [line for line in rows if line.startswith(f"| {reason.name} |")]
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert ("vLLM" in cells[1]) is ("vllm" in reason.engines)
        assert ("SGLang" in cells[1]) is ("sglang" in reason.engines)
