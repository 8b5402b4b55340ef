# Compiled by respc from smollm.json. Do not edit: change the template and compile it again.
# Template sha256: 680794e1e8c1ca430b430831e2274b58161b097f4d112674966c79a376260e9d
# Carries the parts of respc_runtime that it uses, and imports nothing of respc.
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import FunctionType, MethodType, UnionType
from typing import (
    Any,
    Final,
    Literal,
    TypeAlias,
    TypedDict,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    overload,
)

Action: TypeAlias = int
"""What a delimiter does: the number of the state that it opens, or one of the two below."""


NOTHING: Final[Action] = 0
"""No delimiter can be decided: let the text out up to ``start``, hold back the rest."""


CLOSE: Final[Action] = 1 << 30
"""End the open region. Larger than any state: at one place and of one length, openers come first."""


Groups: TypeAlias = dict[str, Any]
"""The named groups that took part in a match. Those of a tag are all there; None is for what took no part."""


Wake: TypeAlias = tuple[Callable[[str], Any], int]
"""When held text has to be looked at again: once a search finds something in new text.

The number says how many characters of the text before it the search must see too.
"""


LONGEST_COMPARED: Final = 1_000
"""Of a literal, how much is compared at every place where it may have begun."""


def held_from(text: str, pos: int, literal: str) -> int:
    """Find where a literal may have begun that the text does not finish.

    Args:
        text: all that is known; it does not have the whole literal from ``pos`` on.
        pos: where to look from.
        literal: the literal.

    Returns:
        The smallest offset from which the rest of the text begins the literal, or the length of the text.
    """
    edge = len(text)
    start = max(pos, edge - len(literal) + 1)
    head = literal
    if len(literal) > LONGEST_COMPARED:
        head = literal[:LONGEST_COMPARED]
        while (found := text.find(head, start)) >= 0:
            if literal.startswith(text[found:]):
                return found
            start = found + 1
        start = max(start, edge - len(head) + 1)
    first = head[0]
    while (start := text.find(first, start)) >= 0:
        if head.startswith(text[start:]):
            return start
        start += 1
    return edge


def held_from_any(text: str, pos: int, literals: tuple[str, ...]) -> int:
    """As `held_from`, for the first of some literals."""
    return min([held_from(text, pos, literal) for literal in literals], default=len(text))


UNDECIDED: Final = -1
"""In place of a place: a delimiter may be whole, so the text has to be searched."""


def beginnings(*literals: str) -> frozenset[str]:
    """List what literals look like while they are not whole: of short ones only, since it takes their squares."""
    return frozenset(text[:length] for text in literals for length in range(1, len(text)))


def after_last(text: str, anchor: str) -> str:
    """Cut the prefix after the last occurrence of its start anchor, or keep it whole when it has none."""
    start = text.rfind(anchor)
    return text if start < 0 else text[start + len(anchor) :]


# A message quotes at most these many characters of the body: it ends up in logs, and bodies can be megabytes.
REASON_LIMIT = 110


EXCERPT_LIMIT = 80


ResponseErrorKind = TypeVar("ResponseErrorKind", bound="ResponseError")


class ResponseError(Exception):
    """A response that could not be parsed.

    Attributes:
        reason: what went wrong.
        field: the field whose region it was, if it was one.
        position: the offset, in characters, of the body that could not be parsed, in the text that the parser
            sees: the prefix after its start anchor, then the generation.
        excerpt: the start of that body.
    """

    reason: str
    field: str | None
    position: int | None
    excerpt: str | None

    def __init__(
        self,
        reason: str,
        *,
        field: str | None = None,
        position: int | None = None,
        excerpt: str | None = None,
    ) -> None:
        place = [] if field is None else [f"field {field!r}"]
        if position is not None:
            place.append(f"region at character {position}")
        message = f"{', '.join(place)}: {reason}" if place else reason
        if excerpt is not None:
            message = f"{message}; the body begins {excerpt!r}"
        super().__init__(message)
        self.reason = reason
        self.field = field
        self.position = position
        self.excerpt = excerpt

    def __str__(self) -> str:
        # Not inherited, because KeyError's would show the repr of the message.
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        # The default would call the class with the finished message, which is no class's argument here.
        return restored_error, (type(self), self.args, dict(self.__dict__))


def restored_error(
    kind: type[ResponseErrorKind], arguments: tuple[Any, ...], attributes: dict[str, Any]
) -> ResponseErrorKind:
    """Give back the error that was pickled or copied: one of class `kind` with these attributes."""
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(attributes)
    return error


