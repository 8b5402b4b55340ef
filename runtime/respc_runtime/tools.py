"""The cast of tool arguments to the types that the tools declare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Final, cast

from respc_runtime.errors import ToolSchemaError
from respc_runtime.json_bodies import decode_json

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.schema_types import ArgumentType

OF_SCHEMAS: Final = frozenset({"function", "object"})
"""Types of what declares parameters. Engines have tools of other types, such as `web_search`, with none to declare."""


class ArgumentTable:
    """What a parser knows of the parameters of tools if it casts arguments by other rules than the interpreter's."""

    __slots__ = ()

    def cast_arguments(self, tool: str, arguments: dict[str, Any]) -> None:
        """Cast the arguments of a call, in place."""
        raise NotImplementedError


class PreparedTools:
    """Tools that were read once, to be given to any number of parsers; `prepare_tools` makes them.

    A parser takes them wherever it takes tools, at no cost, and casts arguments as it would by the tools
    themselves when they were prepared: a later change of these changes nothing. Parsers on several threads can
    share them, and they can be pickled.

    Attributes:
        argument_types: for each tool its parameters, and for each of these the types, other than `string`, that
            its arguments can be read as, in the order in which to try them; only parameters that have some.
        careful_types: the same as careful parsers read it, with the types of an array's elements.
    """

    __slots__ = ("argument_types", "careful_types")

    def __init__(
        self,
        argument_types: Mapping[str, Mapping[str, Sequence[str]]],
        careful_types: Mapping[str, Mapping[str, ArgumentType]],
    ) -> None:
        self.argument_types = argument_types
        self.careful_types = careful_types

    def __len__(self) -> int:
        return len(self.argument_types)

    def __repr__(self) -> str:
        return f"PreparedTools({', '.join(self.argument_types)})"


def prepare_tools(tools: Iterable[Any] | PreparedTools | None) -> PreparedTools:
    """Read `tools` once, for parsers that are made often.

    Args:
        tools: as for `parse_response`: JSON schemas in any of the usual shapes, and Python functions. What is
            prepared already is given back.

    Returns:
        What to give as `tools` from then on. Later changes of `tools` do not change it.

    Raises:
        TypeError: these are no tools; or the schema of a parameter has an `anyOf` or `oneOf` that is no list. Tools
            that are not prepared are refused for that only when a call has the parameter.
        ToolSchemaError: a tool has no name, or a Python function has no usable docstring or type hints.
    """
    if tools and is_prepared(tools):
        return cast("PreparedTools", tools)
    from respc_runtime.schema_types import SchemaReader, ToolSchemas

    given = listed_tools(tools or ())
    plain: dict[str, dict[str, Sequence[str]]] = {}
    careful: dict[str, dict[str, ArgumentType]] = {}
    schemas = ToolSchemas(cast("dict[str, dict[str, Any]]", tool_parameters(given)), given)
    for tool, properties in schemas.properties.items():
        plain[tool], careful[tool] = {}, {}
        reader = SchemaReader(tool, schemas)
        for parameter, schema in properties.items():
            try:
                types = declared_types(schema)
                careful_type = reader.argument_type(parameter)
            except TypeError as error:
                raise TypeError(
                    f"the tool {tool!r} declares its parameter {parameter!r} with an 'anyOf' or 'oneOf' that is "
                    f"no list: {error}"
                ) from error
            if readable := tuple([name for name in dict.fromkeys(types) if name in ARGUMENT_READERS]):
                plain[tool][parameter] = readable
            if careful_type is not None:
                careful[tool][parameter] = careful_type
    return PreparedTools(plain, careful)


def is_prepared(tools: Iterable[Any] | PreparedTools) -> bool:
    """Tell whether `tools` are prepared ones, also of a standalone module, which has a class of its own for them."""
    return isinstance(tools, PreparedTools) or hasattr(tools, "argument_types")


def tool_parameters(tools: Iterable[Any] | PreparedTools | None) -> dict[str, dict[str, Any]] | PreparedTools:
    """Collect what is known of the parameters of `tools`.

    Args:
        tools: JSON schemas, bare or under the key `function`, and Python functions. Or what `prepare_tools` gave.

    Returns:
        For each name of a tool its `properties`: the same dict, not a copy, and an empty one if it has none.
        Prepared tools are given back.

    Raises:
        TypeError: these are no tools.
        ToolSchemaError: a tool has no name, or a Python function has no usable docstring or type hints.
    """
    parameters: dict[str, dict[str, Any]] = {}
    if not tools:
        return parameters
    # As `is_prepared` tells, without the time of a call.
    if isinstance(tools, PreparedTools) or hasattr(tools, "argument_types"):
        return cast("PreparedTools", tools)
    given: Sequence[JsonValue | FunctionType | MethodType] = listed_tools(tools)
    for index, tool in enumerate(given):
        if isinstance(tool, dict):
            declaration: JsonValue = tool.get("function", tool)
        elif isinstance(tool, (FunctionType, MethodType)):
            from respc_runtime.tool_functions import function_schema

            declaration = function_schema(tool)["function"]
        else:
            raise TypeError(
                f"tools[{index}] is of type {type(tool).__name__}, but a tool is a dict, such as "
                '{"type": "function", "function": {"name": …, "parameters": …}}, or a Python function'
            )
        if isinstance(declaration, dict) and isinstance(name := declaration.get("name"), str):
            schema: JsonValue = declaration.get("parameters")
            properties: JsonValue = schema.get("properties") if isinstance(schema, dict) else None
            parameters[name] = properties if isinstance(properties, dict) else {}
        elif not is_tool_of_an_engine(tool):
            raise ToolSchemaError(
                f"tools[{index}] has no name: a tool is a dict such as "
                '{"type": "function", "function": {"name": …, "parameters": …}}, or what stands under its `function`'
            )
    return parameters


