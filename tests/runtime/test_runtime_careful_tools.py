"""The cast of arguments in careful parsers: the interpreter's where this reads a text, and wider where it does not."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from copy import deepcopy
from typing import Any, ClassVar

import pytest
from hypothesis import given

from respc_runtime.argument_text import cast_rules
from respc_runtime.careful_tools import careful_parameters
from respc_runtime.tools import PreparedTools, cast_arguments, prepare_tools, tool_parameters
from runtime.test_runtime_tools import (
    TEXTS,
    TYPE_NAMES,
    argument_values,
    call_with,
    interpreted_cast,
    named_tools,
    odd_values,
    schemas,
    tool_with,
    values,
)
from support.outcomes import Raised, assert_same_outcome, outcome

INTEGER = {"type": "integer"}


def careful(value: Any, given_tools: Any) -> Any:
    return cast_arguments(value, careful_parameters(given_tools))


def cast_of(argument: Any, schema: Any, **root: Any) -> Any:
    """Cast an argument in a careful parser, by the tools and by prepared ones, and give what both give."""
    given_tools = [{"name": "f", "parameters": {**root, "properties": {"a": schema}}}]
    found = careful(call_with(deepcopy(argument)), given_tools)
    assert_same_outcome(found, careful(call_with(deepcopy(argument)), prepare_tools(given_tools)))
    return found["function"]["arguments"]["a"]


def assert_cast(expected: Any, argument: Any, schema: Any, **root: Any) -> None:
    assert_same_outcome(expected, cast_of(argument, schema, **root))


def assert_left_by_the_default(argument: Any, schema: Any, **root: Any) -> None:
    """The default parser does with it what the interpreter does: nothing."""
    given_tools = [{"name": "f", "parameters": {**root, "properties": {"a": schema}}}]
    for parameters in (tool_parameters(given_tools), tool_parameters(prepare_tools(given_tools))):
        assert_same_outcome(call_with(argument), cast_arguments(call_with(argument), parameters))
    assert_same_outcome(call_with(argument), interpreted_cast(call_with(argument), given_tools))


@given(named_tools, values)
def test_what_the_interpreter_casts_is_cast_as_by_it(given_tools: Any, value: Any):
    expected = outcome(interpreted_cast, deepcopy(value), given_tools)
    found = outcome(careful, deepcopy(value), given_tools)
    # Text alone needs a schema: one that cannot be read is no matter for others.
    if not isinstance(expected, Raised):
        assert_same_outcome(expected, found)


@given(schemas | odd_values, argument_values)
def test_what_the_interpreter_casts_by_one_schema_is_cast_as_by_it(schema: Any, argument: Any):
    expected = outcome(interpreted_cast, call_with(argument), tool_with(schema))
    if not isinstance(expected, Raised):
        assert_same_outcome(expected, outcome(careful, call_with(argument), tool_with(schema)))
    prepared = outcome(prepare_tools, tool_with(schema))
    if isinstance(prepared, PreparedTools):
        assert_same_outcome(expected, careful(call_with(argument), prepared))


@pytest.mark.parametrize("type_name", TYPE_NAMES)
@pytest.mark.parametrize("text", TEXTS, ids=lambda text: ascii(text)[:12])
def test_each_text_as_each_type(text: str, type_name: str):
    for argument in (text, [text, 3]):
        for schema in ({"type": type_name}, {"type": [type_name, "string"], "nullable": True}):
            expected = interpreted_cast(call_with(argument), tool_with(schema))
            assert_same_outcome(expected, careful(call_with(argument), tool_with(schema)))


DEFINITIONS = {
    "Whole": INTEGER,
    "Maybe": {"anyOf": [{"$ref": "#/$defs/Whole"}, {"type": "null"}]},
    "Named/~": {"type": "boolean"},
    "Rows": {"type": "array", "items": {"$ref": "#/$defs/Maybe"}},
    "Word": {"type": "string", "enum": ["7", "8"]},
    "Tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/Tree"}}},
}


@pytest.mark.parametrize(
    ("argument", "schema", "expected"),
    [
        ("7", {"$ref": "#/$defs/Whole"}, 7),
        ("7", {"$ref": "#/$defs/Maybe"}, 7),
        ("None", {"$ref": "#/$defs/Maybe"}, None),
        ("None", {"$ref": "#/$defs/Whole", "nullable": True}, None),
        ("True", {"$ref": "#/$defs/Named~1~0"}, True),
        ("7", {"$ref": "#/properties/a/anyOf/0", "anyOf": [INTEGER]}, 7),
        ('{"left": {}}', {"$ref": "#/$defs/Tree"}, {"left": {}}),
        ("['1', None]", {"$ref": "#/$defs/Rows"}, [1, None]),
        ("7", {"allOf": [{"$ref": "#/$defs/Whole"}], "description": "as pydantic writes it"}, 7),
        ("7", {"allOf": [{"description": "nothing of types"}, INTEGER]}, 7),
        ("7.0", {"allOf": [{"type": "number"}, INTEGER]}, 7),
        ("7.5", {"allOf": [INTEGER, {"type": "number"}]}, "7.5"),
        ("null", {"allOf": [{"type": ["integer", "null"]}, {"type": ["null", "boolean"]}]}, None),
    ],
)
def test_types_behind_references_and_in_all_of(argument: str, schema: Any, expected: Any):
    assert_cast(expected, argument, schema, **{"$defs": DEFINITIONS})


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/Whole"},
        {"$ref": "#/definitions/Whole"},
        {"allOf": [{"$ref": "#/definitions/Whole"}]},
        {"type": "int"},
        {"type": ["str", "int"]},
    ],
)
def test_the_default_parser_leaves_them(schema: Any):
    definitions = {"$defs": DEFINITIONS, "definitions": DEFINITIONS}
    assert_cast(7, "7", schema, **definitions)
    assert_left_by_the_default("7", schema, **definitions)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#/$defs/Word"},
        {"$ref": "#/$defs/Missing"},
        {"$ref": "#/$defs/Whole/type"},
        {"$ref": "#/$defs/Whole/type/0"},
        {"$ref": "https://example.org/schemas#/$defs/Whole"},
        {"$ref": "Whole"},
        {"$ref": ""},
        {"$ref": 7},
        {"$ref": "#/properties/a"},
        {"allOf": [{"type": "string"}, INTEGER]},
        {"allOf": [INTEGER, {"type": "boolean"}]},
        {"allOf": 7},
        {"type": "arr"},
        {"type": "arr", "allOf": [INTEGER]},
        {"type": ["arr", None, 7]},
        {"type": "any"},
    ],
)
def test_what_is_declared_otherwise_is_left_as_it_is(schema: Any):
    assert_cast("7", "7", schema, **{"$defs": DEFINITIONS})


def test_a_reference_begins_at_the_parameters_of_its_own_tool():
    definitions = [{"$defs": {"A": {"type": name}}} for name in ("integer", "boolean")]
    given_tools = [
        {"name": name, "parameters": {**defined, "properties": {"a": {"$ref": "#/$defs/A"}}}}
        for name, defined in zip("fg", definitions, strict=True)
    ]
    for parameters in (careful_parameters(given_tools), careful_parameters(prepare_tools(iter(given_tools)))):
        calls = [{"function": {"name": name, "arguments": {"a": "1"}}} for name in "fgf"]
        cast_arguments(calls, parameters)
        assert_same_outcome([1, True, 1], [call["function"]["arguments"]["a"] for call in calls])


@pytest.mark.parametrize(
    ("schema", "text", "expected"),
    [
        ({"enum": [1, 2, None]}, "2", 2),
        ({"enum": [1, 2, None]}, "None", None),
        ({"enum": [0.5, "auto"]}, "0.5", 0.5),
        ({"enum": [0.5, "auto"]}, "auto", "auto"),
        ({"const": True}, "true", True),
        ({"anyOf": [{"const": 7}, {"type": "null"}]}, "7", 7),
        ({"enum": ["1", "2"]}, "2", "2"),
        ({"enum": ["1", "2"], "type": "integer"}, "2", 2),
        ({"enum": [1, 2], "type": "string"}, "2", "2"),
        ({"enum": []}, "2", "2"),
        ({"enum": 5}, "2", "2"),
        ({"enum": [*range(101)]}, "2", "2"),
        ({"enum": [object()]}, "2", "2"),
    ],
)
def test_types_of_listed_values(schema: Any, text: str, expected: Any):
    assert_cast(expected, text, schema)


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("int", "7", 7),
        ("float", "7.5", 7.5),
        ("float", "7", 7),
        ("bool", "True", True),
        ("bool", "false", False),
        ("dict", '{"a": 1}', {"a": 1}),
        ("list", "[1]", [1]),
        ("str", "7", "7"),
    ],
)
def test_types_by_pythons_names(name: str, text: str, expected: Any):
    assert_cast(expected, text, {"type": name})
    assert_cast(
        [expected], [text], {"type": name} if name != "list" else {"type": "list", "items": {"type": "list"}}
    )


@pytest.mark.parametrize(
    ("argument", "schema", "expected"),
    [
        (["1", "2.0", "x", 3], {"type": "array", "items": INTEGER}, [1, 2, "x", 3]),
        ('["1", 2]', {"type": "array", "items": INTEGER}, [1, 2]),
        (
            ["1", "null"],
            {"anyOf": [{"type": "list", "items": {"type": ["int", "null"]}}, {"type": "null"}]},
            [1, None],
        ),
        ("null", {"anyOf": [{"type": "array", "items": INTEGER}, {"type": "null"}]}, None),
        (
            ['{"a": "1"}', {"a": "1"}],
            {"type": "array", "items": {"type": "object"}},
            [{"a": "1"}, {"a": "1"}],
        ),
        (["[1]", "['2']"], {"type": "array", "items": {"type": "array", "items": INTEGER}}, [[1], ["2"]]),
        # What may be a string stays one.
        (["1"], {"type": "array"}, ["1"]),
        (["1"], {"type": "array", "items": {}}, ["1"]),
        (["1"], {"type": "array", "items": True}, ["1"]),
        (["1"], {"type": "array", "items": {"type": ["integer", "string"]}}, ["1"]),
        (["1"], {"type": "array", "items": {"type": "arr"}}, ["1"]),
        (["1"], {"type": "array", "items": INTEGER, "prefixItems": [{"type": "string"}]}, ["1"]),
        (["1"], {"oneOf": [{"type": "array", "items": INTEGER}, {"type": "array"}]}, ["1"]),
        (["1"], {"oneOf": [{"type": "array"}, {"type": "array", "items": INTEGER}]}, ["1"]),
        # Other members are left as they are.
        ({"b": "1"}, {"type": "object", "properties": {"b": INTEGER}}, {"b": "1"}),
        ([["1"]], {"type": "array", "items": {"type": "array", "items": INTEGER}}, [["1"]]),
    ],
)
def test_elements_of_arrays(argument: Any, schema: Any, expected: Any):
    assert_cast(expected, argument, schema)


def test_elements_in_parts_of_a_schema():
    rows = {"type": "array", "items": INTEGER}
    assert_cast([1], ["1"], {"allOf": [rows, {"description": "rows"}]})
    assert_cast([1], ["1"], {"type": "array", "allOf": [rows]})
    assert_cast([1, True], ["1", "true"], {"anyOf": [rows, {"type": "array", "items": {"type": "boolean"}}]})


def test_functions_are_tools():
    def add(numbers: list[int], label: str, exact: bool | None = None) -> None:
        """Add.

        Args:
            numbers: what to add
            label: what to call it
            exact: whether it must be right
        """

    arguments = {"numbers": "['1', 2]", "label": "7", "exact": "None"}
    call = {"function": {"name": "add", "arguments": arguments}}
    careful(call, (add,))
    assert_same_outcome({"numbers": [1, 2], "label": "7", "exact": None}, arguments)


def test_an_odd_schema_is_refused_each_time_its_argument_comes():
    for schema in ({"anyOf": 5}, {"allOf": [{"oneOf": 5}]}, {"type": "array", "items": {"anyOf": 5}}):
        parameters = careful_parameters(tool_with(schema))
        for _ in range(2):
            assert outcome(cast_arguments, call_with("7"), parameters) == Raised("TypeError")
        with pytest.raises(
            TypeError, match=r"^the tool 'f' declares its parameter 'a' with an 'anyOf' or 'oneOf'"
        ):
            prepare_tools(tool_with(schema))


@pytest.mark.parametrize("nothing", [None, [], (), iter(()), [{"type": "web_search"}], prepare_tools(None)])
def test_no_tools(nothing: Any):
    assert careful_parameters(nothing) == {}


def test_the_same_prepared_tools_serve_both_kinds_of_parsers():
    prepared = prepare_tools(tool_with({"type": "int"}))
    for _ in range(2):
        assert cast_arguments(call_with("7"), tool_parameters(prepared)) == call_with("7")
        assert cast_arguments(call_with("7"), careful_parameters(prepared)) == call_with(7)
    assert prepared.argument_types == {"f": {}}
    assert prepared.careful_types == {"f": {"a": (("integer",), ())}}


def test_prepared_tools_are_a_snapshot():
    definitions: dict[str, Any] = {"A": {"type": "array", "items": {"type": "integer"}}}
    given_tools = tool_with({"$ref": "#/$defs/A"})
    given_tools[0]["parameters"]["$defs"] = definitions
    prepared = prepare_tools(given_tools)
    definitions["A"]["items"]["type"] = "string"
    definitions.clear()
    assert careful(call_with(["7"]), prepared) == call_with([7])


class EarlierTools:
    """What a standalone module of an earlier version prepared."""

    argument_types: ClassVar = {"f": {"a": ("integer",), "b": ("object",)}}


def test_prepared_tools_of_an_earlier_version_are_cast_as_before():
    parameters = careful_parameters(EarlierTools())  # type: ignore[arg-type]
    call = {"function": {"name": "f", "arguments": {"a": "7", "b": "{'a': 1}"}}}
    cast_arguments(call, parameters)
    assert call["function"]["arguments"] == {"a": 7, "b": "{'a': 1}"}
    rules = cast_rules("f", parameters)
    assert rules is not None
    assert rules.type_of("b") == (("object",), ())
    assert rules.type_of("c") is None
    assert rules.cast("7", (("integer",), ())) == 7
    assert cast_rules("g", parameters) is None


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_they_can_be_copied(protocol: int):
    given_tools = tool_with({"allOf": [INTEGER]})
    for parameters in (careful_parameters(given_tools), careful_parameters(prepare_tools(given_tools))):
        cast_arguments(call_with("7"), parameters)
        for copied in (pickle.loads(pickle.dumps(parameters, protocol)), deepcopy(parameters)):
            assert cast_arguments(call_with("7"), copied) == call_with(7)


def chain(length: int, width: int) -> dict[str, Any]:
    """Give definitions of which each refers several times to the next."""
    parts = {str(n): {"anyOf": [{"$ref": f"#/$defs/{n + 1}"}] * width} for n in range(length)}
    return {**parts, str(length): INTEGER}


def nested(schema: Any, key: str, depth: int) -> Any:
    for _ in range(depth):
        schema = {
            key: schema if key == "items" else [schema],
            **({"type": "array"} if key == "items" else {}),
        }
    return schema


HOSTILE_SCHEMAS: dict[str, tuple[Any, dict[str, Any]]] = {
    "a circle": (
        {"$ref": "#/$defs/A"},
        {"A": {"allOf": [{"$ref": "#/$defs/B"}]}, "B": {"$ref": "#/$defs/A"}},
    ),
    "itself": ({"$ref": "#/$defs/A"}, {"A": {"$ref": "#/$defs/A"}}),
    "the root": ({"$ref": "#"}, {}),
    "rows of itself": ({"$ref": "#/$defs/A"}, {"A": {"type": "array", "items": {"$ref": "#/$defs/A"}}}),
    "doubling": ({"$ref": "#/$defs/0"}, chain(60, 2)),
    "a long chain": ({"$ref": "#/$defs/0"}, chain(5000, 1)),
    "wide": ({"anyOf": [{"$ref": "#/$defs/0"}] * 20_000}, chain(50, 50)),
    "deep unions": (nested(INTEGER, "anyOf", 5000), {}),
    "deep rows": (nested(INTEGER, "items", 5000), {}),
    "deep all": (nested(INTEGER, "allOf", 5000), {}),
    "many types": ({"type": ["integer", "arr"] * 20_000}, {}),
    "a long reference": ({"$ref": "#" + "/$defs" * 20_000}, {}),
    "many digits": ({"$ref": "#/$defs/list/" + "9" * 20_000}, {"list": [INTEGER]}),
}


@pytest.mark.parametrize("name", HOSTILE_SCHEMAS)
def test_hostile_schemas_take_little_time(name: str):
    schema, definitions = HOSTILE_SCHEMAS[name]
    parameters = {"$defs": definitions, "properties": dict.fromkeys("abc", schema)}
    given_tools = [{"name": "f", "parameters": parameters}]
    start = time.process_time()
    for _ in range(2):
        careful(call_with("[]"), given_tools)
        careful(call_with(["x"]), given_tools)
    assert time.process_time() - start < 2


def test_a_schema_that_contains_itself():
    schema: dict[str, Any] = {"anyOf": [INTEGER]}
    schema["anyOf"].append(schema)
    assert careful(call_with("7"), tool_with(schema)) == call_with(7)
    rows: dict[str, Any] = {"type": "array"}
    rows["items"] = rows
    assert careful(call_with("[]"), tool_with(rows)) == call_with([])


def test_what_is_seldom_needed_is_not_imported():
    script = (
        "import sys, respc_runtime.stream; print('respc_runtime.schema_types' in sys.modules); "
        "import respc_runtime.serving; print('respc_runtime.python_literals' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["False", "False"]
