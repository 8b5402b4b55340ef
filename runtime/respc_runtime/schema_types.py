"""The types that tools declare, read as careful parsers read them: through references too, and by other names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from respc_runtime.json_bodies import JsonValue

ArgumentType: TypeAlias = tuple[Sequence[str], Sequence[str]]
"""The types that an argument can be read as, in the order in which to try them, and those of an array's elements."""

SchemaType: TypeAlias = "tuple[tuple[str, ...], tuple[str, ...] | None]"
"""The types that a schema allows, none if it says nothing of them; and those that strings in an array can be cast to:
none where an element may be a string, and None where there is no array."""

TYPE_NAMES: Final = {
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
    "object": "object",
    "array": "array",
    "string": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "dict": "object",
    "list": "array",
    "str": "string",
}
"""JSON's names of types and Python's."""

VALUE_TYPES: Final[dict[type, str]] = {
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
    dict: "object",
    list: "array",
    str: "string",
}
"""JSON's names of the types of its values."""

UNKNOWN_TYPE: Final = ""
"""Stands for the types without a meaning here."""

# What tools declare, whoever calls a server can write: reading it must not take long.
SCHEMA_DEPTH_LIMIT: Final = 100
LISTED_VALUES_LIMIT: Final = 100

# Most schemas have one type, and nothing that adds to it.
ADDING_KEYS: Final = frozenset({"$ref", "allOf", "anyOf", "nullable", "oneOf"})
NO_SCHEMA_TYPE: Final[SchemaType] = (), None
SCALAR_SCHEMA_TYPES: Final[dict[str, SchemaType]] = {
    name: ((kind,), None) for name, kind in TYPE_NAMES.items() if kind != "array"
}
SCALAR_ARGUMENT_TYPES: Final[dict[tuple[str, ...], ArgumentType | None]] = {
    (kind,): None if kind == "string" else ((kind,), ()) for kind in TYPE_NAMES.values() if kind != "array"
}


class ToolSchemas:
    """The schemas of tools.

    Args:
        properties: for each tool the schemas of its parameters, as `tool_parameters` gives them.
        tools: the tools.

    Attributes:
        properties: the same.
    """

    __slots__ = ("_roots", "_tools", "properties")

    def __init__(self, properties: dict[str, dict[str, Any]], tools: Sequence[Any]) -> None:
        self.properties = properties
        self._tools = tools
        self._roots: dict[str, JsonValue] | None = None

    def root(self, tool: str) -> JsonValue:
        """Give the `parameters` of a tool, which its references begin at."""
        if self._roots is None:
            self._roots = {}
            given: Sequence[JsonValue] = self._tools
            for each in given:
                declared: JsonValue = each.get("function", each) if isinstance(each, dict) else None
                if isinstance(declared, dict) and isinstance(name := declared.get("name"), str):
                    self._roots[name] = declared.get("parameters")
        return self._roots.get(tool)


