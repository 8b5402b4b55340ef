from __future__ import annotations

import pickle
import subprocess
import sys
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.response_parser import ResponseParser

from respc_runtime.errors import ToolSchemaError
from respc_runtime.tools import PreparedTools, cast_arguments, prepare_tools, tool_parameters
from support.outcomes import Raised, assert_same_outcome, outcome

TEMPLATE = {"start_anchor": "<a>", "fields": {"content": {}}}

TYPE_NAMES = ["integer", "number", "boolean", "null", "object", "array", "string", "any", ""]
TEXTS = [
    "7", " 7 ", "-7", "7.0", "7.5", "1e3", "1.0e3", "1e999", "nan", "inf", "-inf", "4_2", "٣", "0x10",
    "9" * 5000, "true", " TRUE ", "1", "0", "False", "yes", "null", " None ", "NULL", "none", "{}",
    '{"a": 1}', "[]", "[1, 2]", "[NaN]", '"text"', "text", "", " ", "\ud800", "-0", "-0.0", "1" * 30,
    "9007199254740993.0", "12345678901234567890.5",
]  # fmt: skip

odd_values = st.sampled_from(
    [None, 5, "abc", ["integer"], {"type": "integer"}, True, 0, "", [], {}, [None, 3]]
)
type_names = st.sampled_from(TYPE_NAMES)
schemas = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={"type": type_names | st.lists(type_names, max_size=3) | odd_values, "nullable": odd_values},
    )
    | type_names.map(lambda name: {"type": name}),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "anyOf": st.lists(inner, max_size=3) | st.lists(inner, max_size=3) | odd_values,
            "oneOf": st.lists(inner, max_size=3) | odd_values,
            "type": type_names,
            "nullable": st.booleans(),
        },
    ),
    max_leaves=4,
)
names = st.sampled_from(["f", "g"])
keys = st.sampled_from(["a", "b", "c"])
properties = st.dictionaries(keys, schemas | schemas | odd_values, max_size=3)
declarations = st.fixed_dictionaries(
    {"name": names | names | odd_values, "parameters": st.fixed_dictionaries({"properties": properties})},
) | st.fixed_dictionaries(
    {},
    optional={
        "name": names,
        "parameters": odd_values
        | st.fixed_dictionaries({}, optional={"properties": properties | odd_values}),
    },
)
tools = st.lists(
    declarations.map(lambda declaration: {"type": "function", "function": declaration})
    | declarations
    | odd_values
    | odd_values.map(lambda value: {"name": "f", "function": value}),
    max_size=3,
)
named_tools = tools.map(lambda given_tools: [tool for tool in given_tools if has_name(tool)])
texts = st.sampled_from(TEXTS)
argument_values = (
    texts | st.lists(texts | odd_values, max_size=3) | odd_values | st.dictionaries(keys, texts, max_size=1)
)
arguments = st.dictionaries(keys, argument_values, max_size=3)
calls = st.fixed_dictionaries({"function": st.fixed_dictionaries({"name": names, "arguments": arguments})})
values = st.recursive(
    calls
    | st.fixed_dictionaries({"function": odd_values})
    | st.fixed_dictionaries(
        {"function": st.fixed_dictionaries({"name": odd_values, "arguments": odd_values})}
    )
    | odd_values,
    lambda inner: st.lists(inner | calls, max_size=3),
    max_leaves=4,
)


def has_name(tool: Any) -> bool:
    declared = tool.get("function", tool) if isinstance(tool, dict) else None
    return isinstance(declared, dict) and isinstance(declared.get("name"), str)


def interpreted_parameters(given_tools: Any) -> Any:
    return ResponseParser(TEMPLATE, "", tools=given_tools)._tool_params


def interpreted_cast(value: Any, given_tools: Any) -> Any:
    parser = ResponseParser(TEMPLATE, "", tools=given_tools)
    return parser._coerce_tool_calls(value) if parser._tool_params else value


def cast(value: Any, given_tools: Any) -> Any:
    return cast_arguments(value, tool_parameters(given_tools))


def cast_as_prepared(value: Any, prepared: PreparedTools) -> Any:
    return cast_arguments(value, tool_parameters(prepared))


def tool_with(schema: Any) -> list[Any]:
    return [{"name": "f", "parameters": {"properties": {"a": schema}}}]


def call_with(argument: Any) -> dict[str, Any]:
    return {"type": "function", "function": {"name": "f", "arguments": {"a": argument}}}


