"""Tools as clients write them: whatever is wrong with them, they are refused with a place, at once."""

from __future__ import annotations

from typing import Any

import pytest

import respc
from respc.grammars import GrammarError

WRONG_VALUES: list[Any] = [
    5, -1, 1.5, float("nan"), float("inf"), 10**30, True, "x", [], ["x"], [5], {}, {"x": 5}, [[]], [{"$ref": "#"}]
]  # fmt: skip
KEYWORDS = [
    "type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref", "properties", "required", "additionalProperties",
    "items", "minItems", "maxItems", "minLength", "maxLength", "pattern", "format", "nullable", "minimum",
    "maximum", "exclusiveMinimum", "exclusiveMaximum", "title", "description", "default", "$defs", "uniqueItems",
    "multipleOf",
]  # fmt: skip
TYPES = ["string", "integer", "number", "array", "object"]
PASSED_OVER = ("title", "description", "default", "format", "$defs", "nullable", "const")


def tool(schema: Any) -> dict[str, Any]:
    return {"name": "ping", "parameters": {"type": "object", "properties": {"a": schema}, "required": ["a"]}}


def refusal_of(schema: Any) -> GrammarError | None:
    try:
        assert respc.grammar("qwen3", [tool(schema)], format="gbnf")
    except GrammarError as refused:
        return refused
    return None


def nested(schema: Any, depth: int, **more: Any) -> Any:
    for _ in range(depth):
        schema = {"type": "array", "items": schema, **more}
    return schema


@pytest.mark.parametrize("keyword", KEYWORDS)
def test_a_wrong_value_of_a_keyword_is_a_grammar_error_or_nothing(keyword: str) -> None:
    refusals = [refusal_of({"type": kind, keyword: value}) for kind in TYPES for value in WRONG_VALUES]
    refusals += [refusal_of({keyword: value}) for value in WRONG_VALUES]
    told = [each for each in refusals if each is not None]
    assert told or keyword in PASSED_OVER
    # A schema that needs itself has no place where it ends.
    assert [
        str(each) for each in told if not each.path.startswith("/0") and "nested" not in each.reason
    ] == []


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "minItems": 10**9},
        {"type": "string", "minLength": 10**9},
        nested({"type": "integer"}, 8, minItems=1_000),
        nested({"type": "string", "minLength": 9_000}, 2, minItems=100),
        nested({"type": "integer"}, 20_000),
    ],
    ids=["items", "characters", "items in items", "characters in items", "depth"],
)
def test_what_no_memory_holds_is_refused(schema: Any) -> None:
    with pytest.raises(GrammarError):
        respc.grammar("qwen3", [tool(schema)])


@pytest.mark.parametrize("tools", ["ping", {"name": "ping"}, None, 5], ids=repr)
def test_what_is_no_list_of_tools_is_a_type_error(tools: Any) -> None:
    with pytest.raises(TypeError, match=f"tools must be a list of tools, not {type(tools).__name__}"):
        respc.grammar("qwen3", tools)


def test_a_tool_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(GrammarError, match="there is no tool 'pong' to call, but 'ping'"):
        respc.grammar("qwen3", [tool({"type": "string"})], choice="pong")
