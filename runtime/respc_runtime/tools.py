"""The cast of tool arguments to the types that the tools declare."""

from __future__ import annotations

import json
import math
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


def tool_parameters(tools: Iterable[Any] | None) -> dict[str, dict[str, Any]]:
    """Collect what is known of the parameters of `tools`.

    Args:
        tools: JSON schemas, bare or under the key `function`, and Python functions; others are passed over.

    Returns:
        For each name of a tool its `properties`: the same dict, not a copy, and an empty one if it has none.

    Raises:
        ToolSchemaError: a Python function has no usable docstring or type hints.
    """
    parameters: dict[str, dict[str, Any]] = {}
    for tool in tools or ():
        declaration = function_declaration(tool)
        name = declaration.get("name")
        if isinstance(name, str):
            parameters[name] = dict_or_empty(dict_or_empty(declaration.get("parameters")).get("properties"))
    return parameters


def function_declaration(tool: Any) -> dict[str, Any]:
    """Give the dict of `tool` that has its name and its parameters, an empty one if there is none."""
    if isinstance(tool, (FunctionType, MethodType)):
        # Few callers pass functions, and reading their signatures takes modules that nothing else needs.
        from respc_runtime.tool_functions import function_schema

        schema = function_schema(tool)
    else:
        schema = dict_or_empty(tool)
    return dict_or_empty(schema.get("function", schema))


def dict_or_empty(value: Any) -> dict[str, Any]:
    """Give `value` if it is a dict, else an empty one."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def cast_arguments(value: Any, parameters: dict[str, dict[str, Any]]) -> Any:
    """Cast the arguments of the tool calls in `value`, in place.

    The rules are those of the interpreter (transformers 5.24.0).

    Args:
        value: the value of a region: a call, whose `function` has `name` and `arguments`, or a list of calls;
            any other value is given back as it is.
        parameters: what `tool_parameters` gave.

    Returns:
        `value`, or for a list a new one.

    Raises:
        TypeError: the schema of a parameter has an `anyOf` or `oneOf` that is no list.
    """
    if not parameters:
        return value
    if isinstance(value, list):
        elements = cast("Sequence[Any]", value)
        return [cast_arguments(member, parameters) for member in elements]
    call = dict_or_empty(dict_or_empty(value).get("function"))
    name, arguments = call.get("name"), call.get("arguments")
    if isinstance(name, str) and isinstance(arguments, dict) and (properties := parameters.get(name)):
        cast_by_properties(cast("dict[str, Any]", arguments), properties)
    return value


def cast_by_properties(arguments: dict[str, Any], properties: dict[str, Any]) -> None:
    """Cast those `arguments` whose types `properties` declares."""
    for key, argument in arguments.items():
        types = declared_types(properties[key]) if key in properties else []
        if not types:
            continue
        if isinstance(argument, str):
            arguments[key] = cast_text(argument, types)
        elif isinstance(argument, list) and "array" not in types:
            # An argument given several times, which `merge_duplicates` collected.
            members = cast("Sequence[Any]", argument)
            arguments[key] = [cast_text(item, types) if isinstance(item, str) else item for item in members]


def declared_types(schema: Any) -> list[str]:
    """List the types that a parameter's `schema` allows, in the order in which to try them."""
    declaration = dict_or_empty(schema)
    declared = declaration.get("type")
    types: list[str] = [declared] if isinstance(declared, str) else []
    if isinstance(declared, list):
        names = cast("Sequence[Any]", declared)
        types += [name for name in names if isinstance(name, str)]
    for union in ("anyOf", "oneOf"):
        for choice in declaration.get(union) or ():
            types += declared_types(choice)
    if declaration.get("nullable"):
        types.append("null")
    return types


def cast_text(text: str, types: list[str]) -> Any:
    """Read `text` as the first of `types` that it can be read as; else it stays text."""
    for name in types:
        # Not `string`: text that also fits a type further on is cast to that.
        if (reader := ARGUMENT_READERS.get(name)) is not None:
            try:
                return reader(text)
            except ValueError:
                continue
    return text


def read_integer(text: str) -> int:
    """Read an integer, which JSON Schema also lets be written as a number without a fraction."""
    try:
        return int(text)
    except ValueError:
        number = float(text)
    if not number.is_integer():
        raise ValueError("not an integer")
    return int(number)


def read_number(text: str) -> int | float:
    """Read a number: an int if it is whole and written without a point."""
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("not a JSON number")
    return int(number) if number.is_integer() and "." not in text else number


def read_boolean(text: str) -> bool:
    """Read a boolean, which may be written as a digit."""
    word = text.strip().lower()
    if word not in ("true", "1", "false", "0"):
        raise ValueError("not a boolean")
    return word in ("true", "1")


def read_null(text: str) -> None:
    """Read a null, which may be written as Python's."""
    if text.strip() not in ("null", "None"):
        raise ValueError("not a null")


def read_object(text: str) -> dict[str, Any]:
    """Read a JSON object."""
    decoded = json.loads(text)
    if not isinstance(decoded, dict):
        raise ValueError("not a JSON object")
    return cast("dict[str, Any]", decoded)


def read_array(text: str) -> Sequence[Any]:
    """Read a JSON array."""
    decoded = json.loads(text)
    if not isinstance(decoded, list):
        raise ValueError("not a JSON array")
    return cast("Sequence[Any]", decoded)


ARGUMENT_READERS: dict[str, Callable[[str], Any]] = {
    "integer": read_integer,
    "number": read_number,
    "boolean": read_boolean,
    "null": read_null,
    "object": read_object,
    "array": read_array,
}