class ResponseValueError(ResponseError, ValueError):
    """A `ResponseError` that is a `ValueError`."""


class ResponseKeyError(ResponseError, KeyError):
    """A `ResponseError` that is a `KeyError`."""


class ResponseTypeError(ResponseError, TypeError):
    """A `ResponseError` that is a `TypeError`."""


class ResponseAttributeError(ResponseError, AttributeError):
    """A `ResponseError` that is an `AttributeError`."""


class ResponseRecursionError(ResponseError, RecursionError):
    """A `ResponseError` that is a `RecursionError`."""


class ResponseOverflowError(ResponseError, OverflowError):
    """A `ResponseError` that is an `OverflowError`."""


class MissingPrefixError(ResponseValueError):
    """No prefix was given."""

    def __init__(self) -> None:
        super().__init__(
            "a prefix is required: the prompt may already have opened a region of the message (such as "
            '`<think>`), so pass the prompt as `prefix`, or `prefix=""` if the text is the whole message'
        )


class ParserStateError(ResponseError, RuntimeError):
    """A call that a parser can no longer take."""

    @classmethod
    def finalized(cls) -> ParserStateError:
        """Make the error of a parser whose `finalize` was called."""
        return cls("the parser is already finalized: make a new parser for each generation")

    @classmethod
    def failed(cls) -> ParserStateError:
        """Make the error of a parser one of whose calls raised."""
        return cls("an earlier call raised, so the state of the parser is lost: make a new parser")


class ToolSchemaError(ResponseError):
    """A Python function among the tools has no usable docstring or type hints."""


REGION_ERRORS: dict[type, type[ResponseError]] = {
    ValueError: ResponseValueError,
    KeyError: ResponseKeyError,
    TypeError: ResponseTypeError,
    AttributeError: ResponseAttributeError,
    RecursionError: ResponseRecursionError,
    OverflowError: ResponseOverflowError,
}


def clipped(text: str, limit: int) -> str:
    """Shorten `text` to `limit` characters; the last one is then an ellipsis."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def reason_of(cause: Exception) -> str:
    """Say on one line, and shortly, why `cause` was raised."""
    if isinstance(cause, ResponseError):
        text = cause.reason
    elif isinstance(cause, KeyError) and len(cause.args) == 1 and isinstance(cause.args[0], str):
        text = cause.args[0]
    else:
        text = str(cause)
    # A lone surrogate quoted from the body would make the message one that no log can encode.
    encodable = " ".join(text.split()).encode("utf-8", "backslashreplace").decode("utf-8")
    return clipped(encodable or type(cause).__name__, REASON_LIMIT)


def region_error(cause: Exception, field: str, position: int, body: str) -> ResponseError:
    """Make the error to raise from `cause`, which a region's body raised.

    Args:
        cause: what the content parser, the transform or the cast of tool arguments raised.
        field: the field of the region.
        position: where the body begins.
        body: the body.

    Returns:
        A `ResponseError` that derives from the same builtin class as `cause`.
    """
    # What Python says of a value can quote all of it, and a log shows the cause as well.
    if len(cause.args) == 1 and isinstance(cause.args[0], str):
        cause.args = (clipped(cause.args[0], REASON_LIMIT),)
    kinds = (REGION_ERRORS[base] for base in type(cause).__mro__ if base in REGION_ERRORS)
    kind = next(kinds, ResponseError)
    return kind(
        reason_of(cause), field=field, position=position, excerpt=clipped(body, EXCERPT_LIMIT)
    )


# What JSON decodes to. Unlike `Any`, it tells type checkers what is in a dict or a list that they find it to be.
JsonValue: TypeAlias = dict[str, Any] | list[Any] | str | float | None


JSON_BLANKS = " \t\n\r"


# What `json.loads` calls in the end: it reads one value and gives it with the place after it. Calling it without
# what `json.loads` does around it nearly halves the time of a small document.
SCAN_JSON: Callable[[str, int], tuple[Any, int]] = vars(json.JSONDecoder())["scan_once"]


def decode_json(document: str) -> Any:
    """Give what `json.loads` gives, or raise what it raises."""
    try:
        trimmed = document.strip(JSON_BLANKS)
        value, end = SCAN_JSON(trimmed, 0)
        if end == len(trimmed):
            return value
    except (StopIteration, ValueError, AttributeError):
        pass
    # It says what is wrong, and where in the text before it was trimmed.
    return json.loads(document)


def parse_json(body: str) -> Any:
    """Parse `body` as `json.loads` does.

    Raises:
        ValueError: `body` is not JSON, or has an integer of more digits than Python converts.
        RecursionError: `body` is nested too deeply.
    """
    try:
        return decode_json(body)
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error}") from error


Sought: TypeAlias = tuple[int, int, Groups | None, int, Wake | None]
"""``(start, end, groups, hold, wake)``; without a match ``start`` is `NOWHERE`.

