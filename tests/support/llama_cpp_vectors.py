"""Reading the test cases of a C++ file: the statements that make them are carried out, as far as they are known.

A case is a chain of calls, `tester.test(TEXT).option(VALUE)….expect(MESSAGE).run();`, whose values are strings, lists
in braces, variables, and messages that a few functions make. What is not known makes a case unreadable, never another
case.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from support.cpp_tokens import Token, behind, parts, tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TESTER: Final = "peg_tester"
_TYPE_WORDS: Final = {"const", "static", "auto", "char", "std::string", "common_chat_msg", "common_chat_tool"}
_TYPE_SIGNS: Final = {"*", "&"}


class UnreadableError(Exception):
    """The source has something that is not known here; the message says what."""


@dataclass(frozen=True)
class Call:
    """A call that is expected of a message."""

    name: str = ""
    arguments: str = ""
    id: str = ""


@dataclass(frozen=True)
class Message:
    """A message: one of the conversation, or the one expected."""

    role: str = ""
    content: str = ""
    reasoning_content: str = ""
    tool_calls: tuple[Call, ...] = ()
    tool_name: str = ""
    tool_call_id: str = ""


@dataclass(frozen=True)
class Vector:
    """A test case.

    Attributes:
        name: the name of the chat template's file, and the number of the case among those with it.
        line: where it is in the source.
        template: the path of the chat template.
        text: what the model wrote.
        options: what is set beside: the tools, the mode, the messages in front.
        expected: the message that has to come of it.
    """

    name: str
    line: int
    template: str
    text: str
    options: dict[str, Any]
    expected: Message


@dataclass
class Vectors:
    """What a source has.

    Attributes:
        read: the cases.
        unreadable: why others cannot be read, by their line.
    """

    read: list[Vector] = field(default_factory=list)
    unreadable: dict[int, str] = field(default_factory=dict)


def vectors_of(source: str) -> Vectors:
    """Read the test cases of a source."""
    reader = _Reader(tokens_of(source))
    reader.run(reader.tokens, {})
    return reader.vectors


def _said(
    content: str, reasoning: str = "", name: str = "", arguments: str = "", number: str = ""
) -> Message:
    calls = (Call(name, arguments, number),) if name or number else ()
    return Message("assistant", content, reasoning, calls)


def _said_with_calls(reasoning: str, content: str, calls: list[list[str]]) -> Message:
    return Message("assistant", content, reasoning, tuple(Call(*call) for call in calls))


_MAKERS: Final[dict[str, Callable[..., Any]]] = {
    "std::string": lambda text: text,
    "simple_assist_msg": _said,
    "message_with_tool_calls": lambda name, arguments: _said("", "", name, arguments),
    "message_with_tool_calls_and_reasoning": lambda name, arguments, why: _said("", why, name, arguments),
    "message_with_content_and_tool_call": lambda text, name, arguments: _said(text, "", name, arguments),
    "message_with_reasoning_and_tool_call": lambda why, name, arguments: _said("", why, name, arguments),
    "message_with_reasoning_content_and_multiple_tool_calls": _said_with_calls,
}
_EMPTY: Final = {"common_chat_msg": Message(), "std::string": ""}


class _Reader:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.vectors = Vectors()
        self._counts: dict[str, int] = {}
        self._functions: dict[str, _Function] = {}

    def run(self, tokens: Sequence[Token], names: dict[str, Any]) -> None:
        """Carry out statements, which see the names and may add to them."""
        place = 0
        while place < len(tokens):
            end = _statement_end(tokens, place)
            statement = tokens[place:end]
            if _text(statement) == "{":
                self.run(statement[1:-1], dict(names))
            else:
                self._carry_out(statement, names)
            place = end

    def _carry_out(self, statement: Sequence[Token], names: dict[str, Any]) -> None:
        body = _block(statement)
        try:
            if _text(statement) == "for" and body is not None:
                self._loop(statement, body, names)
            elif _text(statement) in {"if", "else", "while"}:
                raise UnreadableError(f"line {statement[0].line}: {statement[0].text}")
            elif body is not None:
                self._define(statement, body, names)
            elif not self._test(statement, names):
                self._assign(statement, names)
        except UnreadableError as error:
            # Only a statement with a case in it is missed; what else cannot be read is missed where it is used.
            for token, behind_it in pairwise(statement):
                if token.text == "test" and behind_it.text == "(":
                    self.vectors.unreadable[token.line] = str(error)

    def _define(self, statement: Sequence[Token], body: Sequence[Token], names: dict[str, Any]) -> None:
        """Keep a function that has cases; the one that takes nothing of its own runs at once."""
        if not any(token.text == _TESTER for token in body):
            return
        opening = next(place for place, token in enumerate(statement) if token.text == "(")
        given = statement[opening + 1 : behind(statement, opening) - 1]
        function = _Function([part[-1].text for part in parts(given, ",")], body)
        self._functions[statement[opening - 1].text] = function
        if len(function.parameters) == 1:
            self.run(body, dict(names))

    def _loop(self, statement: Sequence[Token], body: Sequence[Token], names: dict[str, Any]) -> None:
        head = list(parts(statement[2 : behind(statement, 1) - 1], ":"))
        if len(head) != 2:
            raise UnreadableError("a loop with a counter")
        for value in self._value(head[1], names):
            self.run(body, {**names, head[0][-1].text: value})

    def _assign(self, statement: Sequence[Token], names: dict[str, Any]) -> None:
        """Carry out a declaration, an assignment, or a call of a function with cases."""
        (name, *rest) = _without_type(statement)
        if not rest or name.is_string:
            return
        if name.text in self._functions and rest[0].text == "(":
            function = self._functions[name.text]
            values = [self._known(part, names) for part in parts(rest[1 : behind(rest, 0) - 1], ",")]
            self.run(function.body, dict(zip(function.parameters, values, strict=True)) | names)
        elif rest[0].text == "=":
            names[name.text] = self._value(rest[1:-1], names)
        elif rest[0].text == "{":
            members = self._value(rest[:-1], names)
            is_message = any(token.text == "common_chat_msg" for token in statement)
            names[name.text] = _message_of_members(members) if is_message else members
        elif rest[0].text == ";" and len(statement) == 3 and statement[0].text in _EMPTY:
            names[name.text] = _EMPTY[statement[0].text]
        elif rest[0].text == "." and len(rest) > 3 and rest[2].text == "=" and name.text in names:
            names[name.text] = self._changed(names.pop(name.text), rest, names)

    def _changed(self, value: Any, rest: Sequence[Token], names: dict[str, Any]) -> Any:
        """Give a message with another member; one that cannot be read is forgotten."""
        if rest[1].text not in Message.__dataclass_fields__:
            raise UnreadableError(f"line {rest[1].line}: the member {rest[1].text}")
        return replace(value, **{rest[1].text: self._value(rest[3:-1], names)})

    def _known(self, tokens: Sequence[Token], names: dict[str, Any]) -> Any:
        try:
            return self._value(tokens, names)
        except UnreadableError:
            return None

    def _test(self, statement: Sequence[Token], names: dict[str, Any]) -> bool:
        """Read a case, if a statement is one, and tell."""
        if len(statement) < 4 or (statement[1].text, statement[2].text) != (".", "test"):
            return False
        template = self._value(statement[:1], names)
        options: dict[str, Any] = {}
        expected = Message()
        for link in list(parts(statement[:-1], "."))[1:]:
            values = [self._value(part, names) for part in parts(link[2:-1], ",")]
            method = link[0].text
            if method == "expect":
                expected = values[0]
            elif method.startswith("expect_") and method != "expect_reconstruction":
                expected = _expecting(expected, method, values[0])
            else:
                options[method] = values[0] if values else True
        text = options.pop("test")
        del options["run"]
        stem = template.rpartition("/")[2].removesuffix(".jinja")
        self._counts[stem] = number = self._counts.get(stem, 0) + 1
        line = statement[0].line
        self.vectors.read.append(Vector(f"{stem}/{number}", line, template, text, options, expected))
        return True

    def _value(self, tokens: Sequence[Token], names: dict[str, Any]) -> Any:
        """Give the value of an expression."""
        terms = list(parts(tokens, "+"))
        if len(terms) > 1:
            return "".join(self._value(term, names) for term in terms)
        if not tokens:
            raise UnreadableError("an empty expression")
        first, rest = tokens[0], tokens[1:]
        if first.is_string and not rest:
            return first.text
        if not first.is_string and first.text == "{" and behind(tokens, 0) == len(tokens):
            return [self._value(part, names) for part in parts(tokens[1:-1], ",")]
        if not rest and first.text in {"true", "false"}:
            return first.text == "true"
        if not rest and first.text in names:
            return names[first.text]
        if not rest and first.text.isupper():
            return first.text
        return self._made(first, rest, names)

    def _made(self, function: Token, rest: Sequence[Token], names: dict[str, Any]) -> Any:
        """Give what a function makes."""
        if not rest or rest[0].text != "(" or behind(rest, 0) != len(rest):
            raise UnreadableError(f"line {function.line}: {function.text}")
        arguments = list(parts(rest[1:-1], ","))
        if function.text == _TESTER:
            return self._value(arguments[0], names)
        if function.text not in _MAKERS:
            raise UnreadableError(f"line {function.line}: the function {function.text}")
        return _MAKERS[function.text](*(self._value(argument, names) for argument in arguments))


@dataclass(frozen=True)
class _Function:
    parameters: list[str]
    body: Sequence[Token]


def _message_of_members(members: list[Any]) -> Message:
    role, content, parts_of_content, calls, reasoning, tool_name, tool_call_id = members
    if parts_of_content or calls:
        raise UnreadableError("a message with parts, or with calls, in braces")
    return Message(role, content, reasoning, (), tool_name, tool_call_id)


def _expecting(message: Message, method: str, value: Any) -> Message:
    match method:
        case "expect_content":
            return replace(message, content=value)
        case "expect_reasoning":
            return replace(message, reasoning_content=value)
        case "expect_tool_calls":
            # A member that is an empty list is an empty string.
            calls = tuple(Call(*(member or "" for member in call)) for call in value)
            return replace(message, tool_calls=calls)
    raise UnreadableError(method)


def _text(statement: Sequence[Token]) -> str:
    return "" if statement[0].is_string else statement[0].text


def _statement_end(tokens: Sequence[Token], place: int) -> int:
    """Give the place behind a statement: behind its semicolon, or behind its block."""
    if _text(tokens[place:]) == "{":
        return behind(tokens, place)
    seen_parenthesis = False
    while place < len(tokens):
        token = tokens[place]
        if token.is_string or token.text not in "({[":
            place += 1
            if token.text == ";" and not token.is_string:
                return place
            continue
        closed = behind(tokens, place)
        if (
            token.text == "{"
            and seen_parenthesis
            and (closed == len(tokens) or tokens[closed].text not in ".,);")
        ):
            return closed
        seen_parenthesis = seen_parenthesis or token.text == "("
        place = closed
    return place


def _block(statement: Sequence[Token]) -> Sequence[Token] | None:
    """Give what is in the block that a statement ends with."""
    if statement[-1].text != "}" or statement[-1].is_string:
        return None
    for place, token in enumerate(statement):
        if token.text == "{" and not token.is_string and behind(statement, place) == len(statement):
            return statement[place + 1 : -1]
    return None


def _without_type(statement: Sequence[Token]) -> Sequence[Token]:
    """Give a declaration from the name on."""
    place = 0
    while place < len(statement) - 1 and statement[place].text in _TYPE_WORDS | _TYPE_SIGNS:
        place += 1
    return statement[place:]
