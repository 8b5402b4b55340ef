"""The cast of tool arguments in careful parsers: what the interpreter reads, and what it leaves as text.

That is: types behind `$ref` and in `allOf`, types by Python's names, objects and arrays written as Python literals, and
the elements of arrays. Reading never fails: text that cannot be read stays text.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, cast

from respc_runtime.json_bodies import JSON_BLANKS, decode_json
from respc_runtime.schema_types import SchemaReader, ToolSchemas
from respc_runtime.tools import (
    ARGUMENT_READERS,
    ArgumentTable,
    cast_text,
    is_prepared,
    listed_tools,
    tool_parameters,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.schema_types import ArgumentType
    from respc_runtime.tools import PreparedTools


def careful_parameters(
    tools: Iterable[Any] | PreparedTools | None,
) -> dict[str, dict[str, Any]] | PreparedTools | ArgumentTable:
    """Collect what a careful parser knows of the parameters of `tools`.

    Args:
        tools: as for `tool_parameters`.

    Returns:
        What casts arguments, or an empty dict if there are no tools.

    Raises:
        TypeError: these are no tools.
        ToolSchemaError: a tool has no name, or a Python function has no usable docstring or type hints.
    """
    if not tools:
        return {}
    if is_prepared(tools):
        prepared = cast("PreparedTools", tools)
        # A standalone module of an earlier version prepares less.
        return CarefulTools(prepared) if hasattr(prepared, "careful_types") else prepared
    given = listed_tools(tools)
    parameters = cast("dict[str, dict[str, Any]]", tool_parameters(given))
    return CarefulTools(ToolSchemas(parameters, given)) if parameters else {}


class CarefulTools(ArgumentTable):
    """The parameters of tools for a careful parser.

    Args:
        tools: their schemas, or prepared tools.
    """

    __slots__ = ("_readers", "_tools")

    def __init__(self, tools: ToolSchemas | PreparedTools) -> None:
        self._tools = tools
        self._readers: dict[str, SchemaReader] = {}

    def parameter_types(self, tool: str) -> Callable[[str], ArgumentType | None] | None:
        """Give what tells the types of a tool's parameters, if it has parameters that can be cast.

        It raises a TypeError for a parameter whose schema has an `anyOf` or `oneOf` that is no list.
        """
        if not isinstance(self._tools, ToolSchemas):
            prepared = self._tools.careful_types.get(tool)
            return prepared.get if prepared else None
        if not self._tools.properties.get(tool):
            return None
        reader = self._readers.get(tool)
        if reader is None:
            reader = self._readers[tool] = SchemaReader(tool, self._tools)
        return reader.argument_type

    def cast_arguments(self, tool: str, arguments: dict[str, Any]) -> None:
        """Cast the arguments of a call, in place.

        Raises:
            TypeError: the schema of a parameter has an `anyOf` or `oneOf` that is no list.
        """
        if (type_of := self.parameter_types(tool)) is None:
            return
        given: dict[str, JsonValue] = arguments
        for key, argument in given.items():
            if isinstance(argument, (str, list)) and (declared := type_of(key)):
                arguments[key] = self.cast_argument(argument, declared)

    @staticmethod
    def cast_argument(argument: JsonValue, declared: ArgumentType) -> Any:
        """Cast `argument` if it is text, and texts in a list."""
        types, elements = declared
        if isinstance(argument, str):
            argument = cast("JsonValue", cast_text(argument, types, CAREFUL_READERS))
        elif isinstance(argument, list) and "array" not in types:
            # An argument given several times, which `merge_duplicates` collected.
            elements = types
        if elements and isinstance(argument, list):
            return [
                cast_text(item, elements, CAREFUL_READERS) if isinstance(item, str) else item
                for item in argument
            ]
        return argument


def read_json_or_literal(bracket: str, text: str) -> Any:
    """Read JSON or a Python literal that begins with `bracket`, which tells what it is.

    Raises:
        ValueError: it is neither, or nested too deeply.
    """
    if not text.lstrip(JSON_BLANKS).startswith(bracket):
        raise ValueError(f"it does not begin with {bracket}")
    try:
        try:
            return decode_json(text)
        except ValueError:
            from respc_runtime.python_literals import LiteralReader

            return LiteralReader(text).literal()
    except RecursionError:
        raise ValueError("nested too deeply") from None


CAREFUL_READERS: Final[dict[str, Callable[[str], Any]]] = {
    **ARGUMENT_READERS,
    "object": partial(read_json_or_literal, "{"),
    "array": partial(read_json_or_literal, "["),
}
