"""A JSON reader that gives the values of ``json.loads`` and the place of each of them.

It keeps its own stack, so deep nesting is refused by a limit and never by the recursion limit of Python.
Scalars are read by the standard library's decoder, one at a time: what it accepts, this accepts, with the
same value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any, Final, NoReturn

from respc.diagnostics.wording import quoted
from respc.source.json_places import Place, PlaceNode, Places
from respc.source.pointers import child_pointer
from respc.source.sizes import MAX_DOCUMENT_VALUES
from respc.source.spans import SourceText, Span

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "MAX_DEPTH",
    "MAX_DUPLICATES",
    "JsonDocument",
    "JsonError",
    "Place",
    "offset_in_string",
    "read_json",
]

MAX_DEPTH: Final = 64
"""Objects and arrays may be nested this deep."""

MAX_DUPLICATES: Final = 100
"""Duplicate keys past this number are not recorded."""

_DECODER: Final = JSONDecoder()
_BLANKS: Final = " \t\n\r"
_WHITE_SPACE: Final = re.compile(r"[ \t\n\r]*")
_WORD: Final = re.compile(r"\w+|//|/\*|.", re.DOTALL)
COMMENT: Final = re.compile(r"//[^\r\n]*|/\*.*?(?:\*/|\Z)|#[^\r\n]*", re.DOTALL)
_ESCAPE: Final = re.compile(r"\\u\w{0,4}|\\.?", re.DOTALL)
_INTEGER: Final = re.compile(r"-?\d+")
_WELL_FORMED_STRING: Final = re.compile(
    r'"(?:[^"\\\x00-\x1f]+|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*',
)
_STRING_CHARACTER: Final = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\"\\]",
)
_VALUE_HINTS: Final = {
    "'": "JSON strings are written in double quotes",
    "True": "JSON writes it `true`",
    "False": "JSON writes it `false`",
    "None": "JSON writes it `null`",
    "undefined": "JSON has no such value; `null` is the nearest",
    "+": "a JSON number has no leading plus sign",
    ".": "a JSON number has at least one digit before its point",
}


class JsonError(ValueError):
    """A text that is not JSON, or is past this reader's limits.

    ``span`` is the place, ``offset`` where it starts in the text, ``slug`` the diagnostic's name, ``hint`` a way to
    fix it where one is known.
    """

    def __init__(
        self,
        message: str,
        span: Span,
        slug: str = "invalid-json",
        hint: str | None = None,
        *,
        offset: int | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.slug = slug
        self.hint = hint
        self.offset = offset


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """A JSON value with its text.

    ``places`` maps JSON pointers to places; ``duplicates`` holds the pointer of each member whose key its
    object already had, and the place of that later key (the one that wins).
    """

    value: Any
    source: SourceText
    places: Places
    duplicates: tuple[tuple[str, Span], ...]


def read_json(source: SourceText, text: str | None = None) -> JsonDocument:
    """Read a JSON document; JsonError when ``json.loads`` would refuse it, or it is past a limit of this reader.

    Args:
        source: the document.
        text: what to read in its place, of the same length, so that its places are those of the source.
    """
    reader = _Reader(source, source.text if text is None else text)
    value, root = reader.read()
    return JsonDocument(value, source, Places(root, source), tuple(reader.duplicates))


def offset_in_string(document: JsonDocument, pointer: str, index: int, end: int | None = None) -> Span:
    """Return the span, in the file, of the characters ``index`` up to ``end`` of the string at ``pointer``.

    Without ``end``, of one character. The index just past the last character gives the closing quote. Escapes
    count as the characters they stand for. KeyError when there is no such value, ValueError when it is not a
    string, IndexError when the string is shorter.
    """
    start_offset, end_offset = document.places.value_offsets(pointer)
    text = document.source.text
    if text[start_offset] != '"':
        raise ValueError(f"the value at {pointer!r} is not a string")
    last = index if end is None or end <= index else end - 1
    first_start = -1
    position = start_offset + 1
    for count in range(last + 1):
        character = _STRING_CHARACTER.match(text, position, end_offset - 1)
        stop = character.end() if character is not None else end_offset
        if count == index:
            first_start = position
        if count == last and first_start >= 0:
            return document.source.span(first_start, stop)
        if character is None:
            break
        position = stop
    raise IndexError(f"the string at {pointer!r} has no character {last}")


class _Frame:
    """An object or array whose end has not been read: members for the one, elements for the other."""

    __slots__ = (
        "closer",
        "element_nodes",
        "elements",
        "is_object",
        "key",
        "key_end",
        "key_start",
        "member_nodes",
        "members",
        "node",
    )

    def __init__(self, is_object: bool, node: PlaceNode) -> None:
        self.is_object = is_object
        self.closer = "}" if is_object else "]"
        self.node = node
        self.key = ""
        self.key_start = -1
        self.key_end = -1
        self.members: dict[str, Any] = {}
        self.member_nodes: dict[str, PlaceNode] = {}
        self.elements: list[Any] = []
        self.element_nodes: list[PlaceNode] = []
        node.children = self.member_nodes if is_object else self.element_nodes

    @property
    def last_key(self) -> str | int:
        """The key or index of what was read last."""
        return self.key if self.is_object else len(self.elements) - 1


class _Reader:
    """One reading of one text."""

    def __init__(self, source: SourceText, text: str) -> None:
        self.source = source
        self.text = text
        self.stack: list[_Frame] = []
        self.duplicates: list[tuple[str, Span]] = []
        self._values = 0

    def read(self) -> tuple[Any, PlaceNode]:
        position = self._skip(0)
        if position == len(self.text):
            self._fail("the document is empty", position)
        holder = _Frame(False, PlaceNode(-1, -1, 0, 0))
        position = self._value(holder, position)
        while self.stack:
            position = self._next_step(self.stack[-1], position)
        position = self._skip(position)
        if position != len(self.text):
            self._fail(f"expected the end of the document, found {self._found(position)}", position)
        return holder.elements[0], holder.element_nodes[0]

    def _next_step(self, frame: _Frame, position: int) -> int:
        """Read the next member, element or closing bracket of the innermost container."""
        text = self.text
        # White space is rare in a large file and common in a small one: the call is worth avoiding.
        if text[position : position + 1] in _BLANKS:
            position = self._skip(position)
        character = text[position : position + 1]
        if character == frame.closer:
            self.stack.pop()
            frame.node.end = position + 1
            return position + 1
        if frame.elements or frame.members:
            if character != ",":
                self._fail_after_value(frame.closer, position)
            comma = position
            position += 1
            if text[position : position + 1] in _BLANKS:
                position = self._skip(position)
            if text[position : position + 1] == frame.closer:
                message = f"a trailing comma, which JSON does not have: `{frame.closer}` follows"
                self._fail(message, comma, "take it out")
        if frame.is_object:
            position = self._key(frame, position)
        return self._value(frame, position)

    def _value(self, frame: _Frame, position: int) -> int:
        """Read a scalar, or the opening bracket of a container, into the container of ``frame``."""
        self._values += 1
        if self._values > MAX_DOCUMENT_VALUES:
            message = f"the document holds more than {MAX_DOCUMENT_VALUES:,} values"
            raise JsonError(message, self._one(position), "template-too-large")
        character = self.text[position : position + 1]
        value: Any
        if character == "{" or character == "[":
            if len(self.stack) == MAX_DEPTH:
                message = f"nested too deep: objects and arrays may be nested {MAX_DEPTH} deep"
                raise JsonError(message, self._one(position), "nesting-too-deep")
            end = position + 1
            node = PlaceNode(frame.key_start, frame.key_end, position, end)
            inner = _Frame(character == "{", node)
            self.stack.append(inner)
            value = inner.members if inner.is_object else inner.elements
        else:
            try:
                value, end = _DECODER.raw_decode(self.text, position)
            except ValueError as error:
                self._fail_in_scalar(position, error)
            node = PlaceNode(frame.key_start, frame.key_end, position, end)
        if frame.is_object:
            frame.members[frame.key] = value
            frame.member_nodes[frame.key] = node
        else:
            frame.elements.append(value)
            frame.element_nodes.append(node)
        return end

    def _key(self, frame: _Frame, position: int) -> int:
        """Read a key and its colon; return where the value must start."""
        if self.text[position : position + 1] != '"':
            hint = "keys are strings in double quotes" if position < len(self.text) else None
            found = self._found(position)
            self._fail(
                f"expected {_NEXT['}'] if frame.members else 'a key or `}`'}, found {found}", position, hint
            )
        try:
            frame.key, end = _DECODER.raw_decode(self.text, position)
        except ValueError:
            self._fail_in_string(position)
        frame.key_start, frame.key_end = position, end
        if frame.key in frame.members and len(self.duplicates) < MAX_DUPLICATES:
            self.duplicates.append((self._pointer(), self.source.span(position, end)))
        position = self._skip(end)
        if self.text[position : position + 1] != ":":
            self._fail(f"expected `:` after the key, found {self._found(position)}", position)
        return self._skip(position + 1)

    def _fail_in_scalar(self, position: int, error: ValueError) -> NoReturn:
        if isinstance(error, JSONDecodeError):
            if self.text[position : position + 1] == '"':
                self._fail_in_string(position)
            word = _WORD.match(self.text, position)
            hint = _VALUE_HINTS.get(word[0]) if word else None
            self._fail(f"expected a value, found {self._found(position)}", position, hint)
        # Python refuses to convert integers past a number of digits (sys.get_int_max_str_digits).
        digits = _INTEGER.match(self.text, position)
        end = digits.end() if digits else position + 1
        message = f"an integer of {end - position} characters has more digits than Python converts"
        raise JsonError(message, self.source.span(position, end), "integer-too-long")

    def _fail_in_string(self, start: int) -> NoReturn:
        well_formed = _WELL_FORMED_STRING.match(self.text, start)
        position = well_formed.end() if well_formed else start
        character = self.text[position : position + 1]
        if not character:
            message, hint = "the string that starts here is never closed", 'close it with `"`'
            raise JsonError(message, self._one(start), hint=hint)
        if character in "\r\n":
            self._fail(
                "line break inside a string",
                position,
                'close the string with `"`, or write the break as `\\n`',
            )
        if character == "\\":
            escape = _ESCAPE.match(self.text, position)
            end = escape.end() if escape else position + 1
            message = f"no such escape in JSON: {quoted(self.text[position:end])}"
            hint = "a backslash itself is written as two of them; JSON has \\n and \\uXXXX, but no \\x or \\d"
            raise JsonError(message, self._within_line(position, end), hint=hint, offset=position)
        name = f"U+{ord(character):04X}"
        hint = f"write it as `\\u{ord(character):04x}`"
        self._fail(f"control character {name} inside a string", position, hint)

    def _fail_after_value(self, closer: str, position: int) -> NoReturn:
        found = self._found(position)
        previous = self.text[position - 1]
        hint = None
        if previous.isdigit() and self.text[position : position + 1].isalnum():
            hint = "a JSON number has no leading zeros and no suffix"
        elif previous.isdigit() and self.text[position : position + 1] == ".":
            hint = "a JSON number has at least one digit after its point"
        self._fail(f"expected `,` or `{closer}`, found {found}", position, hint)

    def _pointer(self) -> str:
        pointer = ""
        for frame in self.stack:
            pointer = child_pointer(pointer, frame.last_key)
        return pointer

    def _skip(self, position: int) -> int:
        match = _WHITE_SPACE.match(self.text, position)
        return match.end() if match else position

    def _found(self, position: int) -> str:
        if position == len(self.text):
            return "the end of the document"
        word = _WORD.match(self.text, position)
        return quoted(word[0] if word else "", 20)

    def _one(self, position: int) -> Span:
        return self._within_line(position, min(position + 1, len(self.text)))

    def _within_line(self, start: int, end: int) -> Span:
        span = self.source.span(start, end)
        if span.end_line == span.line:
            return span
        line_end = len(self.source.line(span.line)) + 1
        return Span(span.line, span.column, span.line, max(line_end, span.column + 1))

    def _fail(self, message: str, position: int, hint: str | None = None) -> NoReturn:
        comment = COMMENT.match(self.text, position)
        if comment is not None:
            message, hint = "a comment, which JSON does not have", "take it out, or keep it in another file"
            span = self._within_line(position, comment.end())
            raise JsonError(message, span, hint=hint, offset=position)
        word = _WORD.match(self.text, position)
        end = word.end() if word is not None and word[0].isalnum() else position + 1
        span = self._within_line(position, min(end, len(self.text)))
        raise JsonError(message, span, hint=hint, offset=position)


_NEXT: Final[Mapping[str, str]] = {"}": "a key after `,`", "]": "a value after `,`"}
