"""Python functions as tools: the types of their parameters, from their type hints.

The rules are those of `get_json_schema` in transformers (5.24.0), the interpreter's own: what it refuses is
refused here, and what it accepts has the same types here. Descriptions are only checked to be there.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from enum import Enum
from types import UnionType
from typing import TYPE_CHECKING, Any, Literal, Union, get_args, get_origin, get_type_hints

from respc_runtime.errors import ToolSchemaError
from respc_runtime.schema_types import VALUE_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

SCALAR_TYPES = {kind: name for kind, name in VALUE_TYPES.items() if kind not in (dict, list)}
HINT_TYPES: dict[Any, str | None] = {**VALUE_TYPES, tuple: "array", Any: None}
# By name, because importing these libraries to look at a hint would take seconds.
FOREIGN_HINT_TYPES: dict[tuple[object, object], str] = {
    ("PIL.Image", "Image"): "image",
    ("torch", "Tensor"): "audio",
}


def function_schema(function: Callable[..., Any]) -> dict[str, Any]:
    """Describe a Python function as a tool.

    Args:
        function: a function or method with a type hint for each argument and a docstring in Google's style
            that describes each.

    Returns:
        A JSON schema of the function, without descriptions.

    Raises:
        ToolSchemaError: there is no docstring, or an argument has no hint, no description, or a hint without
            a JSON schema.
        NameError: a hint names what is not defined.
        ValueError: the choices in a description are not JSON.
        TypeError: they are JSON, but no list; or a hint is no type at all.
    """
    # Here, not above: in a module that carries its runtime, all that stands above is imported.
    import inspect

    name: str = getattr(function, "__name__", "operation")
    docstring = inspect.getdoc(function)
    if not docstring:
        raise ToolSchemaError(f"the tool {name!r} has no docstring")
    parameters = parameters_schema(function, name)
    descriptions = argument_descriptions(docstring.strip())
    for argument, schema in parameters["properties"].items():
        if argument not in descriptions:
            raise ToolSchemaError(f"the docstring of the tool {name!r} does not describe {argument!r}")
        choices = described_choices(descriptions[argument])
        if choices is not None:
            schema["enum"] = choices
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def parameters_schema(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Make the schema of a function's parameters from its type hints."""
    import inspect

    hints = get_type_hints(function)
    parameters = inspect.signature(function).parameters
    receiver = receiver_name(parameters.values())
    required: list[str] = []
    for parameter in parameters.values():
        if parameter.name == receiver:
            continue
        if parameter.annotation is inspect.Parameter.empty:
            raise ToolSchemaError(f"the argument {parameter.name!r} of the tool {name!r} has no type hint")
        # Not `is`: a default that cannot be compared, such as an array, is refused by transformers too.
        if parameter.default == inspect.Parameter.empty:
            required.append(parameter.name)
    properties: dict[str, Any] = {}
    for argument, hint in hints.items():
        if argument == "return":
            with suppress(ToolSchemaError):  # nothing needs its schema
                hint_schema(hint)
        elif argument != receiver:
            properties[argument] = hint_schema(hint)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def receiver_name(parameters: Iterable[Any]) -> str | None:
    """Give the name of the receiver of a method that is not bound: a first `self` or `cls` without a hint."""
    first = next(iter(parameters), None)
    if first is None or first.name not in ("self", "cls"):
        return None
    return first.name if first.annotation is first.empty else None


def hint_schema(hint: Any) -> dict[str, Any]:
    """Make the JSON schema of a type hint.

    Raises:
        ToolSchemaError: it has none.
        TypeError: it is no type at all, such as a list.
    """
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is None:
        return plain_hint_schema(hint)
    if origin is Union or origin is UnionType:
        return union_schema(arguments)
    if origin is Literal and arguments:
        return values_schema(arguments, hint)
    if origin is list:
        return {"type": "array", "items": hint_schema(arguments[0])} if arguments else {"type": "array"}
    if origin is tuple:
        return tuple_schema(arguments)
    if origin is dict:
        if len(arguments) != 2:
            return {"type": "object"}
        return {"type": "object", "additionalProperties": hint_schema(arguments[1])}
    raise ToolSchemaError(f"the type hint {hint!r} has no JSON schema")


