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
from io import StringIO
from types import FunctionType, MethodType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Final,
    Generic,
    Literal,
    NamedTuple,
    NoReturn,
    Protocol,
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


def after_last(text: str, anchor: str) -> str:
    """Cut the prefix after the last occurrence of its start anchor, or keep it whole when it has none."""
    start = text.rfind(anchor)
    return text if start < 0 else text[start + len(anchor) :]


BLANKS: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
    "\u202f\u205f\u3000"
)
r"""What ``\s`` is in a response template: not U+001C to U+001F, which are blanks for `re` and `str.strip`."""


_BLANK_CLASS = re.compile(r"(\[\^?)?\\s|\\.", re.DOTALL)


def spelled(pattern: str) -> str:
    r"""Write out ``\s``, so that `re` matches by it what `regex` does.

    Args:
        pattern: a pattern in which ``\s`` stands alone or first in a class.
    """
    return _BLANK_CLASS.sub(_spelled_class, pattern) if r"\s" in pattern else pattern


def _spelled_class(match: re.Match[str]) -> str:
    if not match[0].endswith(r"\s"):
        return match[0]
    return f"{match[1]}{BLANKS}" if match[1] else f"[{BLANKS}]"


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


class MissingFieldError(ResponseValueError):
    """Required fields are missing from the message.

    Attributes:
        fields: their names.
    """

    fields: tuple[str, ...]

    def __init__(self, fields: Iterable[str]) -> None:
        self.fields = tuple(fields)
        names = ", ".join(map(repr, self.fields))
        super().__init__(f"the response ended without its required fields: {names}")


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