``hold`` is the length of the text where nothing has to be held back.
"""


Matched: TypeAlias = tuple[int, int, Groups | None, Wake | None]
"""What a matcher finds at one place: ``(outcome, place, groups, wake)``.

The place is the end of a match; where text ran out, the place from which no other attempt can do better; after a
mismatch, the first place where another attempt could.
"""


PENDING: Final = 1


MISMATCH: Final = 2


Seeker: TypeAlias = Callable[[str, int, bool], Sought]


Seen: TypeAlias = dict[Seeker, Sought]
"""What seekers found in a text, for as long as the place looked from has not passed it."""


Found: TypeAlias = tuple[Action, int, int, Groups | None, Wake | None]
"""``(action, start, end, groups, wake)``."""


def unfinished(text: str, place: int, literal: str, retry: int) -> Matched:
    """Tell whether a text that does not stand at a place could still come to stand there."""
    rest = text[place : place + len(literal)]
    if len(rest) < len(literal) and literal.startswith(rest):
        return PENDING, len(text), None, None
    return MISMATCH, retry, None, None


HINT_TYPES: dict[Any, str | None] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
    list: "array",
    tuple: "array",
    dict: "object",
    Any: None,
}


# By name, because importing these libraries to look at a hint would take seconds.
FOREIGN_HINT_TYPES: dict[tuple[object, object], str] = {
    ("PIL.Image", "Image"): "image",
    ("torch", "Tensor"): "audio",
}


SCALAR_TYPES: dict[type, str] = {
    int: "integer",
    float: "number",
    str: "string",
    bool: "boolean",
    type(None): "null",
}


CHOICES_MARK = re.compile(r"\(choices:\s*", re.IGNORECASE)


LEADING_WORD = re.compile(r"\w+")


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
    name: str = getattr(function, "__name__", "operation")
    docstring = inspect.getdoc(function)
    if not docstring:
        raise ToolSchemaError(f"the tool {name!r} has no docstring")
    parameters = parameters_schema(function, name)
    descriptions = argument_descriptions(docstring.strip())
    for argument, schema in parameters["properties"].items():
        if argument not in descriptions:
            raise ToolSchemaError(
                f"the docstring of the tool {name!r} does not describe {argument!r}"
            )
        choices = described_choices(descriptions[argument])
        if choices is not None:
            schema["enum"] = choices
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


def parameters_schema(function: Callable[..., Any], name: str) -> dict[str, Any]:
    """Make the schema of a function's parameters from its type hints."""
    hints = get_type_hints(function)
    parameters = inspect.signature(function).parameters
    receiver = receiver_name(parameters.values())
    required: list[str] = []
    for parameter in parameters.values():
        if parameter.name == receiver:
            continue
        if parameter.annotation is inspect.Parameter.empty:
            raise ToolSchemaError(
                f"the argument {parameter.name!r} of the tool {name!r} has no type hint"
            )
        # Not `is`: a default that cannot be compared, such as an array, is refused by transformers too.
        if parameter.default == inspect.Parameter.empty:
            required.append(parameter.name)
    properties: dict[str, Any] = {}
    for argument, hint in hints.items():
        if argument == "return":
            check_returned(hint)
        elif argument != receiver:
            properties[argument] = hint_schema(hint)
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return schema


def receiver_name(parameters: Iterable[inspect.Parameter]) -> str | None:
    """Give the name of the receiver of a method that is not bound: a first `self` or `cls` without a hint."""
    first = next(iter(parameters), None)
    if first is None or first.name not in ("self", "cls"):
        return None
    return first.name if first.annotation is inspect.Parameter.empty else None