def plain_hint_schema(hint: Any) -> dict[str, Any]:
    """Make the JSON schema of a type hint without arguments."""
    place = (getattr(hint, "__module__", None), getattr(hint, "__qualname__", None))
    if isinstance(hint, type) and issubclass(hint, Enum):
        return values_schema([member.value for member in hint], hint)
    if hint in HINT_TYPES:
        name = HINT_TYPES[hint]
        return {} if name is None else {"type": name}
    if isinstance(hint, type) and place in FOREIGN_HINT_TYPES:
        return {"type": FOREIGN_HINT_TYPES[place]}
    raise ToolSchemaError(f"the type hint {hint!r} has no JSON schema")


def values_schema(values: Iterable[Any], hint: Any) -> dict[str, Any]:
    """Make the JSON schema of a hint that lists its values."""
    listed = list(values)
    unsuited = [value for value in listed if type(value) not in SCALAR_TYPES]
    if unsuited or not listed:
        reason = f"no JSON scalar: {unsuited[0]!r}" if unsuited else "no values"
        raise ToolSchemaError(f"the type hint {hint!r} has {reason}")
    names = list(dict.fromkeys(SCALAR_TYPES[type(value)] for value in listed))
    return {"type": names[0] if len(names) == 1 else names, "enum": listed}


def union_schema(members: Iterable[Any]) -> dict[str, Any]:
    """Make the JSON schema of a union; its None becomes `nullable`."""
    listed = list(members)
    choices = [hint_schema(member) for member in listed if member is not type(None)]
    schema: dict[str, Any]
    if len(choices) == 1:
        schema = choices[0]
    elif all(list(choice) == ["type"] and isinstance(choice["type"], str) for choice in choices):
        names = sorted({choice["type"] for choice in choices})
        schema = {"type": names[0] if len(names) == 1 else names}
    else:
        schema = {"anyOf": choices}
    if type(None) in listed:
        schema["nullable"] = True
    return schema


def tuple_schema(members: tuple[Any, ...]) -> dict[str, Any]:
    """Make the JSON schema of a tuple."""
    if not members:
        return {"type": "array"}
    if len(members) == 1 or ... in members:
        raise ToolSchemaError("a tuple of one element, or of any number, has no JSON schema: use a list")
    return {"type": "array", "prefixItems": [hint_schema(member) for member in members]}


def argument_descriptions(docstring: str) -> dict[str, str]:
    """Read the descriptions of the arguments from a docstring in Google's style.

    An entry is a line `name: …` or `name (type): …`, and those lines after it that are no entry or are
    indented deeper. An entry with nothing after its colon goes on in the next line, whatever that is.
    """
    descriptions: dict[str, list[str]] = {}
    name = ""
    indent = ""
    for line in arguments_section(docstring):
        entry = entry_of(line)
        unfinished = bool(name) and not any(descriptions[name])
        deeper = line.startswith((f"{indent} ", f"{indent}\t"))
        if entry is not None and not unfinished and not (name and deeper):
            indent, name, text = entry
            descriptions[name] = [text.strip()]
        elif name:
            descriptions[name].append(line.strip())
    return {described: " ".join(filter(None, lines)) for described, lines in descriptions.items()}


def arguments_section(docstring: str) -> list[str]:
    """Give the lines of the section `Args:`, without blank ones.

    It begins at the first line of that name but for the docstring's own first line, and ends at `Returns:`
    or `Raises:` wherever that is, in the middle of a line too.
    """
    lines = docstring.split("\n")
    headings = (number for number, line in enumerate(lines) if number and line.lstrip() == "Args:")
    section = "\n".join(lines[next(headings, len(lines)) + 1 :])
    for heading in ("Returns:", "Raises:"):
        section = section.partition(heading)[0]
    return [line for line in section.rstrip().split("\n") if line.strip()]


def entry_of(line: str) -> tuple[str, str, str] | None:
    """Split a line that begins a description into its indent, the name and the text after the colon."""
    entry = re.match(r"([ \t]*)(\w+)(?:[ \t]*\([^()]*\))?:(.*)", line, re.DOTALL)
    return None if entry is None else (entry[1], entry[2], entry[3])


def described_choices(description: str) -> list[Any] | None:
    """Read the choices that end a description, as in `(choices: ["tea", "coffee"])`."""
    mark = re.search(r"\(choices:\s*", description, re.IGNORECASE)
    if mark is None or not description.endswith(")"):
        return None
    choices: Iterable[Any] = json.loads(description[mark.end() : -1])
    return [choice.strip() if isinstance(choice, str) else choice for choice in choices]