def endless_error(field: str, position: int) -> ResponseError:
    """Make the error for a region that opened and closed at one place, which the interpreter would do for ever."""
    return ResponseValueError(
        "the region opened and closed without taking any text, and would do so again for ever: "
        "the template's opener and closer both match nothing there",
        field=field,
        position=position,
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


def checked_prefix(prefix: object) -> str:
    """Give the prefix of a parser, as the interpreter takes it: what is empty or zero is the empty prefix.

    Raises:
        MissingPrefixError: there is none.
        TypeError: it is no string, such as a list of prefixes, which only a batch has.
    """
    if prefix is None:
        raise MissingPrefixError
    if not prefix:
        return ""
    if not isinstance(prefix, str):
        raise TypeError(f"the prefix of a parser is a string, not of type {type(prefix).__name__}")
    return prefix


def whole_text(text: object) -> str:
    """Give the text of a whole generation, as the interpreter takes it: None, and what else is empty, is no text.

    Raises:
        TypeError: it is no string.
    """
    if not text:
        return ""
    if not isinstance(text, str):
        raise TypeError(f"a generation is a string, not of type {type(text).__name__}")
    return text


ONCE: Final = "(?#once)"
"""Stands before a delimiter that comes nowhere later where a run of it led nowhere."""


BLANKS_BEFORE: Final = "in_blanks_before"
"""The group of blanks that end a text and may belong to a delimiter."""


class Found(Protocol):
    """A delimiter, or the beginning of one: a match of `re` or `regex`, or what `regex` found by several searches."""

    @property
    def lastgroup(self) -> str | None:
        """What the delimiter does; for a beginning, None or the run that it ends in."""
        ...

    def start(self) -> int:
        """Give the place where it begins."""
        ...

    def end(self) -> int:
        """Give the place after it."""
        ...

    def __getitem__(self, group: str, /) -> Any:
        """Give what a named group took; None if it took no part."""
        ...


Search: TypeAlias = Callable[[str, int], "Found | None"]


def compiled(pattern: str) -> re.Pattern[str]:
    r"""Compile an expression of a template: ``.`` matches a newline too, and ``\s`` what it matches for `regex`."""
    return re.compile(spelled(pattern), re.DOTALL)


class Skip(NamedTuple):
    """How to go on after a beginning whose run led nowhere: what begins like it within that run leads nowhere either.

    Attributes:
        length: the length of what stands before the run; None where the run goes on to the end of the text, so that
            the delimiter, which has `ONCE` before it, comes nowhere later.
        heads: finds how the other delimiters of the state begin,
        width: and the length of the longest of those heads.
    """

    length: int | None
    heads: Callable[[str, int, int], Any] | None = None
    width: int = 0


class Place:
    """A delimiter, or the beginning of one, at a place that a state made out itself; as `Found`.

    Args:
        lastgroup: what it does.
        first: where it begins,
        after: and the place after it.
        found: what has its groups, if it has any.
    """

    __slots__ = ("after", "first", "found", "lastgroup")

    def __init__(self, lastgroup: str | None, first: int, after: int, found: Any = None) -> None:
        self.lastgroup = lastgroup
        self.first = first
        self.after = after
        self.found = found

    def start(self) -> int:
        """Give the place where it begins."""
        return self.first

    def end(self) -> int:
        """Give the place after it."""
        return self.after

    def __getitem__(self, group: Any, /) -> Any:
        """Give what a named group took."""
        return self.found[group]


def before_newline(search: Search, group: str) -> Search:
    """Let a newline that ends the text be where a delimiter stands that takes nothing; ``group``: what it does."""

    def scan(text: str, pos: int) -> Found | None:
        found = search(text, pos)
        if pos == len(text) or text[-1] != "\n":
            return found
        if found is not None and (group or found.start() < len(text) - 1):
            return found
        # While more may come, nothing else counts there either.
        return Place(group or None, len(text) - 1, len(text) - 1)

    return scan


def with_blanks(search: Search, groups: frozenset[str], begun: Search | None) -> Search:
    """Let delimiters take the blanks before them along.

    Args:
        search: finds them without the blanks.
        groups: those that do so.
        begun: matches their beginnings; None where the text is complete.
    """

    def blanks_before(place: int, text: str, pos: int) -> int:
        while place > pos and text[place - 1] in BLANKS:
            place -= 1
        return place

    def scan(text: str, pos: int) -> Found | None:
        found = search(text, pos)
        if found is None:
            edge = len(text)
            if begun is None or edge == pos or text[-1] not in BLANKS:
                return None
            return Place(BLANKS_BEFORE, blanks_before(edge, text, pos), edge)
        place = found.start()
        if place == pos or text[place - 1] not in BLANKS:
            return found
        if found.lastgroup not in groups and (begun is None or begun(text, place) is None):
            return found
        return Place(found.lastgroup, blanks_before(place, text, pos), found.end(), found)

    return scan


SHORT_TEXT: Final = 64
"""In a text of fewer characters, such as a chunk, trying each place is faster than looking for the places to try."""


def at_first(find: Search, match: Search, search: Search) -> Search:
    """Look only where a delimiter can begin.

    Args:
        find: finds such a place.
        match: matches a delimiter at one.
        search: tries every place.
    """

    def scan(text: str, pos: int) -> Found | None:
        if len(text) - pos < SHORT_TEXT:
            return search(text, pos)
        while (place := find(text, pos)) is not None:
            pos = place.start()
            if (found := match(text, pos)) is not None:
                return found
            pos += 1
        return None

    return scan


def not_from_inside(search: Search, match: Search) -> Search:
    """Search for what may begin with a run: at the place itself maybe inside one, further on only where one begins."""

    def scan(text: str, pos: int) -> Found | None:
        return (match(text, pos) if pos else None) or search(text, pos)

    return scan


def hiding(last: Search, first: Search) -> Search:
    """Let a whole delimiter hide what has begun before it.

    Args:
        last: finds whole ones,
        first: and those or what has begun, whichever comes first.
    """

    def scan(text: str, pos: int) -> Found | None:
        if len(text) - pos < SHORT_TEXT:
            found = first(text, pos)
            return None if found is None else last(text, pos) or found
        # What has begun may go on to the end of the text, which is looked at only where nothing is whole.
        return last(text, pos) or first(text, pos)

    return scan


def not_skipped(match: Search, skips: Mapping[Any, Skip]) -> Search:
    """Look at one place alone, where a run that led nowhere is nothing."""

    def scan(text: str, pos: int) -> Found | None:
        found = match(text, pos)
        return None if found is None or found.lastgroup in skips else found

    return scan


def skipping(search: Search, skips: Mapping[Any, Skip], without: Search) -> Search:
    """Search on where a run led nowhere, without trying it again from every place inside it.

    Args:
        search: finds delimiters, and the beginnings whose runs led nowhere.
        skips: how to go on, by the groups of those.
        without: searches without what comes nowhere later.
    """

    def scan(text: str, pos: int) -> Found | None:
        while (match := search(text, pos)) is not None and match.lastgroup in skips:
            length, heads, width = skips[match.lastgroup]
            pos = match.start() + 1
            if length is None:
                return without(text, pos)
            end = max(pos, min(match.end() - length, len(text) - width))
            if heads is not None and (other := heads(text, pos, end + width)):
                end = min(end, other.start())
            if end > len(text):
                return None
            pos = end
        return match

    return scan


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


def is_empty(value: Any) -> bool:
    """Whether a message leaves this value out: None, or an empty string, list or dict."""
    return not value and (value is None or isinstance(value, (str, list, dict)))


MessageT = TypeVar("MessageT")


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


class ParseResponse(Generic[MessageT]):
    """Parses a whole generation, or a batch of them, with the parser that it was made of."""

    __slots__ = ("_parser",)

    def __init__(self, parser: Callable[..., Stream[MessageT, Any]]) -> None:
        self._parser = parser

    if TYPE_CHECKING:  # at run time, each overload would be kept for ever

        @overload
        def __call__(
            self, text: str, *, prefix: str | None = None, tools: Tools | None = None
        ) -> MessageT: ...
        @overload
        def __call__(
            self,
            text: list[str],
            *,
            prefix: str | Sequence[str] | None = None,
            tools: Tools | None = None,
        ) -> list[MessageT]: ...

    def __call__(
        self,
        text: str | list[str],
        *,
        prefix: str | Sequence[str] | None = None,
        tools: Tools | None = None,
    ) -> MessageT | list[MessageT]:
        """Parse a whole generation, or a batch of them.

        Args:
            text: what the model wrote; a list for a batch.
            prefix: the prompt, one for each text or one for all; "" says that the text is the whole message.
            tools: casts the arguments of tool calls to the types that these declare; `prepare_tools` reads them once
                for many calls.

        Returns:
            The message, or a list of as many.
        """
        if not isinstance(text, list):
            return self._parser(prefix, tools=tools).finish(whole_text(text))
        return [
            self._parser(before, tools=tools).finish(whole_text(each))
            for each, before in with_prefixes(text, prefix)
        ]


CloseRegion: TypeAlias = Callable[["Stream[Any, Any]", str], Any]


class Run(NamedTuple):
    """What wakes text that is held back in a run of characters, for no other text decides anything.

    Attributes:
        search: finds it in the chunks that came since.
        width: how many characters before them it has to see as well.
    """

    search: Callable[[str], Any]
    width: int = 0


STATE_ATTRIBUTES: Final = (
    "captures",
    "chunk",
    "close",
    "direct",
    "last",
    "later",
    "quick",
    "runs",
    "scan",
    "stable",
    "waits",
)
"""Named outside of the class: one that is compiled to machine code has no slots to be asked for."""


class State:
    """Where a parser can be: outside of all regions, or in a region of some field.

    Args:
        ends: the delimiters; the group behind each is the field that it opens, or `CLOSE`.
        begun: their beginnings.
        longer: beginnings that a whole delimiter may begin as well, tried before ``ends``. A group behind one names the
            run of characters that the text ends in.
        runs: those runs.
        hidden: what has begun as well, though the interpreter does not hold it back: for stable states alone.
        waits: the groups of the delimiters that wait for one more character where they end the text, as patterns do
            in the interpreter.
        captures: for each delimiter with named groups, by the groups of ``ends`` their names in the template.
        certain: delimiters that more text cannot change, though one might seem to have begun, tried first of all.
        eager: those that the interpreter takes as well, though more text could change them.
        hides: whether a whole delimiter hides what has begun before it, as it does in the interpreter.
        newline: the group of a delimiter that matches nothing before a newline that ends the text.
        behind_blanks: the groups of the delimiters that take the blanks before them along, and what has begun of them.
        first: the characters at which a delimiter can begin, as a class, where `re` does not see them by itself.
        guards: what stands in the expressions before each run that a delimiter begins with, so that it is not tried
            from every place inside it.
        skipped: beginnings whose run of characters led nowhere, tried last,
        skips: and how to go on after each, by the group that stands behind it.
        later: the state to go on in where nothing stands at the start of the message; what may stand only there is
            looked for nowhere else.
        chunk: the event for text, to be copied; None outside of all regions.
        close: makes the value of a body, and puts it into the message.
        direct: whether text without the first character of a delimiter needs no search.
        make: what compiles the expressions; that of `regex` for classes of characters that only it has.
    """

    __slots__ = STATE_ATTRIBUTES

    scan: Search
    last: Search
    stable: Search
    chunk: Any
    close: CloseRegion
    quick: bool
    later: State

    def __init__(
        self,
        ends: str,
        begun: str = "",
        *,
        longer: str = "",
        runs: Mapping[str, Run] | None = None,
        waits: Iterable[str] = (),
        captures: Mapping[str, Mapping[str, str]] | None = None,
        hidden: str = "",
        certain: str = "",
        eager: str = "",
        hides: bool = False,
        newline: str = "",
        behind_blanks: tuple[list[str], str] | None = None,
        first: str = "",
        guards: tuple[str, ...] = (),
        skipped: str = "",
        skips: Mapping[str, Skip] | None = None,
        later: State | None = None,
        chunk: Any = None,
        close: CloseRegion | None = None,
        direct: bool = True,
        make: Callable[[str], Any] | None = None,
    ) -> None:
        self.runs: Mapping[Any, Run] = runs or {}
        self.waits = frozenset(waits)
        self.captures: Mapping[Any, Mapping[str, str]] = captures or {}
        self.chunk = chunk
        self.close = close or nothing_open
        self.direct = direct
        self.quick = False
        self.later = later or self
        make_pattern = compiled if make is None else make

        def search(*parts: str) -> Search:
            pattern = "|".join(part for part in parts if part)
            found: Search = make_pattern(pattern).search
            if first:
                found = at_first(compiled(first).search, make_pattern(pattern).match, found)
            elif guards:
                for guard in guards:
                    pattern = pattern.replace(guard, "")
                found = not_from_inside(found, make_pattern(pattern).match)
            if skips is not None:
                without = (
                    make_pattern(pattern.replace(ONCE, "(?!)")).search if ONCE in pattern else found
                )
                found = skipping(found, skips, without)
            at_end = parts == (ends, skipped)
            if newline:
                found = before_newline(found, newline if at_end else "")
            if behind_blanks is None:
                return found
            groups, has_begun = behind_blanks
            return with_blanks(
                found, frozenset(groups), None if at_end else compiled(has_begun).match
            )

        def match(*parts: str) -> Search:
            found: Search = make_pattern("|".join(part for part in parts if part)).match
            return found if skips is None else not_skipped(found, skips)

        if later is not None and not hides and not newline:
            # Only what stands at the start is special: past that, `later` goes on.
            self.last = match(ends, skipped)
            self.stable = match(certain, longer, hidden, ends, begun, skipped)
            self.scan = match(certain, eager, longer, ends, begun, skipped)
            return
        self.last = search(ends, skipped)
        self.stable = (
            search(certain, longer, hidden, ends, begun, skipped)
            if certain or longer or begun or hidden or newline or behind_blanks
            else self.last
        )
        if hides:
            self.scan = hiding(self.last, search(longer, ends))
        else:
            self.scan = (
                search(certain, eager, longer, ends, begun, skipped)
                if eager or hidden
                else self.stable
            )

    def changed(self, **attributes: Any) -> State:
        """Give a state with other attributes."""
        state = State.__new__(type(self))
        for name in STATE_ATTRIBUTES:
            setattr(state, name, attributes.get(name, getattr(self, name)))
        if self.later is self:
            state.later = state
        return state


def nothing_open(stream: Stream[Any, Any], body: str) -> NoReturn:
    """Stand in where there is no region to close."""
    raise AssertionError(f"no region is open to take {body!r:.80}")


class Refusing(State):
    """What a parser that takes no more is in."""

    def __init__(self, error: Callable[[], Exception]) -> None:
        def refuse(text: str, pos: int) -> NoReturn:
            raise error()

        super().__init__("")
        self.scan = self.stable = self.last = refuse


FAILED: Final = Refusing(ParserStateError.failed)


FINALIZED: Final = Refusing(ParserStateError.finalized)


class States:
    """All states of a parser.

    Args:
        start: at the start of the message.
        following: what a delimiter leads to, by its group.
        implicit: the region that takes the text that no other claims, if there is one.
        aliases: groups that mean the same as others.
        context: how many characters before a place the delimiters look at; None for all.
        whole: whether a complete text can be searched for whole delimiters alone, without holding any back first.
    """

    __slots__ = ("all", "context", "following", "implicit", "start", "whole")

    def __init__(
        self,
        start: State,
        following: Mapping[str, State],
        implicit: State | None = None,
        *,
        aliases: Mapping[str, str] | None = None,
        context: int | None = 0,
        whole: bool = True,
    ) -> None:
        self.start = start
        self.following: dict[Any, State] = {**following}
        for alias, group in (aliases or {}).items():
            self.following[alias] = following[group]
        self.implicit = implicit
        self.context = context
        self.whole = whole
        known = [FAILED, FINALIZED, start, start.later, *following.values()]
        self.all = tuple(known if implicit is None else [*known, implicit])
        for state in self.all:
            state.quick = context == 0 and state.later is state and not isinstance(state, Refusing)

    def stable(self) -> States:
        """Give the states whose outcome does not depend on how a text is cut into chunks."""

        def stably(state: State) -> State:
            return state.changed(scan=state.stable, waits=frozenset[str]())

        start = stably(self.start)
        if self.start.later is not self.start:
            start.later = stably(self.start.later)
        return States(
            start,
            {group: stably(state) for group, state in self.following.items()},
            None if self.implicit is None else stably(self.implicit),
            context=self.context,
            whole=self.whole,
        )


EventT = TypeVar("EventT")


LONG_HELD: Final = 256
"""So many characters are held back before it is worth asking whether a chunk can decide anything."""


def text_buffer() -> StringIO:
    """Make a buffer for text that comes in pieces.

    Until Python 3.12 one keeps every piece, at some 60 bytes, unless it was read from; then it keeps characters alone.
    """
    buffer = StringIO()
    buffer.readline()
    return buffer


class Stream(Generic[MessageT, EventT]):
    """Parses one generation while it is written.

    Attributes:
        initial_events: what the prefix already wrote of the message.
        message: the message so far.
        captures: what the named groups of the open region's delimiters took.
        parameters: the parameters of tools, by the tools' names.
    """

    __slots__ = (
        "_body",
        "_chunk",
        "_held",
        "_offset",
        "_run",
        "_seen",
        "_state",
        "_tail",
        "_waiting",
        "captures",
        "initial_events",
        "message",
        "parameters",
    )

    # What a module says.
    states: ClassVar[States]
    defaults: ClassVar[dict[str, Any]] = {}
    """The keys put into every message; they stay in it though their values are empty."""
    nested: ClassVar[bool] = False
    """Whether values of the defaults have to be copied for each message."""
    required: ClassVar[tuple[str, ...]] = ()
    """The fields without which there is no message."""
    after_anchor: ClassVar[staticmethod[[str], str]]
    """Cuts a prefix after its last start anchor."""

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if not isinstance(prefix, str):
            prefix = checked_prefix(prefix)
        self.parameters = tool_parameters(tools) if tools else {}
        self.captures: dict[str, str] = {}
        self.message: dict[str, Any] = copied(self.defaults) if self.nested else {**self.defaults}
        self._state = self.states.start
        self._chunk: Any = None
        self._held = ""
        self._seen = 0
        self._run: str | None = None
        self._tail = ""
        self._waiting: StringIO | None = None
        self._offset = 0
        self._body = text_buffer()
        self.initial_events: list[EventT] = []
        if prefix and (begun := self.after_anchor(prefix)):
            self.initial_events = self._cut(begun, None)

    def feed(self, text: str) -> list[EventT]:
        """Take the next chunk of the generation and give the events that it leads to."""
        return self._advance(text or "")

    def finalize(self) -> tuple[MessageT, list[EventT]]:
        """End the generation and give its message, with the events of what was still open."""
        events = self._cut("", None, at_end=True)
        return self._finished_message(), events

    def _finished_message(self) -> MessageT:
        if self.required and (missing := self._missing_fields()):
            self._fail()
            raise MissingFieldError(missing)
        self._state, self._chunk = FINALIZED, None
        kept = self.defaults
        message = {
            key: value
            for key, value in self.message.items()
            if value or key in kept or not is_empty(value)
        }
        return cast("MessageT", message)

    def _missing_fields(self) -> list[str]:
        return [field for field in self.required if field not in self.message]

    def _fail(self) -> None:
        """Refuse further use."""
        if self._state is not FINALIZED:
            self._state, self._chunk, self._run = FAILED, None, None

    def _advance(self, text: str) -> list[EventT]:
        """Take new text, and cut off the known text what is decided."""
        state = self._state
        if not state.quick or self._run is not None:
            return self._cut(text, None)
        try:
            text = (
                self._held + text
            )  # also where nothing is held: this is where what is no string is noticed
            match = state.scan(text, 0)
            if match is None:
                new, self._held = text, ""
            else:
                group, start = match.lastgroup, match.start()
                if group in self.states.following:
                    return self._regions(text, match, False)
                # No delimiter is whole: only the end of the text may have begun one.
                if len(text) - start > LONG_HELD and group in state.runs:
                    return self._cut(text, match)
                new, self._held = text[:start], text[start:]
        except BaseException:
            self._fail()
            raise
        chunk = state.chunk
        if not new:
            self._chunk = None
            return []
        if chunk is None:
            return self._outside(new)
        self._chunk = None if self._held or not state.direct else chunk
        self._body.write(new)
        event = chunk.copy()
        event["text"] = new
        return [event]

    def _outside(self, text: str) -> list[EventT]:
        """Take text outside of all regions: it opens the implicit one."""
        events: list[Any] = []
        state = self.states.implicit
        if state is None:
            self._pass(text)
            return events
        self._state = state
        self._open(state, "", events)
        self._take(state, text, events)
        self._chunk = None if self._held or not state.direct else state.chunk
        return events

    def _cut(self, text: str, match: Found | None, at_end: bool = False) -> list[EventT]:
        """Cut known text into regions, up to a delimiter not decided yet.

        Args:
            text: new text; with a match, all known text.
            match: the first delimiter, if it is known.
            at_end: whether the text is complete.
        """
        try:
            if match is None:
                if self._run is not None and not at_end and not self._wakes(text):
                    return []
                text = "".join((self._held, self._take_waiting(), text))
            return self._regions(text, match, at_end)
        except BaseException:
            self._fail()
            raise

    def _regions(self, text: str, match: Found | None, at_end: bool) -> list[EventT]:
        events: list[Any] = []
        states, state = self.states, self._state
        pos, edge = self._seen, len(text)
        opened_empty_at = -1
        self._chunk = None
        while True:
            if match is None:
                match = state.last(text, pos) if at_end else state.scan(text, pos)
            if match is None and state.later is not state and pos < edge:
                state = state.later
                continue
            start, searched = edge if match is None else match.start(), state
            if start > pos:
                if state.chunk is None and states.implicit is not None:
                    state = states.implicit
                    self._open(state, "", events)
                self._take(state, text[pos:start], events)
            if match is None or start == edge:
                break
            group, end = match.lastgroup, match.end()
            following = states.following.get(group)
            if following is None or (end == edge and not at_end and group in searched.waits):
                runs = state.later.runs if start else searched.runs
                if group in runs and edge - start > LONG_HELD:
                    self._run, self._tail = group, text[edge - runs[group].width :]
                break
            closes = following.chunk is None
            if start == end:
                if closes and state.chunk is None:
                    # An empty closer where no region is open: what follows waits for the next call.
                    break
                if not closes:
                    if start == opened_empty_at:
                        raise endless_error(following.chunk["field"], self._offset)
                    opened_empty_at = start
            captures: dict[str, str] = {}
            if searched.captures and group in searched.captures:
                captures = named_groups(match, searched.captures[group])
            if state.chunk is not None:
                if closes and captures:
                    self.captures.update(captures)
                self._close(state, end - start if closes else 0, events)
            if closes:
                self.captures = {}
                self._pass(text[start:end])
            else:
                self.captures = captures
                self._open(following, text[start:end], events)
            pos, state, match = end, following, None
            if end == edge:
                start = edge
                break
        if at_end and state.chunk is not None:
            self._close(state, 0, events, closed=False)
        context = start if states.context is None else min(start, states.context)
        self._held, self._seen = text[start - context :], context
        self._state = state.later if start else state
        if start == edge and state.direct and not at_end and states.context == 0:
            self._chunk = state.chunk
        return events

    def _wakes(self, text: str) -> bool:
        """Tell whether a chunk can decide what is held back in a run; if not, it waits with that."""
        run = self._state.runs[self._run]
        seen = self._tail + text if run.width else text
        if run.search(seen):
            return True
        if self._waiting is None:
            self._waiting = text_buffer()
        self._waiting.write(text)
        self._tail = seen[-run.width :] if run.width else ""
        return False

    def _take_waiting(self) -> str:
        """Give the chunks that waited."""
        self._run = None
        if self._waiting is None:
            return ""
        text = self._waiting.getvalue()
        self._waiting = None
        return text

    def _pass(self, text: str) -> None:
        """Go past text that belongs to no region."""
        self._offset += len(text)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        """Begin a region."""
        self._offset += len(opener)
        events.append({"type": "region_open", "field": state.chunk["field"]})

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        """Take text of the open region, or of none."""
        if state.chunk is None:
            self._pass(text)
            return
        self._body.write(text)
        event = state.chunk.copy()
        event["text"] = text
        events.append(event)

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        """Give the open region its value; its closer has ``width`` characters, not ``closed`` if the stream ended."""
        body = self._take_body()
        value = self._value_of(state, body, self._offset)
        self._offset += len(body)
        events.append({"type": "region_close", "field": state.chunk["field"], "value": value})

    def _take_body(self) -> str:
        body = self._body.getvalue()
        if body:
            self._body.seek(0)
            self._body.truncate()
        return body

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events."""
        if not self.states.whole:
            self._cut(text or "", None)
            return self.finalize()[0]
        try:
            text = text or ""
            if self._held or self._run is not None:
                text = "".join((self._held, self._take_waiting(), text))
            self._close_all(text)
        except BaseException:
            self._fail()
            raise
        return self._finished_message()

    def _close_all(self, text: str) -> None:
        """Give all regions of a complete text their values."""
        states, state = self.states, self._state
        body, pos = self._take_body(), self._seen
        self._held, self._seen = "", 0
        offset, edge = self._offset + len(body) - pos, len(text)
        while True:
            match = state.last(text, pos)
            if match is None and state.later is not state:
                state = state.later
                continue
            start, searched = edge if match is None else match.start(), state
            if state.chunk is None and start > pos and states.implicit is not None:
                state = states.implicit
            if match is None or start == edge:
                break
            group = match.lastgroup
            following = states.following[group]
            captures = (
                named_groups(match, searched.captures[group]) if group in searched.captures else {}
            )
            if state.chunk is not None:
                if following.chunk is None:
                    self.captures.update(captures)
                self._value_of(state, body + text[pos:start], offset + pos - len(body))
                body = ""
            self.captures = {} if following.chunk is None else captures
            pos, state = match.end(), following
        if state.chunk is not None:
            self._value_of(state, body + text[pos:start], offset + pos - len(body))

    def _value_of(self, state: State, body: str, place: int) -> Any:
        try:
            return state.close(self, body)
        except Exception as error:
            raise region_error(error, state.chunk["field"], place, body) from error

    def __getstate__(self) -> dict[str, Any]:
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        kept = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return {**kept, "_state": self.states.all.index(self._state)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        for name, value in kept.items():
            setattr(self, name, self.states.all[value] if name == "_state" else value)


def copied(value: Any) -> Any:
    """Copy a JSON value: each message has its own."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {key: copied(item) for key, item in items.items()}
    if isinstance(value, list):
        values: list[Any] = cast("Any", value)
        return list(map(copied, values))
    return value


def named_groups(match: Found, groups: Mapping[str, str]) -> dict[str, str]:
    """Give the named groups of a delimiter that took part in its match, by their names in the template."""
    return {name: match[group] for group, name in groups.items() if match[group] is not None}


AnyStream: TypeAlias = Stream[Any, Any]
"""The parser of any template, in the functions that close its regions."""

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

# The event for text of each region, to be copied.
_REASONING_CONTENT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "reasoning_content",
    "text": "",
    "dirty": False,
}
_TOOL_CALLS: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "tool_calls",
    "text": "",
    "dirty": True,
}
_CONTENT: Final[RegionChunk] = {
    "type": "region_chunk",
    "field": "content",
    "text": "",
    "dirty": False,
}