def check_returned(hint: Any) -> None:
    """Let what `hint_schema` raises through, but for a hint that merely has no schema: nothing needs it."""
    try:
        hint_schema(hint)
    except ToolSchemaError:
        return


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
        return (
            {"type": "array", "items": hint_schema(arguments[0])}
            if arguments
            else {"type": "array"}
        )
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
        raise ToolSchemaError(
            "a tuple of one element, or of any number, has no JSON schema: use a list"
        )
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
    stripped = line.lstrip(" \t")
    word = LEADING_WORD.match(stripped)
    if word is None:
        return None
    rest = stripped[word.end() :]
    annotated = rest.lstrip(" \t")
    if annotated.startswith("("):
        annotation, _, rest = annotated[1:].partition(")")
        if "(" in annotation:
            return None
    if not rest.startswith(":"):
        return None
    return line[: len(line) - len(stripped)], word[0], rest[1:]


def described_choices(description: str) -> list[Any] | None:
    """Read the choices that end a description, as in `(choices: ["tea", "coffee"])`."""
    mark = CHOICES_MARK.search(description)
    if mark is None or not description.endswith(")"):
        return None
    choices: Iterable[Any] = json.loads(description[mark.end() : -1])
    return [choice.strip() if isinstance(choice, str) else choice for choice in choices]


class PreparedTools:
    """Tools that were read once, to be given to any number of parsers; `prepare_tools` makes them.

    A parser takes them wherever it takes tools, at no cost, and casts arguments as it would by the tools
    themselves when they were prepared: a later change of these changes nothing. Parsers on several threads can
    share them, and they can be pickled.

    Attributes:
        argument_types: for each tool its parameters, and for each of these the types, other than `string`, that
            its arguments can be read as, in the order in which to try them; only parameters that have some.
    """

    __slots__ = ("argument_types",)

    argument_types: Mapping[str, Mapping[str, Sequence[str]]]

    def __init__(self, argument_types: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        self.argument_types = argument_types

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
        TypeError: the schema of a parameter has an `anyOf` or `oneOf` that is no list. Tools that are not
            prepared are refused for that only when a call has the parameter.
        ToolSchemaError: a Python function has no usable docstring or type hints.
    """
    parameters = tool_parameters(tools)
    if isinstance(parameters, dict):
        types = {name: castable_types(name, properties) for name, properties in parameters.items()}
        return PreparedTools(types)
    return parameters


def castable_types(tool: str, properties: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    """List for each of a tool's parameters the types that text can be cast to, if there are any."""
    castable: dict[str, tuple[str, ...]] = {}
    for parameter, schema in properties.items():
        try:
            declared = declared_types(schema)
        except TypeError as error:
            raise TypeError(
                f"the tool {tool!r} declares its parameter {parameter!r} with an 'anyOf' or 'oneOf' that is "
                f"no list: {error}"
            ) from error
        if types := tuple(name for name in dict.fromkeys(declared) if name in ARGUMENT_READERS):
            castable[parameter] = types
    return castable


def tool_parameters(
    tools: Iterable[Any] | PreparedTools | None,
) -> dict[str, dict[str, Any]] | PreparedTools:
    """Collect what is known of the parameters of `tools`.

    Args:
        tools: JSON schemas, bare or under the key `function`, and Python functions; others are passed over.
            Or what `prepare_tools` gave.

    Returns:
        For each name of a tool its `properties`: the same dict, not a copy, and an empty one if it has none.
        Prepared tools are given back.

    Raises:
        ToolSchemaError: a Python function has no usable docstring or type hints.
    """
    parameters: dict[str, dict[str, Any]] = {}
    if not tools:
        return parameters
    # By the attribute, too: a standalone module has a class of its own, yet takes what another prepared.
    if isinstance(tools, PreparedTools) or hasattr(tools, "argument_types"):
        return cast("PreparedTools", tools)
    given: Iterable[JsonValue | FunctionType | MethodType] = tools
    for tool in given:
        if isinstance(tool, dict):
            declaration: JsonValue = tool.get("function", tool)
        elif isinstance(tool, (FunctionType, MethodType)):
            # Few callers pass functions, and reading their signatures takes modules that nothing else needs.

            declaration = function_schema(tool)["function"]
        else:
            continue
        if isinstance(declaration, dict) and isinstance(name := declaration.get("name"), str):
            schema: JsonValue = declaration.get("parameters")
            properties: JsonValue = schema.get("properties") if isinstance(schema, dict) else None
            parameters[name] = properties if isinstance(properties, dict) else {}
    return parameters


def cast_arguments(value: JsonValue, parameters: dict[str, dict[str, Any]] | PreparedTools) -> Any:
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
        return cast_text(argument, types)
    if isinstance(argument, list) and "array" not in types:
        # An argument given several times, which `merge_duplicates` collected.
        return [cast_text(item, types) if isinstance(item, str) else item for item in argument]
    return argument


def cast_text(text: str, types: Sequence[str]) -> Any:
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


Tools: TypeAlias = Sequence[dict[str, Any] | Callable[..., Any]] | PreparedTools
"""Tools as for `apply_chat_template`: JSON schemas in any of the usual shapes, and Python functions.

Or what `prepare_tools` made of them.
"""


def with_prefixes(
    texts: Sequence[str], prefix: str | Sequence[str] | None
) -> list[tuple[str, str]]:
    """Give each text of a batch its prefix.

    Args:
        texts: the generations.
        prefix: the prompt of all of them, or as many prompts; empty when the texts are whole messages.

    Raises:
        ValueError: no prefix was given, or there are not as many as texts.
    """
    if prefix is None:
        raise MissingPrefixError
    if not prefix:
        prefix = ""
    if isinstance(prefix, str):
        return [(text, prefix) for text in texts]
    if len(prefix) != len(texts):
        raise ValueError(
            f"{len(texts)} texts, but {len(prefix)} prefixes: give one for all, or as many as texts"
        )
    return list(zip(texts, prefix, strict=True))


__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionOpen",
    "ResponseParser",
    "parse_response",
    "prepare_tools",
]