@given(tools)
def test_what_is_refused_has_no_effect_in_the_interpreter(given_tools: Any):
    for tool in given_tools:
        try:
            read = tool_parameters([tool])
        except (TypeError, ToolSchemaError):
            read = {}
        assert interpreted_parameters([tool]) == read


@given(named_tools)
def test_parameters_are_the_interpreters(given_tools: Any):
    assert_same_outcome(outcome(interpreted_parameters, given_tools), outcome(tool_parameters, given_tools))


@given(named_tools, values)
def test_casts_are_the_interpreters(given_tools: Any, value: Any):
    expected = outcome(interpreted_cast, deepcopy(value), given_tools)
    assert_same_outcome(expected, outcome(cast, deepcopy(value), given_tools))


@given(schemas | odd_values, argument_values)
def test_casts_by_one_schema_are_the_interpreters(schema: Any, argument: Any):
    expected = outcome(interpreted_cast, call_with(argument), tool_with(schema))
    assert_same_outcome(expected, outcome(cast, call_with(argument), tool_with(schema)))


@pytest.mark.parametrize("type_name", TYPE_NAMES)
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:12])
def test_each_text_as_each_type(text: str, type_name: str):
    schema = {"type": type_name}
    expected = outcome(interpreted_cast, call_with([text, 3]), tool_with(schema))
    assert_same_outcome(expected, outcome(cast, call_with([text, 3]), tool_with(schema)))
    expected = outcome(interpreted_cast, call_with(text), tool_with(schema))
    assert_same_outcome(expected, outcome(cast, call_with(text), tool_with(schema)))


def test_the_documented_casts():
    parameters = tool_parameters(
        [
            {
                "type": "function",
                "function": {
                    "name": "set_alarm",
                    "parameters": {
                        "type": "object",
                        "properties": {
                            "hour": {"type": "integer"},
                            "enabled": {"type": "boolean"},
                            "label": {"type": "string"},
                            "snooze": {"type": "integer", "nullable": True},
                            "days": {"type": "integer"},
                        },
                    },
                },
            }
        ]
    )
    arguments = {
        "hour": "7",
        "enabled": "true",
        "label": "7",
        "snooze": "null",
        "days": ["1", "2.0"],
        "other": "3",
    }
    call = {"type": "function", "function": {"name": "set_alarm", "arguments": arguments}}
    assert cast_arguments(call, parameters) is call
    assert_same_outcome(
        {"hour": 7, "enabled": True, "label": "7", "snooze": None, "days": [1, 2], "other": "3"}, arguments
    )


def test_a_list_of_calls_is_a_new_list_of_the_same_calls():
    call = call_with("7")
    given_calls = [call]
    cast_calls = cast(given_calls, tool_with({"type": "integer"}))
    assert cast_calls is not given_calls
    assert cast_calls[0] is call
    assert call == call_with(7)


def test_nothing_is_touched_without_tools():
    calls_of_a_message = [call_with("7")]
    assert cast_arguments(calls_of_a_message, tool_parameters(None)) is calls_of_a_message


def test_schemas_are_not_copied():
    schema: dict[str, Any] = {"type": "string"}
    given_tools = tool_with(schema)
    parameters = tool_parameters(given_tools)
    assert isinstance(parameters, dict)
    assert parameters["f"] is given_tools[0]["parameters"]["properties"]
    schema["type"] = "integer"
    assert cast_arguments(call_with("7"), parameters) == call_with(7)


def test_an_odd_schema_is_refused_only_when_its_argument_comes():
    parameters = tool_parameters(tool_with({"anyOf": 5}))
    other = {"function": {"name": "f", "arguments": {"b": "7"}}}
    assert cast_arguments(other, parameters) is other
    assert outcome(cast_arguments, call_with(7), parameters) == Raised("TypeError")
    assert outcome(interpreted_cast, call_with(7), tool_with({"anyOf": 5})) == Raised("TypeError")


@pytest.mark.parametrize("text", ["7.0", "null", "7.5"])
def test_the_order_of_types(text: str):
    schema = {"oneOf": [{"type": "number"}], "anyOf": [{"type": ["null", "integer"], "nullable": True}]}
    expected = interpreted_cast(call_with(text), tool_with(schema))
    assert_same_outcome(expected, cast(call_with(text), tool_with(schema)))


def test_a_list_nested_too_deep():
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert outcome(cast, deep, tool_with({})) == outcome(interpreted_cast, deep, tool_with({}))


