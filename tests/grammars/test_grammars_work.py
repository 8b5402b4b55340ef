"""What a request costs: counted in calls of functions and runs of the parser, which say the same on every machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc.grammars import GrammarError, formats
from respc.grammars.nodes import FreeText, Literal, Sequence, factored
from respc.grammars.proving import NotProvedError, read_back
from support.grammar_families import formats as families

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from respc.grammars.api import GrammarFormat

TOOLS = 20
MOST_CALLS_PER_TOOL = 650
TEMPLATE = "qwen3"


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


def new_tools(label: str) -> list[dict[str, Any]]:
    """Describe tools with five arguments, one of them an object."""
    tools: list[dict[str, Any]] = []
    for number in range(TOOLS):
        end = f"{label}_{number}"
        made = tool(
            f"find_{end}",
            **{
                f"query_{end}": {"type": "string", "description": "What to look for."},
                f"most_{end}": {"type": "integer", "minimum": 1, "maximum": 50},
                f"order_{end}": {"enum": ["newest", "oldest", end]},
                f"archived_{end}": {"type": "boolean"},
                f"filters_{end}": {
                    "type": "object",
                    "properties": {
                        f"tags_{end}": {"type": "array", "items": {"type": "string"}},
                        f"author_{end}": {"type": ["string", "null"]},
                    },
                    "required": [f"author_{end}"],
                },
            },
        )
        made["parameters"]["required"] = [f"query_{end}", f"most_{end}"]
        tools.append(made)
    return tools


def calls_in(run: Callable[[], object]) -> int:
    """Count the Python functions that are called."""
    count = 0

    def counting(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counting)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


def parser_runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the texts that are parsed to prove tools."""
    texts: list[str] = []

    def counted(parser: Any, text: str, *more: Any) -> None:
        texts.append(text)
        read_back(parser, text, *more)

    monkeypatch.setattr(formats, "read_back", counted)
    return texts


@pytest.mark.parametrize("form", ["xgrammar", "llguidance", "gbnf"])
def test_a_new_tool_takes_so_many_calls_of_functions(form: GrammarFormat) -> None:
    respc.grammar(TEMPLATE, new_tools(f"warm_{form}"), format=form)
    new = new_tools(f"new_{form}")
    made = calls_in(lambda: respc.grammar(TEMPLATE, new, format=form))
    seen = calls_in(lambda: respc.grammar(TEMPLATE, new[::-1], format=form))
    assert made - seen < MOST_CALLS_PER_TOOL * TOOLS
    assert seen < made / 5


def test_the_calls_of_new_tools_are_parsed_at_once_and_seen_ones_never(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    texts = parser_runs(monkeypatch)
    new = new_tools("parsed")
    respc.grammar(TEMPLATE, new, format="gbnf")
    (text,) = texts
    assert [text.count(f'"find_parsed_{number}"') for number in range(TOOLS)] == [2] * TOOLS
    respc.grammar(TEMPLATE, new[::-1], format="gbnf")
    assert texts == [text]


def test_each_call_is_parsed_alone_where_a_message_has_one(monkeypatch: pytest.MonkeyPatch) -> None:
    (family,) = [each for each in families() if each.name == "gpt_oss"]
    respc.grammar(family.template, new_tools("first"), format="gbnf")
    texts = parser_runs(monkeypatch)
    respc.grammar(family.template, new_tools("alone"), format="gbnf")
    assert len(texts) == 2 * TOOLS


def test_tools_of_one_name_are_not_tried_together(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = parser_runs(monkeypatch)
    same = [tool("twice", a={"type": "string"}), tool("other"), tool("twice", a={"type": "integer"})]
    respc.grammar(TEMPLATE, same, format="gbnf")
    assert [text.count('"twice"') for text in texts] == [2, 2]


def test_the_tool_that_does_not_come_back_is_named_and_the_others_are_not_to_blame(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def losing(parser: Any, text: str, *more: Any) -> None:
        if "lost" in text:
            raise NotProvedError("it is lost")
        read_back(parser, text, *more)

    tools = [tool("kept_1"), tool("lost", a={"type": "string"}), tool("kept_2")]
    monkeypatch.setattr(formats, "read_back", losing)
    with pytest.raises(GrammarError, match="a call of `lost` does not come back: it is lost") as refused:
        respc.grammar(TEMPLATE, tools, format="gbnf")
    assert refused.value.path == "/1/parameters"
    assert "lost" not in respc.grammar(TEMPLATE, [tools[0], tools[2]], format="gbnf")


def properties(count: int) -> dict[str, Any]:
    return {f"p{number}": {"type": "integer"} for number in range(count)}


def required(count: int, *numbers: int) -> dict[str, Any]:
    names = [f"p{number}" for number in numbers]
    return {"type": "object", "properties": properties(count), "required": names}


def of_kind(kind: str) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"const": kind}, "size": {}}, "required": ["kind"]}


def nested(count: int, around: Callable[[Any], Any]) -> Any:
    schema: Any = {"type": "integer"}
    for _ in range(count // 20):
        schema = around(schema)
    return schema


SHAPES: dict[str, Callable[[int], Any]] = {
    "properties that may be missing": lambda count: required(count),
    "the first is required": lambda count: required(count, 0),
    "the last is required": lambda count: required(count, count - 1),
    "all are required": lambda count: required(count, *range(count)),
    "objects in a list": lambda count: {"type": "array", "items": required(count)},
    "values": lambda count: {"enum": [f"v{number}" for number in range(count)]},
    "schemas": lambda count: {"anyOf": [{"const": f"v{number}"} for number in range(count)]},
    "schemas that are apart": lambda count: {"oneOf": [{"const": f"v{number}"} for number in range(count)]},
    "objects that are apart": lambda count: {"oneOf": [of_kind(f"v{number}") for number in range(count)]},
    "first items": lambda count: {"type": "array", "prefixItems": [{"type": "integer"}] * count},
    "first items that are required": lambda count: {
        "type": "array",
        "prefixItems": [{"type": "integer"}] * count,
        "minItems": count,
    },
    "lists in lists": lambda count: nested(count, lambda inner: {"type": "array", "items": inner}),
    "objects in objects": lambda count: nested(
        count, lambda inner: {"type": "object", "properties": {"a": {"type": "null"}, "b": inner}}
    ),
    "further properties": lambda count: nested(
        count, lambda inner: {"type": "object", "additionalProperties": inner}
    ),
}


@pytest.mark.parametrize("form", ["xgrammar", "llguidance", "gbnf"])
@pytest.mark.parametrize("shape", SHAPES)
def test_twice_as_large_a_schema_takes_twice_the_work(shape: str, form: GrammarFormat) -> None:
    def work(count: int) -> tuple[int, int]:
        given = [tool("large", a=SHAPES[shape](count))]
        written: list[str] = []
        calls = calls_in(lambda: written.append(respc.grammar(TEMPLATE, given, format=form)))
        return calls, len(written[0])

    work(20)
    once, twice = work(1_000), work(2_000)
    assert twice[0] < 2.3 * once[0]
    assert twice[1] < 2.3 * once[1]


def test_branches_keep_their_order_whatever_the_seed_of_hashes_is() -> None:
    branches = [
        Sequence((Literal(head), FreeText("any", end))) for end, head in (("ab", "<x>"), ("cd", "<y>"))
    ]
    doubled = [*branches, *(Sequence((each.items[0], Literal("!"))) for each in branches)]
    orders = [str(factored(*listed)) for listed in (doubled, doubled[::-1])]
    assert len({written.index("<x>") < written.index("<y>") for written in orders}) == len(orders)