Field: TypeAlias = Literal["reasoning_content", "tool_calls", "content"]


class _Defaults(TypedDict):
    role: str


class Message(_Defaults, total=False):
    """What a response becomes. A key is missing where its field caught nothing."""

    reasoning_content: str
    tool_calls: list[dict[str, Any]]
    content: str


class RegionOpen(TypedDict):
    """A region began."""

    type: Literal["region_open"]
    field: Field


class RegionChunk(TypedDict):
    """Text of the open region: a piece of its value or, where ``dirty``, raw text to parse."""

    type: Literal["region_chunk"]
    field: Field
    text: str
    dirty: bool


class RegionClose(TypedDict):
    """The region ended with this value."""

    type: Literal["region_close"]
    field: Field
    value: Any


Event: TypeAlias = RegionOpen | RegionChunk | RegionClose

# Where a parser can be.
_FAILED: Final = -2
_FINISHED: Final = -1
_OUTSIDE: Final = 0
_IN_CONTENT: Final = 1
_IN_REASONING_CONTENT: Final = 2
_IN_TOOL_CALLS: Final = 3

# So many parts of a body are joined.
_MOST_PARTS: Final = 256

_OUTSIDE_DELIMITERS: Final = re.compile(r"<tool_call>|<\|im_end\|>|<think>")
_OUTSIDE_ACTIONS: Final = {
    "<think>": _IN_REASONING_CONTENT,
    "<tool_call>": _IN_TOOL_CALLS,
    "<|im_end|>": CLOSE,
}
_OUTSIDE_LITERALS: Final = (
    "<tool_call>",
    "<|im_end|>",
    "<think>",
)
_OUTSIDE_BEGINNINGS: Final = beginnings("<think>", "<tool_call>", "<|im_end|>")
_REASONING_CONTENT_BEGINNINGS: Final = beginnings("</think>")
_TOOL_CALLS_BEGINNINGS: Final = beginnings("</tool_call>")

# The event for text of each region, to be copied.
_CHUNKS: Final[dict[int, RegionChunk]] = {
    _IN_CONTENT: {
        "type": "region_chunk",
        "field": "content",
        "text": "",
        "dirty": False,
    },
    _IN_REASONING_CONTENT: {
        "type": "region_chunk",
        "field": "reasoning_content",
        "text": "",
        "dirty": False,
    },
    _IN_TOOL_CALLS: {
        "type": "region_chunk",
        "field": "tool_calls",
        "text": "",
        "dirty": True,
    },
}


