"""The arguments of a call as JSON text, also piece by piece while the body of the call is written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from respc_runtime.folded_text import FoldedText
from respc_runtime.json_bodies import WRITE_JSON_UNESCAPED, can_be_encoded, decode_json
from respc_runtime.tools import ARGUMENT_READERS, cast_argument, declared_types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from respc_runtime.careful_tools import CarefulTools
    from respc_runtime.forms import CallForm, Source
    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.schema_types import ArgumentType
    from respc_runtime.tools import ArgumentTable, PreparedTools

_NO_JSON_MARK: Final = re.compile(r'[^"{}\[\],:]+')
_NO_STRING_MARK: Final = re.compile(r'[^"\\]+')


def compact_json(value: Any) -> str:
    """Write `value` as JSON, with characters as they are."""
    text = WRITE_JSON_UNESCAPED(value)
    return text if can_be_encoded(text) else json.dumps(value)


def written_arguments(arguments: Any) -> str:
    """Write the arguments of a call as clients expect them: the JSON text of an object.

    Text that already is an object's goes through as it is, and no arguments at all are an empty object.
    """
    if arguments is None:
        return "{}"
    if isinstance(arguments, str):
        try:
            if isinstance(decode_json(arguments), dict):
                return arguments
        except (ValueError, RecursionError):
            pass
    return compact_json(arguments)


def same_json(first: Any, second: Any) -> bool:
    """Tell whether two values are the same as JSON: 1 is neither 1.0 nor true, and NaN is NaN."""
    return json.dumps(first) == json.dumps(second)


class JsonWalker:
    """Follows JSON text, in pieces of any size, and tells where values begin and end.

    It does not check the text: whoever parses it in the end does. The time is linear, and no depth is too deep.

    Args:
        depth: in so many nested containers the keys of objects are read.
    """

    __slots__ = ("_depth", "_escaped", "_expects_key", "_in_string", "_key", "keys")

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._in_string = False
        self._escaped = False
        self._expects_key = False
        self._key: list[str] | None = None
        # Of each open container: of an object the last key, of a list nothing.
        self.keys: list[str | None] = []

    def begin(self, first: str) -> None:
        """Called before a string, an object or a list, with its first character."""

    def take(self, text: str) -> None:
        """Called with all of the text, in pieces."""

    def end(self) -> None:
        """Called after a string, an object or a list, when `keys` is again as at its beginning."""

    def walk(self, text: str) -> None:
        """Follow the next piece."""
        if self._in_string and not self._escaped and '"' not in text and "\\" not in text:
            self.take(text)
            if self._key is not None:
                self._key.append(text)
            return
        place = 0
        while place < len(text):
            place = self._in_a_string(text, place) if self._in_string else self._outside(text, place)

    def _in_a_string(self, text: str, place: int) -> int:
        mark = text[place]
        end = place + 1
        closes = False
        if self._escaped:
            self._escaped = False
        elif mark == "\\":
            self._escaped = True
        elif mark == '"':
            closes = True
        elif match := _NO_STRING_MARK.match(text, place):
            end = match.end()
        part = text[place:end]
        self.take(part)
        if self._key is not None:
            self._key.append(part)
        if closes:
            self._close_string()
        return end

    def _close_string(self) -> None:
        self._in_string = False
        key, self._key = self._key, None
        if key is None:
            self.end()
        elif len(self.keys) <= self._depth:
            try:
                self.keys[-1] = str(json.loads("".join(key)))
            except ValueError:
                self.keys[-1] = ""

    def _outside(self, text: str, place: int) -> int:
        match = _NO_JSON_MARK.match(text, place)
        if match is not None:
            self.take(match[0])
            return match.end()
        mark = text[place]
        if mark == '"':
            self._in_string = True
            if self._expects_key:
                self._key = ['"']
            else:
                self.begin(mark)
            self.take(mark)
        elif mark in "{[":
            self.begin(mark)
            self.take(mark)
            self.keys.append("" if mark == "{" else None)
            self._expects_key = mark == "{"
        elif mark in "}]":
            self.take(mark)
            self._expects_key = False
            if self.keys:
                self.keys.pop()
                self.end()
        else:
            self._expects_key = mark == "," and bool(self.keys) and self.keys[-1] is not None
            self.take(mark)
        return place + 1


class CastRules(NamedTuple):
    """How the arguments of a tool's calls are cast.

    Attributes:
        type_of: gives the types that a parameter's argument can be cast to, and those of an array's elements; it raises
            a TypeError for a schema that cannot be read.
        cast: casts an argument to these.
    """

    type_of: Callable[[str], ArgumentType | None]
    cast: Callable[[Any, ArgumentType], Any]


class ArgumentCaster(JsonWalker):
    """Casts arguments in the text of their object, each one when it is whole; others go through as written.

    Args:
        rules: how they are cast.
    """

    __slots__ = ("_held", "_out", "_rules", "_type")

    def __init__(self, rules: CastRules) -> None:
        super().__init__(1)
        self._rules = rules
        self._type: ArgumentType | None = None
        self._held: list[str] | None = None
        self._out: list[str] = []

    def cast(self, text: str) -> str:
        """Take the next piece, and give what can go out."""
        self.walk(text)
        out = "".join(self._out)
        self._out.clear()
        return out

    def begin(self, first: str) -> None:
        """Hold an argument back that may be cast."""
        if len(self.keys) != 1 or (key := self.keys[0]) is None or first == "{":
            return
        try:
            self._type = self._rules.type_of(key)
        except TypeError:
            # Its schema cannot be read: the parser says so when the region ends.
            self._type = None
        if self._type is None:
            return
        types, elements = self._type
        if first == '"' or elements or "array" not in types:
            self._held = []

    def take(self, text: str) -> None:
        """Let text out that is not held back."""
        (self._out if self._held is None else self._held).append(text)

    def end(self) -> None:
        """Cast the argument that was held back."""
        if self._held is None or self._type is None or len(self.keys) != 1:
            return
        written, self._held = "".join(self._held), None
        try:
            self._out.append(compact_json(self._rules.cast(json.loads(written), self._type)))
        except (ValueError, RecursionError):
            # No JSON: the region will turn out malformed.
            self._out.append(written)


def cast_rules(
    tool: str, parameters: dict[str, dict[str, Any]] | PreparedTools | ArgumentTable
) -> CastRules | None:
    """Tell how the arguments of a tool's calls are cast; None if none can be."""
    if not parameters:
        return None
    # By the attribute: a standalone module has a class of its own, which an earlier version had not.
    if not hasattr(parameters, "parameter_types"):
        return interpreters_rules(tool, cast("dict[str, dict[str, Any]] | PreparedTools", parameters))
    table = cast("CarefulTools", parameters)
    type_of = table.parameter_types(tool)
    return None if type_of is None else CastRules(type_of, table.cast_argument)