def _end_reasoning_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["reasoning_content"] = value
    return value


def _end_tool_calls(parser: AnyStream, body: str) -> Any:
    content = parse_json(body)
    value: Any = {"type": "function", "function": content}
    if parser.parameters:
        value = cast_arguments(value, parser.parameters)
    parser.message.setdefault("tool_calls", []).append(value)
    return value


def _end_content(parser: AnyStream, body: str) -> str:
    value = body.strip()
    parser.message["content"] = value
    return value


# What ends each state, and what that leads to; then what has only begun to.
_OUTSIDE: Final = State(
    r"<think>(?P<reasoning_content>)|<tool_call>(?P<tool_calls>)|<\|im_end\|>(?P<close>)",
    r"<(?:t(?:h(?:i(?:nk?)?)?|o(?:o(?:l(?:_(?:c(?:a(?:ll?)?)?)?)?)?)?)?|\|(?:i(?:m(?:_(?:e(?:n"
    r"(?:d\|?)?)?)?)?)?)?)?\Z",
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            "</think>(?P<close>)",
            r"<(?:/(?:t(?:h(?:i(?:nk?)?)?)?)?)?\Z",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            "</tool_call>(?P<close>)",
            r"<(?:/(?:t(?:o(?:o(?:l(?:_(?:c(?:a(?:ll?)?)?)?)?)?)?)?)?)?\Z",
            chunk=_TOOL_CALLS,
            close=_end_tool_calls,
        ),
    },
    implicit=_OUTSIDE.changed(chunk=_CONTENT, close=_end_content),
)


def _after_anchor(prefix: str) -> str:
    return after_last(prefix, "<|im_start|>assistant\n")


class ResponseParser(Stream[Message, Event]):
    """Parses one generation while it is written.

    ``initial_events`` replays what the prefix already wrote of the message, `feed` gives the events
    of a chunk, and `finalize` the message with the last events; `finish` takes the rest at once and
    gives the message alone. After an exception the parser refuses further use.

    Args:
        prefix: the prompt that the model continued; "" says that the text is the whole message.
        tools: casts the arguments of tool calls to the types that these declare; `prepare_tools`
            reads them once for many parsers.
    """

    __slots__ = ()

    states = _STATES
    defaults: ClassVar[dict[str, Any]] = {"role": "assistant"}
    after_anchor = staticmethod(_after_anchor)

    def feed(self, text: str) -> list[Event]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser)