class SchemaReader:
    """Reads the types of a tool's parameters.

    A schema that adds to others is read once, whatever refers to it, so references may go round in circles.

    Args:
        tool: the tool's name.
        schemas: those of all tools; references begin at the tool's own.
    """

    __slots__ = ("_known", "_properties", "_schemas", "_tool")

    def __init__(self, tool: str, schemas: ToolSchemas) -> None:
        self._tool = tool
        self._properties = schemas.properties.get(tool) or {}
        self._schemas = schemas
        # The schemas by their identity; they are kept, for no other to get it.
        self._known: dict[int, tuple[object, SchemaType]] = {}

    def argument_type(self, parameter: str) -> ArgumentType | None:
        """Give the types of a parameter, if there are some that text can be cast to.

        Raises:
            TypeError: an `anyOf` or `oneOf` is no list.
        """
        try:
            types, elements = self.read(self._properties.get(parameter), 0)
        except TypeError:
            self._known.clear()
            raise
        if types in SCALAR_ARGUMENT_TYPES:
            return SCALAR_ARGUMENT_TYPES[types]
        castable = tuple([name for name in types if name != "string" and name != UNKNOWN_TYPE])
        return (castable, elements or ()) if castable else None

    def read(self, schema: JsonValue, depth: int) -> SchemaType:
        """Read the types that `schema` allows."""
        if not isinstance(schema, dict) or depth > SCHEMA_DEPTH_LIMIT:
            return NO_SCHEMA_TYPE
        declared: JsonValue = schema.get("type")
        adds = not ADDING_KEYS.isdisjoint(schema)
        if adds:
            if (known := self._known.get(id(schema))) is not None:
                return known[1]
            self._known[id(schema)] = schema, NO_SCHEMA_TYPE
        elif isinstance(declared, str) and declared in SCALAR_SCHEMA_TYPES:
            return SCALAR_SCHEMA_TYPES[declared]
        types = listed_types(schema) if declared is None else named_types(declared)
        found: SchemaType = types, self.element_types(schema, depth) if "array" in types else None
        if adds:
            found = self.added(schema, found, depth)
            self._known[id(schema)] = schema, found
        return found

    def element_types(self, schema: dict[str, Any], depth: int) -> tuple[str, ...]:
        """Read the types of an array's elements."""
        if "prefixItems" in schema or "items" not in schema:
            return ()
        types = self.read(schema["items"], depth + 1)[0]
        return () if "string" in types or UNKNOWN_TYPE in types else types

    def added(self, schema: dict[str, Any], own: SchemaType, depth: int) -> SchemaType:
        """Read what adds to the types that `schema` names, or takes from them."""
        types, elements = own
        for union in ("anyOf", "oneOf"):
            if choices := schema.get(union):
                for choice in choices:
                    others, of_others = self.read(choice, depth + 1)
                    types = joined_types(types, others)
                    if elements is None or of_others is None:
                        elements = of_others if elements is None else elements
                    else:
                        elements = joined_types(elements, of_others) if elements and of_others else ()
        for part in self.further_parts(schema) if "$ref" in schema or "allOf" in schema else ():
            others, of_others = self.read(part, depth + 1)
            types = common_types(types, others)
            elements = of_others if elements is None else common_types(elements, of_others or ())
        if schema.get("nullable"):
            types = joined_types(types, ("null",))
        return types, elements

    def further_parts(self, schema: dict[str, Any]) -> list[JsonValue]:
        """Give the schemas that hold beside what `schema` says itself."""
        all_of: JsonValue = schema.get("allOf")
        parts: list[JsonValue] = [*all_of] if isinstance(all_of, list) else []
        if isinstance(reference := schema.get("$ref"), str):
            parts.append(self.referred(reference))
        return parts

    def referred(self, reference: str) -> JsonValue:
        """Give what a reference within the tool's schema refers to; nothing else is looked for."""
        start, *path = reference.split("/")
        found: JsonValue = self._schemas.root(self._tool) if start == "#" else None
        for key in path:
            if isinstance(found, dict):
                found = found.get(key.replace("~1", "/").replace("~0", "~"))
            elif isinstance(found, list) and key.isdecimal() and len(key) < 6 and int(key) < len(found):
                found = found[int(key)]
            else:
                return None
        return found


def named_types(declared: JsonValue) -> tuple[str, ...]:
    """List the types that a `type` names."""
    if isinstance(declared, str):
        return (TYPE_NAMES.get(declared, UNKNOWN_TYPE),)
    names: list[JsonValue] = declared if isinstance(declared, list) else []
    return tuple(
        dict.fromkeys([TYPE_NAMES.get(name, UNKNOWN_TYPE) for name in names if isinstance(name, str)])
    )


def listed_types(schema: dict[str, Any]) -> tuple[str, ...]:
    """List the types of the values that a schema without a `type` allows; none if they are too many."""
    values: JsonValue = [schema["const"]] if "const" in schema else schema.get("enum")
    if not isinstance(values, list) or len(values) > LISTED_VALUES_LIMIT:
        return ()
    kinds: list[type[Any]] = [type(value) for value in values]
    return tuple(dict.fromkeys([VALUE_TYPES.get(kind, UNKNOWN_TYPE) for kind in kinds]))


def joined_types(types: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """List the types that are among either, each once."""
    if not types or not others:
        return types or others
    return tuple(dict.fromkeys(types + others))


def common_types(types: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """List the types that are among both: an integer is a number. None listed are all."""
    if not types or not others:
        return types or others
    common: list[str] = []
    for name in types:
        if name in others:
            common.append(name)
        elif (name == "number" and "integer" in others) or (name == "integer" and "number" in others):
            common.append("integer")
    return tuple(common) or (UNKNOWN_TYPE,)