def _find_outside(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    match = _OUTSIDE_DELIMITERS.search(text, pos)
    if match is None:
        start = len(text) if at_end else held_from_any(text, pos, _OUTSIDE_LITERALS)
        return NOTHING, start, start, None, None
    start, end = match.span()
    return _OUTSIDE_ACTIONS[match[0]], start, end, None, None


def _hold_outside(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if ">" in text and _OUTSIDE_DELIMITERS.search(text):
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _OUTSIDE_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_reasoning_content(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</think>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</think>")
        return NOTHING, start, start, None, None
    end = start + 8
    return CLOSE, start, end, None, None


def _hold_reasoning_content(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</think>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _REASONING_CONTENT_BEGINNINGS:
        start = len(text)
    return start


def _find_end_of_tool_calls(text: str, pos: int, at_end: bool, seen: Seen) -> Found:
    start = text.find("</tool_call>", pos)
    if start < 0:
        start = len(text) if at_end else held_from(text, pos, "</tool_call>")
        return NOTHING, start, start, None, None
    end = start + 12
    return CLOSE, start, end, None, None


def _hold_tool_calls(text: str) -> int:
    """Give the place from which text is held back, unless a delimiter may be whole."""
    if "</tool_call>" in text:
        return UNDECIDED
    start = text.rfind("<")
    if text[start:] not in _TOOL_CALLS_BEGINNINGS:
        start = len(text)
    return start


_FINDERS: Final = (
    _find_outside,
    _find_outside,
    _find_end_of_reasoning_content,
    _find_end_of_tool_calls,
)

_HOLDS: Final = (
    _hold_outside,
    _hold_outside,
    _hold_reasoning_content,
    _hold_tool_calls,
)


class ResponseParser:
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and
    gives the message alone. After an exception the parser refuses further use.

    Args:
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many parsers.
    """

    __slots__ = (
        "_blocks",
        "_chunk",
        "_held",
        "_message",
        "_offset",
        "_parameters",
        "_parts",
        "_state",
        "initial_events",
    )

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if prefix is None:
            raise MissingPrefixError
        self._parameters = tool_parameters(tools)
        self._state: int = _OUTSIDE
        self._chunk: RegionChunk | None = None
        self._held: str = ""
        self._offset = 0
        self._parts: list[str] = []
        self._blocks: list[str] = []
        self._message: dict[str, Any] = {"role": "assistant"}
        self.initial_events: list[Event] = []
        if prefix and (begun := after_last(prefix, "<|im_start|>assistant\n")):
            self.initial_events = self._advance(begun, False)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text:
            parts = self._parts
            parts.append(text)
            if len(parts) > _MOST_PARTS:
                self._fold()
            event = chunk.copy()
            event["text"] = text
            return [event]
        try:
            text = self._held + (text or "")
        except TypeError:
            self._state = _FAILED
            raise
        state = self._state
        if state < 0:
            return self._advance(text, False)
        end = _HOLDS[state](text)
        if end < 0:
            found = _FINDERS[state](text, 0, False, {})
            end = found[1]
            if found[0] != NOTHING:
                return self._advance(text, False, found)
        # No delimiter is whole: only the end of the text may have begun one.
        self._held = text[end:]
        if end == 0:
            self._chunk = None
            return []
        opens = state == _OUTSIDE
        if opens:
            state = self._state = _IN_CONTENT
        chunk = _CHUNKS[state]
        self._chunk = chunk if end == len(text) else None
        text = text[:end]
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = chunk.copy()
        event["text"] = text
        if opens:
            return [{"type": "region_open", "field": "content"}, event]
        return [event]

    def _fold(self) -> None:
        """Join the parts of the body: each string costs more than its characters."""
        self._blocks.append("".join(self._parts))
        self._parts.clear()

    def finalize(self) -> tuple[Message, list[Event]]:
        """End the generation and give its message, with the events of what was still open."""
        events = self._advance(self._held, True)
        message = self._finished_message()
        self._state = _FINISHED
        return message, events

    def _finished_message(self) -> Message:
        message = {key: value for key, value in self._message.items() if key == "role" or value}
        return cast(Message, message)

    def _require_open(self) -> None:
        if self._state < 0:
            raise (
                ParserStateError.failed()
                if self._state == _FAILED
                else ParserStateError.finalized()
            )

    def _advance(self, text: str, at_end: bool, found: Found | None = None) -> list[Event]:
        """Cut off the known text what is decided; ``found`` is its first delimiter, if known."""
        self._require_open()
        events: list[Event] = []
        self._chunk = None
        try:
            self._cut(text, 0, at_end, found, events)
        except BaseException:
            self._state = _FAILED
            raise
        return events

    def _cut(
        self, text: str, pos: int, at_end: bool, found: Found | None, events: list[Event]
    ) -> None:
        """Cut the text from ``pos`` on into regions, up to a delimiter not decided yet."""
        seen: Seen = {}
        while at_end or pos < len(text):
            if found is None:
                found = _FINDERS[self._state](text, pos, at_end, seen)
            action, start, end, _, _ = found
            found = None
            if start > pos:
                self._take(text[pos:start], events)
            pos = end
            if action == NOTHING:
                if at_end:
                    self._close(events)
                break
            self._close(events)
            self._offset += end - start
            if action != CLOSE:
                self._state = action
                events.append({"type": "region_open", "field": _CHUNKS[action]["field"]})
        self._held = text[pos:]
        if pos == len(text) and not at_end:
            self._chunk = _CHUNKS.get(self._state)

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the open region; outside the regions it opens the implicit one."""
        if self._state == _OUTSIDE:
            self._state = _IN_CONTENT
            events.append({"type": "region_open", "field": "content"})
        self._parts.append(text)
        if len(self._parts) > _MOST_PARTS:
            self._fold()
        event = _CHUNKS[self._state].copy()
        event["text"] = text
        events.append(event)

    def _close(self, events: list[Event]) -> None:
        """Give the open region its value, if there is one."""
        state = self._state
        if state == _OUTSIDE:
            return
        field = _CHUNKS[state]["field"]
        body = self._take_body()
        try:
            value = self._ENDS[state](self, body)
        except Exception as error:
            raise region_error(error, field, self._offset, body) from error
        self._state = _OUTSIDE
        self._offset += len(body)
        events.append({"type": "region_close", "field": field, "value": value})

    def _take_body(self) -> str:
        """Give what there is of the body of the open region."""
        body = "".join(self._parts)
        self._parts.clear()
        if self._blocks:
            body = "".join(self._blocks) + body
            self._blocks.clear()
        return body

    def finish(self, text: str) -> Message:
        """Take all that is still to come at once, and give the message without events."""
        self._require_open()
        text = self._held + text
        pos = 0
        state, self._state = self._state, _FAILED
        begun = self._take_body()
        offset = self._offset + len(begun)
        seen: Seen = {}
        while True:
            action, start, end, _, _ = _FINDERS[state](text, pos, True, seen)
            if state == _OUTSIDE and start > pos:
                state = _IN_CONTENT
            if state != _OUTSIDE:
                body = begun + text[pos:start]
                try:
                    self._ENDS[state](self, body)
                except Exception as error:
                    place = offset + pos - len(begun)
                    raise region_error(error, _CHUNKS[state]["field"], place, body) from error
                begun = ""
            if action == NOTHING:
                break
            pos = end
            state = action if action != CLOSE else _OUTSIDE
        message = self._finished_message()
        self._state = _FINISHED
        return message

    def _end_reasoning_content(self, body: str) -> str:
        value = body.strip()
        self._message["reasoning_content"] = value
        return value

    def _end_tool_calls(self, body: str) -> Any:
        content = parse_json(body)
        value: Any = {"type": "function", "function": content}
        if self._parameters:
            value = cast_arguments(value, self._parameters)
        self._message.setdefault("tool_calls", []).append(value)
        return value

    def _end_content(self, body: str) -> str:
        value = body.strip()
        self._message["content"] = value
        return value

    _ENDS: Final = {
        _IN_REASONING_CONTENT: _end_reasoning_content,
        _IN_TOOL_CALLS: _end_tool_calls,
        _IN_CONTENT: _end_content,
    }


@overload
def parse_response(
    text: str, *, prefix: str | None = None, tools: Tools | None = None
) -> Message: ...
@overload
def parse_response(
    text: list[str], *, prefix: str | Sequence[str] | None = None, tools: Tools | None = None
) -> list[Message]: ...
def parse_response(
    text: str | list[str],
    *,
    prefix: str | Sequence[str] | None = None,
    tools: Tools | None = None,
) -> Message | list[Message]:
    """Parse a whole generation, or a batch of them.

    Args:
        text: what the model wrote; a list for a batch.
        prefix: the prompt, one for each text or one for all; "" says that the text is the whole
            message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many calls.

    Returns:
        The message, or a list of as many.
    """
    texts = text if isinstance(text, list) else [text]
    messages = [_parse_one(each, before, tools) for each, before in with_prefixes(texts, prefix)]
    return messages if isinstance(text, list) else messages[0]


def _parse_one(text: str, prefix: str, tools: Tools | None) -> Message:
    return ResponseParser(prefix, tools=tools).finish(text)