def listed_tools(tools: object) -> Sequence[Any]:
    """Give tools as a list.

    Raises:
        TypeError: they are one tool, a text, or nothing that has several.
    """
    if isinstance(tools, list):
        listed: list[Any] = cast("Any", tools)
        return listed
    if isinstance(tools, (str, bytes, Mapping)) or callable(tools) or not isinstance(tools, Iterable):
        kind = type(cast("Any", tools)).__name__
        raise TypeError(
            f"tools must be a list of tools, not {kind}: put a single one into a list, and decode JSON first"
        )
    return [*cast("Any", tools)]


def is_tool_of_an_engine(tool: object) -> bool:
    """Tell whether a tool declares no parameters because the engine has it, such as `{"type": "web_search"}`."""
    if not isinstance(tool, dict) or "function" in tool:
        return False
    kind: object = cast("dict[str, Any]", tool).get("type")
    return isinstance(kind, str) and kind not in OF_SCHEMAS


def cast_arguments(
    value: JsonValue, parameters: dict[str, dict[str, Any]] | PreparedTools | ArgumentTable
) -> Any:
    """Cast the arguments of the tool calls in `value`, in place.

    The rules are those of the interpreter (transformers 5.24.0), unless `parameters` has its own.

    Args:
        value: the value of a region: a call, whose `function` has `name` and `arguments`, or a list of calls;
            any other value is given back as it is.
        parameters: what `tool_parameters` or `careful_parameters` gave.

    Returns:
        `value`, or for a list a new one.

    Raises:
        TypeError: the schema of a parameter has an `anyOf` or `oneOf` that is no list.
    """
    if not parameters:
        return value
    if isinstance(value, list):
        return [cast_arguments(member, parameters) for member in value]
    call: JsonValue = value.get("function") if isinstance(value, dict) else None
    if not isinstance(call, dict):
        return value
    name: JsonValue = call.get("name")
    arguments: JsonValue = call.get("arguments")
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return value
    if isinstance(parameters, dict):
        if properties := parameters.get(name):
            cast_by_properties(arguments, properties)
    elif isinstance(parameters, ArgumentTable):
        parameters.cast_arguments(name, arguments)
    elif types := parameters.argument_types.get(name):
        cast_by_types(arguments, types)
    return value


def cast_by_properties(arguments: dict[str, Any], properties: dict[str, Any]) -> None:
    """Cast those `arguments` whose types `properties` declares."""
    for key, argument in arguments.items():
        if key in properties and (types := declared_types(properties[key])):
            arguments[key] = cast_argument(argument, types)


def cast_by_types(arguments: dict[str, Any], declared: Mapping[str, Sequence[str]]) -> None:
    """Cast those `arguments` that have types in `declared`."""
    for key, argument in arguments.items():
        if types := declared.get(key):
            arguments[key] = cast_argument(argument, types)


def declared_types(schema: JsonValue) -> list[str]:
    """List the types that a parameter's `schema` allows, in the order in which to try them."""
    if not isinstance(schema, dict):
        return []
    declared: JsonValue = schema.get("type")
    types: list[str] = []
    if isinstance(declared, str):
        types.append(declared)
    elif isinstance(declared, list):
        types += [name for name in declared if isinstance(name, str)]
    for union in ("anyOf", "oneOf"):
        if choices := schema.get(union):
            for choice in choices:
                types += declared_types(choice)
    if schema.get("nullable"):
        types.append("null")
    return types


def cast_argument(argument: JsonValue, types: Sequence[str]) -> Any:
    """Cast `argument` if it is text, or texts in a list that is no array."""
    if isinstance(argument, str):
        return cast_text(argument, types, ARGUMENT_READERS)
    if isinstance(argument, list) and "array" not in types:
        # An argument given several times, which `merge_duplicates` collected.
        return [
            cast_text(item, types, ARGUMENT_READERS) if isinstance(item, str) else item for item in argument
        ]
    return argument


def cast_text(text: str, types: Sequence[str], readers: Mapping[str, Callable[[str], Any]]) -> Any:
    """Read `text` as the first of `types` that it can be read as by the readers; else it stays text."""
    for name in types:
        # Not `string`: text that also fits a type further on is cast to that.
        if (reader := readers.get(name)) is not None:
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
    if number - number != 0:  # infinite, or not a number
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
    decoded: JsonValue = decode_json(text)
    if not isinstance(decoded, dict):
        raise ValueError("not a JSON object")
    return decoded


def read_array(text: str) -> Sequence[Any]:
    """Read a JSON array."""
    decoded: JsonValue = decode_json(text)
    if not isinstance(decoded, list):
        raise ValueError("not a JSON array")
    return decoded


ARGUMENT_READERS: dict[str, Callable[[str], Any]] = {
    "integer": read_integer,
    "number": read_number,
    "boolean": read_boolean,
    "null": read_null,
    "object": read_object,
    "array": read_array,
}