def interpreters_rules(tool: str, parameters: dict[str, dict[str, Any]] | PreparedTools) -> CastRules | None:
    """Tell the same for a parser that casts as the interpreter does."""
    known: Mapping[str, Any] | None
    known = parameters.get(tool) if isinstance(parameters, dict) else parameters.argument_types.get(tool)
    if not known:
        return None

    def type_of(key: str) -> ArgumentType | None:
        found: Any = known.get(key)
        types = declared_types(found) if isinstance(parameters, dict) else found or ()
        return (types, ()) if any(name in ARGUMENT_READERS for name in types) else None

    def cast_to(argument: Any, declared: ArgumentType) -> Any:
        return cast_argument(argument, declared[0])

    return CastRules(type_of, cast_to)


@dataclass(slots=True, eq=False)
class WrittenCall:
    """A call while its region is open; it goes out once its name is whole.

    Attributes:
        name: its name, empty until that is whole.
        id: its id, empty until that is whole, or until it went out if the format has none.
        arguments: text of its arguments that was not asked for yet.
        begun: whether the text of an object of arguments began.
        index: its place among the calls of the message, if it went out.
        caster: what casts its arguments, if anything does.
        sent: what went out of its arguments.
        is_whole: whether its region ended with it as it went out.
    """

    name: str
    id: str
    arguments: list[str] = field(default_factory=list[str])
    begun: bool = False
    index: int = -1
    caster: ArgumentCaster | None = None
    sent: FoldedText = field(default_factory=FoldedText)
    is_whole: bool = False


class CallWalker(JsonWalker):
    """Finds calls in a JSON body while it is written.

    Args:
        form: where the parts of a call are.
        name: the name, empty if the body has it.
        identity: the same of the id.
    """

    __slots__ = ("_captured", "_part", "_part_depth", "_paths", "_start", "_text", "calls")

    def __init__(self, form: CallForm, name: str, identity: str) -> None:
        parts = {"name": form["name"], "id": form["id"], "arguments": form["arguments"]}
        self._paths: dict[tuple[str | None, ...], str] = {
            path: part for part, source in parts.items() if (path := body_path(source)) is not None
        }
        self._start = int(form["each"])
        super().__init__(self._start + max(map(len, self._paths), default=0))
        self._captured = name, identity
        self._part: str | None = None
        self._part_depth = 0
        self._text: list[str] = []
        self.calls: list[WrittenCall] = []

    def begin(self, first: str) -> None:
        """See whether a call, or a part of one, begins."""
        depth = len(self.keys)
        if depth == self._start and (not depth or self.keys[0] is None) and (depth or not self.calls):
            self.calls.append(WrittenCall(*self._captured))
        if self._part is not None or not self.calls or not self._start <= depth <= self._depth:
            return
        part = self._paths.get(tuple(self.keys[self._start :]))
        if part == "arguments":
            call = self.calls[-1]
            # What comes twice is found out at the close, where the text that went out is compared with the value.
            if first != "{" or call.begun:
                return
            call.begun = True
        elif part is None or first != '"':
            return
        self._part, self._part_depth = part, depth

    def take(self, text: str) -> None:
        """Keep the text of the part that is open."""
        if self._part == "arguments":
            self.calls[-1].arguments.append(text)
        elif self._part is not None:
            self._text.append(text)

    def end(self) -> None:
        """Note the part that ended."""
        if self._part is None or len(self.keys) != self._part_depth:
            return
        part, self._part = self._part, None
        if part == "arguments":
            return
        call = self.calls[-1]
        try:
            value: JsonValue = json.loads("".join(self._text))
        except ValueError:
            value = None
        self._text.clear()
        if isinstance(value, str) and value and can_be_encoded(value):
            if part == "name":
                call.name = call.name or value
            else:
                call.id = call.id or value


def body_path(source: Source | None) -> tuple[str, ...] | None:
    """Give the keys by which a part is found in the body, if it is there."""
    return source[1:] if source is not None and source[0] == "content" else None


def can_stream_arguments(form: CallForm) -> bool:
    """Tell whether the text of the arguments can go out while a region of this form is open."""
    arguments = body_path(form["arguments"])
    if arguments is None or form["name"] is None:
        return False
    others = [path for path in (body_path(form["name"]), body_path(form["id"])) if path is not None]
    # A part within another would have to be read at the same time.
    return all(path != arguments[: len(path)] and arguments != path[: len(arguments)] for path in others)
