from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc_runtime.tools import prepare_tools
from support.modules import module_of
from support.oracle import assert_same, interpret, run_compiled
from support.templates import own_names, own_samples, own_template

if TYPE_CHECKING:
    from types import ModuleType

TEMPLATE: dict[str, Any] = {
    "start_anchor": "<A>",
    "fields": {
        "tool_calls": {
            "open": "<call>",
            "close": "</call>",
            "repeats": True,
            "content": "json",
            "transform": {"type": "function", "function": "{content}"},
        }
    },
}
TOOLS: list[Any] = [
    {
        "name": "set_alarm",
        "parameters": {"properties": {"hour": {"type": "integer"}, "label": {"type": "string"}}},
    }
]
TEXT = '<call>{"name": "set_alarm", "arguments": {"hour": "7", "label": "8"}}</call>'
MESSAGE = {
    "tool_calls": [
        {"type": "function", "function": {"name": "set_alarm", "arguments": {"hour": 7, "label": "8"}}}
    ]
}


def modules(template: dict[str, Any]) -> list[ModuleType]:
    """Return the module of a template, and the one that carries a runtime of its own."""
    standalone = respc.compile_template(template, standalone=True, formatted=False).source
    return [respc.load(template), module_of(standalone)]


@pytest.mark.parametrize("name", own_names())
def test_messages_are_those_of_the_tools_themselves(name: str) -> None:
    for module in modules(own_template(name)):
        for row in own_samples(name):
            expected = interpret(own_template(name), row["prefix"], [row["text"]], row["tools"])
            prepared = prepare_tools(row["tools"])
            assert_same(expected, run_compiled(module, row["prefix"], [row["text"]], prepared))


@pytest.mark.parametrize("module", modules(TEMPLATE), ids=["runtime", "standalone"])
def test_they_are_taken_wherever_tools_are(module: ModuleType) -> None:
    prepared = prepare_tools(TOOLS)
    assert module.parse_response(TEXT, prefix="", tools=prepared) == MESSAGE
    assert module.parse_response([TEXT, TEXT], prefix="", tools=prepared) == [MESSAGE, MESSAGE]
    assert respc.parse_response(TEXT, TEMPLATE, prefix="", tools=prepared) == MESSAGE
    parser = respc.ResponseParser(TEMPLATE, "", tools=prepared)
    parser.feed(TEXT)
    assert parser.finalize()[0] == MESSAGE


CAREFUL_TOOLS: list[Any] = [
    {
        "name": "set_alarm",
        "parameters": {
            "$defs": {"Days": {"type": "list", "items": {"type": "int"}}},
            "properties": {"hour": {"type": "int"}, "days": {"$ref": "#/$defs/Days"}},
        },
    }
]
CAREFUL_TEXT = """<call>{"name": "set_alarm", "arguments": {"hour": "7", "days": "['1', 2]"}}</call>"""


def test_they_serve_careful_parsers_and_others() -> None:
    compiled = respc.compile_template(TEMPLATE, standalone=True, events="serving", formatted=False).source
    carried = module_of(compiled)
    module = respc.load(TEMPLATE)
    careful = {"hour": 7, "days": [1, 2]}
    as_written = {"hour": "7", "days": "['1', 2]"}
    for tools in (CAREFUL_TOOLS, prepare_tools(CAREFUL_TOOLS), carried.prepare_tools(CAREFUL_TOOLS)):
        for parser, expected in (
            (module.ResponseParser, as_written),
            (module.ServingParser, careful),
            (carried.ResponseParser, careful),
            (module.ResponseParser, as_written),
        ):
            message = parser("", tools=tools).finish(CAREFUL_TEXT)
            assert message["tool_calls"][0]["function"]["arguments"] == expected