def refuses_a_call(given_tools: Any) -> bool:
    """Whether a call of some tool, with all of its parameters, is refused by the interpreter."""
    declared = [tool.get("function", tool) for tool in given_tools if isinstance(tool, dict)]
    names = {
        each["name"] for each in declared if isinstance(each, dict) and isinstance(each.get("name"), str)
    }
    return any(
        isinstance(
            outcome(
                interpreted_cast,
                {"function": {"name": name, "arguments": dict.fromkeys("abc", 7)}},
                given_tools,
            ),
            Raised,
        )
        for name in names
    )


@given(named_tools, values)
def test_prepared_tools_cast_as_the_interpreter(given_tools: Any, value: Any):
    prepared = outcome(prepare_tools, given_tools)
    if isinstance(prepared, Raised):
        assert prepared == Raised("TypeError")
        assert refuses_a_call(given_tools)
    else:
        assert not refuses_a_call(given_tools)
        expected = outcome(interpreted_cast, deepcopy(value), given_tools)
        assert_same_outcome(expected, outcome(cast_as_prepared, deepcopy(value), prepared))


@pytest.mark.parametrize("type_name", TYPE_NAMES)
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:12])
def test_each_text_as_each_prepared_type(text: str, type_name: str):
    schema = {"type": type_name, "nullable": True}
    prepared = prepare_tools(tool_with(schema))
    for argument in ([text, 3], text):
        expected = interpreted_cast(call_with(argument), tool_with(schema))
        assert_same_outcome(expected, cast_as_prepared(call_with(argument), prepared))


def test_prepared_tools_are_a_snapshot():
    schema: dict[str, Any] = {"anyOf": [{"type": ["boolean", "integer"]}]}
    given_tools = tool_with(schema)
    prepared = prepare_tools(given_tools)
    schema["anyOf"][0]["type"][1] = "number"
    schema["anyOf"].append({"type": "null"})
    given_tools[0]["parameters"]["properties"].clear()
    given_tools.clear()
    assert cast_as_prepared(call_with("7"), prepared) == call_with(7)
    assert cast_as_prepared(call_with("null"), prepared) == call_with("null")


def test_prepared_tools_are_not_read_again():
    prepared = prepare_tools(tool_with({"type": "integer"}))
    assert tool_parameters(prepared) is prepared
    assert prepare_tools(prepared) is prepared


@pytest.mark.parametrize("nothing", [None, [], (), iter(()), [{"type": "web_search"}]])
def test_no_tools_prepared(nothing: Any):
    prepared = prepare_tools(nothing)
    assert not prepared
    assert not tool_parameters(prepared)
    call = call_with("7")
    assert cast_arguments(call, prepared) is call
    assert call == call_with("7")


@pytest.mark.parametrize("union", ["anyOf", "oneOf"])
def test_the_preparation_names_what_has_an_odd_schema(union: str):
    schema = {"anyOf": [{"type": "integer"}, {union: 5}]}
    with pytest.raises(
        TypeError, match=r"^the tool 'f' declares its parameter 'a' with an 'anyOf' or 'oneOf'"
    ):
        prepare_tools(tool_with(schema))


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_prepared_tools_can_be_pickled(protocol: int):
    prepared = prepare_tools(tool_with({"type": "integer"}))
    for copied in (pickle.loads(pickle.dumps(prepared, protocol)), deepcopy(prepared)):
        assert cast_as_prepared(call_with("7"), copied) == call_with(7)


def test_prepared_tools_name_themselves():
    given_tools = [{"type": "function", "function": {"name": name}} for name in ("get_weather", "set_alarm")]
    prepared = prepare_tools(given_tools)
    assert repr(prepared) == "PreparedTools(get_weather, set_alarm)"
    assert len(prepared) == 2


class Clock:
    def set_alarm(self, hour: int) -> None:
        """Set an alarm.

        Args:
            hour: when it rings
        """


@pytest.mark.parametrize("tool", [Clock.set_alarm, Clock().set_alarm])
def test_functions_and_methods_are_tools(tool: Any):
    assert tool_parameters([tool]) == {"set_alarm": {"hour": {"type": "integer"}}}
    assert prepare_tools([tool]).argument_types == {"set_alarm": {"hour": ("integer",)}}


@pytest.mark.parametrize(
    "tool", [print, len, int, Clock, Clock(), object(), "name", 5, None, [], [{"name": "f"}]]
)
def test_what_is_no_tool_is_refused_and_passed_over_by_the_interpreter(tool: Any):
    assert interpreted_parameters([tool]) == {}
    with pytest.raises(TypeError, match=r"^tools\[0\] is of type "):
        tool_parameters([tool])


def test_the_module_is_light():
    script = "import sys, respc_runtime.tools; print('inspect' in sys.modules, 'regex' in sys.modules)"
    result = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
