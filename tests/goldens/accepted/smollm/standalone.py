# Compiled by respc from smollm.json. Do not edit: change the template and compile it again.
# Template sha256: 680794e1e8c1ca430b430831e2274b58161b097f4d112674966c79a376260e9d
# Carries the parts of respc_runtime that it uses, and imports nothing of respc.
"""Parses what the model writes into a message, as it is written or all at once."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
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


BEGUN: Final = "(?~"
"""What `re` and `regex` refuse; escaped, or in a class of characters, it is something else."""


ONE_CHARACTER: Final = r"\\(?:x..|u.{4}|U.{8}|[^ABZb])|\[\^?\]?(?:\\.|[^\\\]])*\]|[^\\()\[{|*+?^$]"
"""A character of an expression, or a class of them."""


_TOKEN = re.compile(rf"(?P<character>{ONE_CHARACTER})|\(\?~|\{{[\d,]*\}}|\\?.", re.DOTALL)


_LONG_CHAIN = 16
"""A text that is longer is halved where its beginnings are written out: so `re` compares half of it at once."""


def is_character(expression: str) -> bool:
    """Tell whether an expression is a character, or a class of them."""
    token = _TOKEN.fullmatch(expression)
    return token is not None and token.lastgroup == "character"


def expression_tokens(expression: str) -> list[str]:
    """Take an expression apart: each character or class, and what opens, ends or repeats something."""
    return [token[0] for token in _TOKEN.finditer(expression)]


def spelled_beginnings(pattern: str) -> str:
    """Write out what has begun, so that `re` and `regex` read it."""
    return _spelled_up_to("", expression_tokens(pattern)[::-1]) if BEGUN in pattern else pattern


def _spelled_up_to(ends: str, tokens: list[str]) -> str:
    """Take tokens from the end of a list, up to one of some, and write out what has begun in them."""
    written: list[str] = []
    while tokens and tokens[-1] not in ends:
        token = tokens.pop()
        if token == BEGUN:
            token = _spelled_begun(tokens)
        elif token == "(":
            token += _spelled_up_to(")", tokens) + tokens.pop()
        written.append(token)
    return "".join(written)


def _spelled_begun(tokens: list[str]) -> str:
    """Take the texts of which something has begun, and a mark that it may be nothing, and write out what it can be."""
    root, end = _Begun(), ""
    while end != ")":
        place = root
        while is_character(tokens[-1]) and tokens[-2][0] not in "*+?{":
            place.ends = True
            character = tokens.pop()
            if tokens[-1] in "|)":
                break
            place = place.step(character)
        else:
            place.step(_spelled_up_to("|)", tokens))
        end = tokens.pop()
    root.ends = tokens[-1:] == ["?"]
    if root.ends:
        tokens.pop()
    return root.written()


class _Begun:
    """What has begun, as a tree: after each step the text may end, or take another step."""

    def __init__(self) -> None:
        self.ends = False
        self.steps: dict[str, _Begun] = {}

    def step(self, written: str) -> _Begun:
        return self.steps.setdefault(written, _Begun())

    def written(self) -> str:
        """Write how a text may go on."""
        chain: list[str] = []
        place = self
        while place.ends and len(place.steps) == 1:
            chain += place.steps
            (place,) = place.steps.values()
        if chain:
            return _or_nothing(_some_of(chain, place.written()))
        parts = [step + after.written() for step, after in self.steps.items()]
        if len(parts) < 2:
            return "".join(parts)
        return f"(?:{'|'.join(parts)})" + ("?" if self.ends else "")


def _some_of(chain: list[str], rest: str) -> str:
    """Write that of a chain of steps at least the first is taken, and after the last one a rest.

    Of a long chain each half is written by itself, or the groups would be nested as deep as it is long.
    """
    if len(chain) > _LONG_CHAIN:
        half = len(chain) // 2
        first, second = chain[:half], chain[half:]
        after = _some_of(second, rest)
        after = f"(?:{after})" if len(second) > _LONG_CHAIN else after
        return f"{''.join(first)}{after}|{_some_of(first, '')}"
    written = chain[-1] + rest
    for step in reversed(chain[:-1]):
        written = step + _or_nothing(written)
    return written


def _or_nothing(written: str) -> str:
    return f"{written}?" if is_character(written) else f"(?:{written})?"


CALL_BLANKS = re.compile(r"[ \t\n\r]*")


CALL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*")


CALL_ARGUMENT = re.compile(rf"[ \t\n\r]*({CALL_NAME.pattern})[ \t\n\r]*=")


# A value, or the bracket that begins it; of strings those without escapes of four digits.
CALL_VALUE = re.compile(
    r"""[ \t\n\r]*(?:"""
    r""""(?P<double>[^"\\\n\r\ud800-\udfff]*(?:\\[\\'"/bfnrt][^"\\\n\r\ud800-\udfff]*)*)"|"""
    r"""'(?P<single>[^'\\\n\r\ud800-\udfff]*(?:\\[\\'"/bfnrt][^'\\\n\r\ud800-\udfff]*)*)'|"""
    r"""(?P<bracket>[\[{])|"""
    r"""(?P<number>-?(?:0|[1-9][0-9]*)(?P<real>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))|"""
    rf"""(?P<name>{CALL_NAME.pattern}))"""
)


CALL_STRING_PLAIN = {quote: re.compile(rf"[^{quote}\\\n\r\ud800-\udfff]*") for quote in "'\""}


CALL_HEX_DIGITS = re.compile(r"[0-9a-fA-F]{4}")


CALL_ESCAPES = dict(zip("\\'\"/bfnrt", "\\'\"/\b\f\n\r\t", strict=True))


CALL_LETTER_ESCAPE = re.compile(r"\\(.)")


CALL_CONSTANTS = {
    "True": True,
    "true": True,
    "False": False,
    "false": False,
    "None": None,
    "null": None,
}


CALL_INTEGER_LIMIT = 2**53 - 1


# A sign and the sixteen digits of the limit: a longer literal is too large whatever its digits.
CALL_INTEGER_LENGTH = 17


CALL_DEPTH_LIMIT = 100


class CallListReader:
    """A cursor over the text of a list of calls; each method reads what it is named after."""

    __slots__ = ("position", "text")

    text: str
    position: int

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def refuse(self, reason: str, position: int | None = None) -> NoReturn:
        """Refuse the text for what is at `position`, or at the cursor."""
        place = self.position if position is None else position
        raise ValueError(f"not a list of calls: {reason} at character {place} of the body")

    def next_mark(self) -> str:
        """Pass over blanks; the character after them, or the empty string at the end."""
        blanks = CALL_BLANKS.match(self.text, self.position)
        assert blanks is not None  # it can match empty
        self.position = blanks.end()
        return self.text[self.position : self.position + 1]

    def take(self, mark: str, why: str = "") -> None:
        """Read the character `mark`."""
        if self.next_mark() != mark:
            self.refuse(f"expected {mark!r}{why}")
        self.position += 1

    def begins(self, closing: str) -> bool:
        """Tell whether an item is next; if the bracket `closing` is, read that."""
        if self.next_mark() != closing:
            return True
        self.position += 1
        return False

    def goes_on(self, closing: str) -> bool:
        """Read what comes after an item: a comma, then there is another, or the bracket `closing`."""
        mark = self.text[self.position : self.position + 1]
        if mark not in (",", closing):
            mark = self.next_mark()
        if mark not in (",", closing):
            self.refuse(f"expected ',' or {closing!r}")
        self.position += 1
        return mark == ","

    def name(self, what: str) -> str:
        """Read a name."""
        self.next_mark()
        found = CALL_NAME.match(self.text, self.position)
        if found is None:
            self.refuse(f"expected {what}")
        self.position = found.end()
        return found[0]

    def calls(self) -> list[dict[str, Any]]:
        """Read the whole text."""
        self.take("[")
        calls: list[dict[str, Any]] = []
        more = self.begins("]")
        while more:
            calls.append(self.call())
            more = self.goes_on("]")
        if self.next_mark():
            self.refuse("unexpected text after the list")
        return calls

    def call(self) -> dict[str, Any]:
        """Read a call."""
        function = self.name("the name of a function")
        self.take("(")
        arguments: dict[str, Any] = {}
        more = self.begins(")")
        while more:
            argument, start = self.argument()
            self.add(arguments, argument, self.value(0), start)
            more = self.goes_on(")")
        return {"name": function, "arguments": arguments}

    def argument(self) -> tuple[str, int]:
        """Read the name of an argument and the sign after it; give the name and where it began."""
        found = CALL_ARGUMENT.match(self.text, self.position)
        if found is not None:
            self.position = found.end()
            return found[1], found.start(1)
        name = self.name("the name of an argument")
        start = self.position - len(name)
        self.take("=", " (arguments are given by name)")
        return name, start

    def add(self, items: dict[str, Any], name: str, value: Any, start: int) -> None:
        """Add an argument, or an item of a dict, that began at `start`."""
        if name in items:
            self.refuse(f"second {name!r}", start)
        items[name] = value

    def value(self, depth: int) -> Any:
        """Read a value with `depth` lists and dicts around it."""
        found = CALL_VALUE.match(self.text, self.position)
        if found is None:
            return self.odd_value()
        kind = found.lastgroup
        if kind == "double" or kind == "single":
            self.position = found.end()
            return unescaped(found[kind])
        if kind == "bracket":
            if depth == CALL_DEPTH_LIMIT:
                self.position = found.start(kind)
                self.refuse(f"more than {CALL_DEPTH_LIMIT} lists and dicts in one another")
            self.position = found.end()
            return self.list_items(depth + 1) if found[kind] == "[" else self.dict_items(depth + 1)
        if kind == "number":
            return self.number(found)
        return self.constant(found)

    def odd_value(self) -> str:
        """Read a value that is no plain one: a string with escapes of four digits, or no value at all."""
        mark = self.next_mark()
        if not mark or mark not in "'\"":
            self.refuse("expected a value")
        return self.string(mark)

    def list_items(self, depth: int) -> list[Any]:
        """Read a list after its bracket."""
        items: list[Any] = []
        more = self.begins("]")
        while more:
            items.append(self.value(depth))
            more = self.goes_on("]")
        return items

    def dict_items(self, depth: int) -> dict[str, Any]:
        """Read a dict after its bracket."""
        items: dict[str, Any] = {}
        more = self.begins("}")
        while more:
            quote = self.next_mark()
            start = self.position
            if not quote or quote not in "'\"":
                self.refuse("expected a string as key")
            key = self.value(depth)
            self.take(":")
            self.add(items, key, self.value(depth), start)
            more = self.goes_on("}")
        return items

    def number(self, found: re.Match[str]) -> int | float:
        """Read the number that was found."""
        literal = found["number"]
        self.position = found.start("number")
        number: int | float
        if found["real"]:
            number = float(literal)
            if math.isinf(number):
                self.refuse("number too large for a float")
        elif len(literal) > CALL_INTEGER_LENGTH or abs(number := int(literal)) > CALL_INTEGER_LIMIT:
            self.refuse("integer beyond 2**53 - 1")
        self.position = found.end()
        return number

    def constant(self, found: re.Match[str]) -> bool | None:
        """Read the name that was found as a value."""
        name = found["name"]
        if name not in CALL_CONSTANTS:
            self.position = found.start("name")
            self.refuse("expected a value")
        self.position = found.end()
        return CALL_CONSTANTS[name]

    def string(self, quote: str) -> str:
        """Read a string that begins with `quote` at the cursor."""
        opening = self.position
        plain = CALL_STRING_PLAIN[quote]
        pieces: list[str] = []
        self.position += 1
        while True:
            piece = plain.match(self.text, self.position)
            assert piece is not None  # it can match empty
            pieces.append(piece[0])
            self.position = piece.end()
            stop = self.text[self.position : self.position + 1]
            if stop == quote:
                self.position += 1
                return "".join(pieces)
            if stop == "\\":
                pieces.append(self.escape())
            elif not stop or stop in "\n\r":
                self.refuse("string without an end", opening)
            else:
                self.refuse("lone surrogate")

    def escape(self) -> str:
        """Read an escape in a string."""
        letter = self.text[self.position + 1 : self.position + 2]
        if letter in CALL_ESCAPES:
            self.position += 2
            return CALL_ESCAPES[letter]
        code = self.code_unit()
        if code is None:
            self.refuse("unknown escape")
        start = self.position
        self.position += 6
        if 0xD800 <= code < 0xDC00:
            low = self.code_unit()
            if low is not None and 0xDC00 <= low < 0xE000:
                self.position += 6
                return chr(0x10000 + (code - 0xD800) * 0x400 + low - 0xDC00)
        if 0xD800 <= code < 0xE000:
            self.refuse("lone surrogate", start)
        return chr(code)

    def code_unit(self) -> int | None:
        """The number of the escape of four hexadecimal digits at the cursor, if there is one."""
        if not self.text.startswith("\\u", self.position):
            return None
        digits = CALL_HEX_DIGITS.match(self.text, self.position + 2)
        return None if digits is None else int(digits[0], 16)


def unescaped(content: str) -> str:
    """Give what the content of a string stands for, whose escapes are of one letter."""
    if "\\" not in content:
        return content
    parts = CALL_LETTER_ESCAPE.split(content)
    parts[1::2] = map(CALL_ESCAPES.__getitem__, parts[1::2])
    return "".join(parts)


NAME_KEYS: Final = ("name", "tool_name")


ARGUMENT_KEYS: Final = ("arguments", "parameters", "args")


def other_body(body: str, form: CallForm, quotes: Quotes | None) -> str | None:
    """Write a body that could not be read in the form that its template reads, if it means calls.

    The arguments of a call can stand under another usual key or be left out; an id can be left out; and one call can
    stand for a list of one. Nothing but blanks are no arguments, where the opener has named the call. Strings of a
    dialect can lack their marks, and calls as in Python be written in another way; see `loose_calls`.

    Args:
        body: the body.
        form: where the parts of its calls come from.
        quotes: the marks around its strings, where it is JSON or a dialect of it.
    """
    if not body.strip():
        return "{}" if form["name"] is not None and form["name"][0] != "content" else None
    if quotes is None:
        return other_call_list(body) if form["each"] and form["name"] is None else None
    if quotes != JSON_QUOTES:
        return with_quoted_words(body, quotes)
    name, arguments = _key(form["name"]), _key(form["arguments"])
    if name is None or arguments is None:
        return None
    try:
        value = decode_json(body)
    except (ValueError, RecursionError):
        return None
    records: list[Any] = [*value] if isinstance(value, list) and form["each"] else [value]
    amended = [_amended(record, name, arguments, _key(form["id"])) for record in records]
    if not amended or any(record is None for record in amended):
        return None
    return json.dumps(amended if form["each"] else amended[0], ensure_ascii=False)


def _key(source: Source | None) -> str | None:
    """Give the key of a record that a part of a call stands under."""
    return source[1] if source is not None and source[0] == "content" and len(source) == 2 else None


def _amended(record: Any, name: str, arguments: str, identity: str | None) -> dict[str, Any] | None:
    """Put the parts of a call under the keys that the template reads."""
    if not isinstance(record, dict):
        return None
    call = cast("dict[str, Any]", record)
    if isinstance(inner := call.get("function"), dict) and name not in call:
        call = {**call, **cast("dict[str, Any]", inner)}
    named = next((call[key] for key in (name, *NAME_KEYS) if isinstance(call.get(key), str)), None)
    if not named:
        return None
    keys = [key for key in (arguments, *ARGUMENT_KEYS) if key in call]
    if not keys and not has_no_arguments(call, name, identity):
        return None
    given: Any = call[keys[0]] if keys else {}
    amended: dict[str, Any] = {**call, name: named, arguments: {} if given is None else given}
    if identity is not None:
        amended.setdefault(identity, None)
    return amended


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


MessageT = TypeVar("MessageT")


class UnreadText(NamedTuple):
    """Text of a generation that became no part of the message.

    Attributes:
        error: the name of the class of what is wrong with it.
        message: what is wrong with it.
        field: the field whose region it is, or whose opener it has begun; None for text outside of all regions.
        start: where it begins in the text that the parser sees: the prefix after its start anchor, then the generation.
        end: where it ends there.
        text: the raw text, with the delimiters of its region.
    """

    error: str
    message: str
    field: str | None
    start: int
    end: int
    text: str


class Parsed(Generic[MessageT]):
    """What a whole generation became.

    Attributes:
        message: the message, of all that could be read.
        unread: what could not, in the order of the text; required fields that are missing come last.
    """

    __slots__ = ("message", "unread")

    def __init__(self, message: MessageT, unread: list[UnreadText]) -> None:
        self.message = message
        self.unread = unread

    def __repr__(self) -> str:
        return f"Parsed(message={self.message!r}, unread={self.unread!r})"


def unread_texts(events: Iterable[dict[str, Any]], text: str, begun: int) -> Iterator[UnreadText]:
    """Find what is no part of the message.

    Args:
        events: all serving events of a generation.
        text: the input text of its parser.
        begun: where in that the generation begins.
    """
    start = 0
    outside: OutsideText | None = None
    end_of_text: dict[str, Any] = {"type": "end"}
    for event in (*events, end_of_text):
        if event["type"] == "text_outside":
            if outside is not None and outside.goes_on_with(event):
                outside.add(event["text"])
                continue
            if outside is not None:
                yield from _reported(outside, begun)
            outside = OutsideText(event["start"], event["reason"], event["field"])
            outside.add(event["text"])
            continue
        if event["type"] in ("region_open", "end") and outside is not None:
            yield from _reported(outside, begun)
            outside = None
        if event["type"] == "region_open":
            start = event["start"]
        elif event["type"] == "region_malformed":
            error, end = event["error"], event["end"]
            yield UnreadText(
                type(error).__name__, str(error), event["field"], start, end, text[start:end]
            )


def _reported(outside: OutsideText, begun: int) -> Iterator[UnreadText]:
    """Report text outside of all regions, unless it is blank or was not generated."""
    if outside.text.strip() and outside.end > begun:
        reason = OUTSIDE_REASONS[outside.reason]
        yield UnreadText(
            "ResponseValueError", reason, outside.field, outside.start, outside.end, outside.text
        )


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


MALFORMED: Final = (KeyError, TypeError, ValueError, RecursionError)
"""What is raised for a region whose value cannot be read; serving events tell it, and parsing goes on."""


def malformed_error(cause: Exception, field: str, position: int, body: str) -> ResponseError:
    """Make the error that an event carries; arguments and result as of `region_error`.

    It keeps its cause without tracebacks, whose frames would keep the parser and all of its text alive, and without
    the document that a `json.JSONDecodeError` has.
    """
    error = region_error(cause, field, position, body)
    error.__cause__ = cause
    raised: BaseException | None = cause
    while raised is not None:
        if "doc" in vars(raised):
            vars(raised)["doc"] = error.excerpt
        raised = raised.with_traceback(None).__context__
    return error


def endless_error(field: str, position: int) -> ResponseError:
    """Make the error for a region that opened and closed at one place, which the interpreter would do for ever."""
    return ResponseValueError(
        "the region opened and closed without taking any text, and would do so again for ever: "
        "the template's opener and closer both match nothing there",
        field=field,
        position=position,
    )


Source: TypeAlias = tuple[str, ...]
"""Where a part of a call comes from.

``("captures", name)``: a named group of the opener; ``("content", key, …)``: the keys by which it is found in the body,
none for all of it; ``("constant", text)``: the text itself.
"""


class CallForm(TypedDict):
    """How the regions of a field become calls, in ``ResponseParser.calls``.

    A part is None where only the value of the region has it. ``arguments`` are known only where they are a part of
    a body that is plain JSON; ``each`` says that the body is a list of calls, and keys are those of an element.
    """

    name: Source | None
    id: Source | None
    arguments: Source | None
    each: bool


class TextForm(TypedDict):
    """How the regions of a field become text, in ``ResponseParser.texts``.

    ``join`` stands between two regions, None where they are not joined; ``strip`` tells whether a region's text loses
    its surrounding blanks.
    """

    join: str | None
    strip: bool


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


def text_buffer() -> StringIO:
    """Make a buffer for text that comes in pieces.

    Until Python 3.12 one keeps every piece, at some 60 bytes, unless it was read from; then it keeps characters alone.
    """
    buffer = StringIO()
    buffer.readline()
    return buffer


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


OUTSIDE_REASONS: Final = {
    "no_field": "no field takes this text",
    "begun": "the response ended in a delimiter",
    "after_turn": "this text stands behind the end of the turn",
}
"""What is said of text outside of all regions, by the ``reason`` of its event."""


class OutsideText:
    """Text outside of all regions, in pieces.

    Attributes:
        start: where it begins.
        end: where it ends.
        reason: why no region has it, a key of `OUTSIDE_REASONS`.
        field: the field whose opener it has begun, if it has.
    """

    __slots__ = ("_parts", "end", "field", "reason", "start")

    def __init__(self, start: int, reason: str, field: str | None) -> None:
        self.start = self.end = start
        self.reason = reason
        self.field = field
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    def goes_on_with(self, event: dict[str, Any]) -> bool:
        """Tell whether the text of an event follows on it, for the same reason."""
        return bool(self.reason == event["reason"] and self.end == event["start"])

    def add(self, text: str) -> None:
        """Take the next piece."""
        self._parts.append(text)
        self.end += len(text)


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
    (kind,): None if kind == "string" else ((kind,), ())
    for kind in TYPE_NAMES.values()
    if kind != "array"
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
                        elements = (
                            joined_types(elements, of_others) if elements and of_others else ()
                        )
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
            elif (
                isinstance(found, list)
                and key.isdecimal()
                and len(key) < 6
                and int(key) < len(found)
            ):
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
        dict.fromkeys(
            [TYPE_NAMES.get(name, UNKNOWN_TYPE) for name in names if isinstance(name, str)]
        )
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
        elif (name == "number" and "integer" in others) or (
            name == "integer" and "number" in others
        ):
            common.append("integer")
    return tuple(common) or (UNKNOWN_TYPE,)


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

    argument_types: Mapping[str, Mapping[str, Sequence[str]]]
    careful_types: Mapping[str, Mapping[str, ArgumentType]]

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
        TypeError: the schema of a parameter has an `anyOf` or `oneOf` that is no list. Tools that are not
            prepared are refused for that only when a call has the parameter.
        ToolSchemaError: a Python function has no usable docstring or type hints.
    """
    if tools and is_prepared(tools):
        return cast("PreparedTools", tools)
    # What only a preparation needs: few callers prepare tools.

    given = [*cast("Iterable[Any]", tools or ())]
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
            if readable := tuple(
                [name for name in dict.fromkeys(types) if name in ARGUMENT_READERS]
            ):
                plain[tool][parameter] = readable
            if careful_type is not None:
                careful[tool][parameter] = careful_type
    return PreparedTools(plain, careful)


def is_prepared(tools: Iterable[Any] | PreparedTools) -> bool:
    """Tell whether `tools` are prepared ones, also of a standalone module: it has a class of its own."""
    return isinstance(tools, PreparedTools) or hasattr(tools, "argument_types")


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
    """Parses a whole generation, or a batch of them.

    Args:
        parser: the parser that raises what it cannot read.
        collecting: the one that gives the message beside that; older modules have none.
    """

    __slots__ = ("_collecting", "_parser")

    def __init__(
        self,
        parser: Callable[..., Stream[MessageT, Any]],
        collecting: Callable[..., ServingStream[MessageT, Any]] | None = None,
    ) -> None:
        self._parser = parser
        self._collecting = collecting

    if TYPE_CHECKING:  # at run time, each overload would be kept for ever

        @overload
        def __call__(
            self,
            text: str,
            *,
            prefix: str | None = None,
            tools: Tools | None = None,
            errors: Literal["raise"] = "raise",
        ) -> MessageT: ...
        @overload
        def __call__(
            self,
            text: list[str],
            *,
            prefix: str | Sequence[str] | None = None,
            tools: Tools | None = None,
            errors: Literal["raise"] = "raise",
        ) -> list[MessageT]: ...
        @overload
        def __call__(
            self,
            text: str,
            *,
            prefix: str | None = None,
            tools: Tools | None = None,
            errors: Literal["collect"],
        ) -> Parsed[MessageT]: ...
        @overload
        def __call__(
            self,
            text: list[str],
            *,
            prefix: str | Sequence[str] | None = None,
            tools: Tools | None = None,
            errors: Literal["collect"],
        ) -> list[Parsed[MessageT]]: ...

    def __call__(
        self,
        text: str | list[str],
        *,
        prefix: str | Sequence[str] | None = None,
        tools: Tools | None = None,
        errors: Literal["raise", "collect"] = "raise",
    ) -> MessageT | list[MessageT] | Parsed[MessageT] | list[Parsed[MessageT]]:
        """Parse a whole generation, or a batch of them.

        Args:
            text: what the model wrote; a list for a batch.
            prefix: the prompt, one for each text or one for all; "" says that the text is the whole message.
            tools: casts the arguments of tool calls to the types that these declare; `prepare_tools` reads them once
                for many calls.
            errors: `raise` as the interpreter does, or `collect`: read with the care of `ServingParser`, and give the
                message and what could not be read.

        Returns:
            The message, or with `collect` a `Parsed`; for a batch a list of as many.

        Raises:
            ResponseError: a region could not be read, or a required field is missing.
            ValueError: `errors` is neither.
        """
        if errors == "collect":
            if self._collecting is None:
                raise TypeError(
                    "this parser was compiled before it could collect errors: compile its template again"
                )
            if not isinstance(text, list):
                return self._collecting(prefix, tools=tools).collect(whole_text(text))
            return [
                self._collecting(before, tools=tools).collect(whole_text(each))
                for each, before in with_prefixes(text, prefix)
            ]
        if errors != "raise":
            raise ValueError(f"errors={errors!r} is neither 'raise' nor 'collect'")
        if not isinstance(text, list):
            return self._parser(prefix, tools=tools).finish(whole_text(text))
        return [
            self._parser(before, tools=tools).finish(whole_text(each))
            for each, before in with_prefixes(text, prefix)
        ]


def careful_parameters(
    tools: Iterable[Any] | PreparedTools | None,
) -> dict[str, dict[str, Any]] | PreparedTools | ArgumentTable:
    """Collect what a careful parser knows of the parameters of `tools`.

    Args:
        tools: as for `tool_parameters`.

    Returns:
        What casts arguments, or an empty dict if there are no tools.

    Raises:
        ToolSchemaError: a Python function has no usable docstring or type hints.
    """
    if not tools:
        return {}
    if is_prepared(tools):
        prepared = cast("PreparedTools", tools)
        # A standalone module of an earlier version prepares less.
        return CarefulTools(prepared) if hasattr(prepared, "careful_types") else prepared
    given: Sequence[Any] = tools if isinstance(tools, list) else [*cast("Iterable[Any]", tools)]
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
            argument = cast("JsonValue", read_carefully(argument, types))
        elif isinstance(argument, list) and "array" not in types:
            # An argument given several times, which `merge_duplicates` collected.
            elements = types
        if elements and isinstance(argument, list):
            return [
                read_carefully(item, elements) if isinstance(item, str) else item
                for item in argument
            ]
        return argument


def read_carefully(text: str, types: Sequence[str]) -> Any:
    """Read `text` as the first of `types` that it can be read as; else it stays text."""
    for name in types:
        if (reader := CAREFUL_READERS.get(name)) is not None:
            try:
                return reader(text)
            except ValueError:
                continue
    return text


def read_object_or_dict(text: str) -> dict[str, Any]:
    """Read a JSON object, or a dict as Python writes it."""
    value = read_json_or_literal(text, "{")
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def read_array_or_list(text: str) -> Sequence[Any]:
    """Read a JSON array, or a list as Python writes it."""
    value = read_json_or_literal(text, "[")
    if not isinstance(value, list):
        raise ValueError("not an array")
    return value


def read_json_or_literal(text: str, bracket: str) -> JsonValue:
    """Read JSON or a Python literal that begins with `bracket`.

    Raises:
        ValueError: it is neither, or nested too deeply.
    """
    if not text.lstrip(JSON_BLANKS).startswith(bracket):
        raise ValueError(f"it does not begin with {bracket}")
    try:
        try:
            return cast("JsonValue", decode_json(text))
        except ValueError:
            # Most arguments are JSON.

            return cast("JsonValue", LiteralReader(text).literal())
    except RecursionError:
        raise ValueError("nested too deeply") from None


CAREFUL_READERS: Final[dict[str, Callable[[str], Any]]] = {
    **ARGUMENT_READERS,
    "object": read_object_or_dict,
    "array": read_array_or_list,
}


_CALL: Final = compiled(r"\s*([A-Za-z_][\w.-]*)\s*\(\s*")


_ARGUMENT: Final = compiled(r"([A-Za-z_]\w*)\s*=\s*")


# Behind a value: another argument, another call, or the end.
_BEHIND_VALUE: Final = (
    r"(?:,\s*(?=[A-Za-z_]\w*\s*=)|(?=\)\s*(?:\]?\s*\Z|,\s*[A-Za-z_][\w.-]*\s*\()))"
)


_VALUE_END: Final = compiled(_BEHIND_VALUE)


_STRING_ENDS: Final = {quote: compiled(rf"{quote}\s*{_BEHIND_VALUE}") for quote in "'\""}


# What another call begins with, or another argument: a string that holds it may have lost its end.
_LOST_ENDS: Final = {
    quote: compiled(rf"(?:(\)\s*,)|[,)])\s*[A-Za-z_][\w.-]*\s*(\(\s*[A-Za-z_]\w*\s*)?=\s*{quote}")
    for quote in "'\""
}


_ESCAPE: Final = re.compile(r"\\(.)", re.DOTALL)


_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}


_ZEROS: Final = compiled(r"(?<![\w.])0+(?=[1-9])")


_WORD: Final = re.compile(
    r"(?<=[:\[,])\s*(?!true\b|false\b|null\b)([^\W\d][^,:{}\[\]]*?)\s*(?=[,}\]]|\Z)"
)


# What a call has beside its name and its arguments.
_OTHER_KEYS: Final = frozenset(
    ("name", "tool_name", "function", "type", "id", "tool_call_id", "call_id", "index", "role")
)


def has_no_arguments(call: dict[str, Any], *known: str | None) -> bool:
    """Tell whether a call without the key of its arguments has none: one under a misspelt key is no such call."""
    return all(key in _OTHER_KEYS or key in known for key in call)


def other_call_list(body: str) -> str | None:
    """Write a list of calls as `python-call-list` reads it, or give None where a body means none.

    It may be JSON: objects with `name` and `arguments`. Or a string goes on up to a quotation mark that ends an
    argument, whatever stands in it; an escape that Python has not is text; a set is a list, and numbers may begin
    with zeros.
    """
    try:
        value = decode_json(body)
    except (ValueError, RecursionError):
        try:
            return _written(list(_loose_calls(body)))
        except ValueError:
            return None
    records: list[Any] = [*value] if isinstance(value, list) else [value]
    calls: list[tuple[str, dict[str, str]]] = []
    for record in records:
        call = cast("dict[str, Any]", record) if isinstance(record, dict) else {}
        arguments = call.get(
            "arguments", call.get("parameters", {} if has_no_arguments(call) else None)
        )
        if not isinstance(call.get("name"), str) or not isinstance(arguments, dict):
            return None
        given = cast("dict[str, Any]", arguments)
        calls.append((call["name"], {key: _json(argument) for key, argument in given.items()}))
    return _written(calls)


def _written(calls: list[tuple[str, dict[str, str]]]) -> str | None:
    if not calls:
        return None
    texts = (
        f"{name}({', '.join(f'{key}={value}' for key, value in arguments.items())})"
        for name, arguments in calls
    )
    return f"[{', '.join(texts)}]"


def _loose_calls(body: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Iterate over calls and the source of their arguments; nothing comes behind what cannot be read.

    Raises:
        ValueError: it is no list of calls.
    """
    place = len(body) - len(body.lstrip())
    place += body.startswith("[", place)
    while True:
        call = _CALL.match(body, place)
        if call is None:
            raise ValueError("no call")
        arguments, place = _loose_arguments(body, call.end())
        yield call[1], arguments
        rest = body[place:].lstrip()
        if not rest.startswith(","):
            if rest.strip() not in ("", "]"):
                raise ValueError("text behind the calls")
            return
        place = len(body) - len(rest) + 1


def _loose_arguments(body: str, place: int) -> tuple[dict[str, str], int]:
    """Read arguments up to their closing parenthesis; give them, and the place behind that."""
    arguments: dict[str, str] = {}
    while not body.startswith(")", place):
        argument = _ARGUMENT.match(body, place)
        if argument is None:
            raise ValueError("no argument")
        start = argument.end()
        quote = body[start : start + 1]
        ends = _STRING_ENDS.get(quote)
        end = _VALUE_END.search(body, start) if ends is None else ends.search(body, start + 1)
        if end is None or argument[1] in arguments:
            raise ValueError("no value")
        text = body[start + (ends is not None) : end.start()]
        lost = None if ends is None else _LOST_ENDS[quote].search(text)
        if lost is not None and (lost[1] or lost[2] or text.count(quote) % 2):
            raise ValueError("a string without its end")
        arguments[argument[1]] = (
            _plain_value(text) if ends is None else _json(_ESCAPE.sub(_unescaped, text))
        )
        place = end.end()
    return arguments, place + 1


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPED.get(match[1], match[0])


def _plain_value(text: str) -> str:
    value = _ZEROS.sub("", text.strip())
    return (
        f"[{value[1:-1]}]"
        if value.startswith("{") and value.endswith("}") and ":" not in value
        else value
    )


def with_quoted_words(body: str, quotes: Quotes) -> str:
    """Put the marks of a dialect around values that are bare words."""
    opening, closing = quotes[0]
    parts = body.split(opening) if opening == closing else [body]
    return opening.join(
        part if number % 2 else _WORD.sub(lambda word: f"{opening}{word[1]}{closing}", part)
        for number, part in enumerate(parts)
    )


LITERAL_HEX_DIGITS: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\U([0-9a-fA-F]{8})")


class LiteralReader(CallListReader):
    """A cursor over the text of a literal."""

    __slots__ = ()

    def literal(self) -> Any:
        """Read the whole text.

        Raises:
            ValueError: it is no literal, or nested too deeply.
        """
        value = self.value(0)
        if self.next_mark():
            self.refuse("unexpected text after the value")
        return value

    def goes_on(self, closing: str) -> bool:
        """Read what comes after an item, and the closing bracket after a last comma."""
        return super().goes_on(closing) and self.begins(closing)

    def number(self, found: re.Match[str]) -> int | float:
        """Read the number that was found, an integer however long Python lets it be."""
        if found["real"]:
            return super().number(found)
        self.position = found.end()
        return int(found["number"])

    def escape(self) -> str:
        """Read an escape in a string."""
        digits = LITERAL_HEX_DIGITS.match(self.text, self.position)
        if digits is None:
            return super().escape()
        code = int(digits[1] or digits[2], 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            self.refuse("no character")
        self.position = digits.end()
        return chr(code)


CLOSE: Final = "close"
"""The group of a delimiter that ends a region and opens none."""


CloseRegion: TypeAlias = Callable[["Stream[Any, Any]", str], Any]


class Run(NamedTuple):
    """What wakes text that is held back in a run of characters, for no other text decides anything.

    Attributes:
        search: finds it in the chunks that came since.
        width: how many characters before them it has to see as well.
    """

    search: Callable[[str], Any]
    width: int = 0


def run_until(pattern: str, width: int = 0) -> Run:
    """Make a run that goes on until something comes that a pattern matches."""
    return Run(compiled(pattern).search, width)


IN_BLANKS: Final = "in_blanks"


BLANKS_END: Final = r"[^\s]"
"""What ends blanks."""


IN_REST: Final = "in_rest"


NOTHING: Final = "(?!)"
"""What ends the rest of a text, whatever it is."""


BLANK_RUN: Final = run_until(BLANKS_END)
"""A run of blanks."""


KNOWN_RUNS: Final[Mapping[str, Run]] = {IN_BLANKS: BLANK_RUN, IN_REST: run_until(NOTHING)}
"""Runs that need not be listed, by the groups of beginnings that end in one."""


_IN_RUN = re.compile(r"\(\?P<(in_\w+?)(_\d+)?>\)")


def runs_in(expressions: str, listed: Mapping[str, Run]) -> dict[Any, Run]:
    """Give the runs in which beginnings end, by their groups, which begin with ``in_``.

    A group that is not listed itself is one more of a kind that is: so ``in_name_2`` goes on as ``in_name`` does.
    """
    known = {**KNOWN_RUNS, **listed}
    groups = ((kind + number, kind) for kind, number in _IN_RUN.findall(expressions))
    return {**{group: known[kind] for group, kind in groups if kind in known}, **listed}


STATE_ATTRIBUTES: Final = (
    "captures",
    "chunk",
    "close",
    "direct",
    "last",
    "later",
    "line_group",
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
        runs: the kinds of those runs, but for `KNOWN_RUNS`; see `runs_in`.
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
    line_group: str | None
    """The group of the delimiter that a line of text is, empty where it is none; None until somebody has asked."""

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
        self.runs: Mapping[Any, Run] = runs_in(longer + hidden, runs or {})
        if behind_blanks is not None:
            self.runs = {BLANKS_BEFORE: BLANK_RUN, **self.runs}
        self.waits = frozenset(waits)
        self.captures: Mapping[Any, Mapping[str, str]] = captures or {}
        self.chunk = chunk
        self.close = close or nothing_open
        self.direct = direct
        self.quick = False
        self.later = later or self
        self.line_group: str | None = None
        make_pattern = compiled if make is None else make
        begun, longer, hidden, certain = map(spelled_beginnings, (begun, longer, hidden, certain))

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
            has_begun = spelled_beginnings(has_begun)
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


class Stream(Generic[MessageT, EventT]):
    """Parses one generation while it is written.

    Attributes:
        initial_events: what the prefix already wrote of the message.
        anchor_found: whether the prefix has a start anchor, so that only what follows it is parsed; None for an empty
            prefix. Where there is none, the whole prompt is taken for a part of the message.
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
        "anchor_found",
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
    strict_bodies: ClassVar[bool] = False
    """Whether a body of tags or lines has to be that and nothing else."""
    empty_anchor: ClassVar[bool] = False
    """Whether the start anchor may match nothing, and so is in every prefix."""
    after_anchor: ClassVar[staticmethod[[str], str]]
    """Cuts a prefix after its last start anchor."""
    read_tools: ClassVar[staticmethod[[Any], Any]] = staticmethod(tool_parameters)

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        if not isinstance(prefix, str):
            prefix = checked_prefix(prefix)
        self.parameters: Any = self.read_tools(tools) if tools else {}
        self.captures: dict[str, str] = {}
        self.message: dict[str, Any] = copied(self.defaults) if self.nested else {**self.defaults}
        self._state = self.states.start
        self._chunk: Any = None
        self._held = ""
        self._seen: int = 0
        self._run: str | None = None
        self._tail = ""
        self._waiting: StringIO | None = None
        self._offset = 0
        self._body = text_buffer()
        self.initial_events: list[EventT] = []
        self.anchor_found: bool | None = None
        if prefix:
            begun = self.after_anchor(prefix)
            self.anchor_found = self.empty_anchor or len(begun) < len(prefix)
            if begun := self._after_turns(begun):
                self.initial_events = self._cut(begun, None)

    def _after_turns(self, prefix: str) -> str:
        """Give what of a prefix, behind its start anchor, belongs to the message."""
        return prefix

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
        return self._kept_message()

    def _kept_message(self) -> MessageT:
        """Give the message without what is empty, and refuse further use."""
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
            self._skip(text, events)
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
                match = self._search(state, text, pos, at_end)
            if match is None and state.later is not state and pos < edge:
                state = state.later
                continue
            searched = state
            start = edge if match is None else match.start()
            if match is None and at_end:
                start = self._end_of_text(state, text, pos)
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
            delimiter = text[start:end]
            width = self._width(delimiter) if closes else 0
            if state.chunk is not None:
                if closes and captures:
                    self.captures.update(captures)
                self._close(state, width, events)
            if closes:
                self.captures = {}
                self._pass_closer(delimiter, width, events)
            else:
                self.captures = captures
                self._open(following, delimiter, events)
            pos, state, match = end, following, None
            if end == edge:
                start = edge
                break
        if at_end:
            if state.chunk is not None:
                self._close(state, self._cut_closer(state, text[start:]), events, closed=False)
            self._cut_off(state, text[start:], events)
            start = edge
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

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Found | None:
        """Find what ends a state, or has begun to."""
        return state.last(text, pos) if at_end else state.scan(text, pos)

    def _end_of_text(self, state: State, text: str, pos: int) -> int:
        """Tell where the text of a state ends in a complete text that has no more delimiters."""
        return len(text)

    def _pass(self, text: str) -> None:
        """Go past text that belongs to no region."""
        self._offset += len(text)

    def _skip(self, text: str, events: list[Any]) -> None:
        """Go past text that is no delimiter, where no field takes it."""
        self._pass(text)

    def _cut_closer(self, state: State, text: str) -> int:
        """Tell how many characters of a closer the end left of it."""
        return 0

    def _cut_off(self, state: State, text: str, events: list[Any]) -> None:
        """Go past a delimiter that the end cut off."""
        self._pass(text)

    def _width(self, closer: str) -> int:
        """Tell how many characters of a closer belong to it."""
        return len(closer)

    def _pass_closer(self, closer: str, width: int, events: list[Any]) -> None:
        """Go past a closer, after its region is closed, if one was open."""
        self._pass(closer)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        """Begin a region."""
        self._offset += len(opener)
        events.append({"type": "region_open", "field": state.chunk["field"]})

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        """Take text of the open region, or of none."""
        if state.chunk is None:
            self._skip(text, events)
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
        self._check_end(state, text, pos)
        if state.chunk is not None:
            self._value_of(state, body + text[pos:start], offset + pos - len(body))

    def _check_end(self, state: State, text: str, pos: int) -> None:
        """Look at the end of a complete text, behind its last delimiter."""

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


AnyStream: TypeAlias = Stream[Any, Any]
"""The parser of any template, in the functions that close its regions."""


Quotes: TypeAlias = tuple[tuple[str, str], ...]
"""The marks before and after a string, in pairs; `JSON_QUOTES`, with their escapes, or a dialect's."""


QuotesOfFields: TypeAlias = "dict[str, Quotes]"
"""The marks around the strings in the bodies of fields."""


LONGEST_WAIT: Final = 65_536
"""So many characters, at most, behind a closer in a string are held back until another one comes."""


JSON_QUOTE: Final = '"'


JSON_QUOTES: Final = ((JSON_QUOTE, JSON_QUOTE),)


_REST_OF_STRING: Final = compiled(r'[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*')


_CONTROL: Final = compiled(r"[\x00-\x1f]")


def inside_string(text: str, quotes: Quotes) -> bool:
    """Tell whether text that begins outside of all strings ends inside of one that is not broken."""
    for opening, closing in quotes:
        if opening == JSON_QUOTE:
            # Without the escaped backslashes, a backslash before a quotation mark escapes that.
            plain = text.replace("\\\\", "") if "\\\\" in text else text
            if (plain.count(JSON_QUOTE) - plain.count('\\"')) % 2:
                # No string of JSON goes on over the end of its line: one that does lacks its end.
                return _CONTROL.search(text, _last_quote(text)) is None
        elif opening == closing:
            if text.count(opening) % 2:
                return True
        elif text.rfind(opening) > text.rfind(closing):
            return True
    return False


def _last_quote(text: str) -> int:
    """Give the place of the last quotation mark that is not escaped, in text that has one."""
    place = text.rfind(JSON_QUOTE)
    while True:
        escapes = place
        while escapes and text[escapes - 1] == "\\":
            escapes -= 1
        if (place - escapes) % 2 == 0:
            return place
        place = text.rfind(JSON_QUOTE, 0, escapes)


class StringCloser:
    """A closer inside a string: whether it counts depends on what comes.

    It is a part of the body if its string ends, and a closer outside of all strings comes with which the body can be
    read. All places are relative to it.

    Attributes:
        is_broken: whether its string can have no end, so that it counts.
    """

    __slots__ = ("_inside", "_quotes", "_read", "_searched", "is_broken")

    def __init__(self, quotes: Quotes) -> None:
        self._quotes = quotes
        self._inside = True
        self._read: int = 0
        self._searched: int = 0
        self.is_broken = False

    def later(
        self, text: str, start: int, search: Callable[[int], Found | None], closers: Container[Any]
    ) -> Found | None:
        """Find the closer that ends the body instead.

        Args:
            text: the text so far.
            start: where this closer begins in it.
            search: finds the next delimiter from a place on, or what has begun to be one.
            closers: the groups of delimiters that are whole.
        """
        found: Found | None = None
        while not self.is_broken and self._read <= LONGEST_WAIT:
            if self._inside:
                if not self._leave_string(text, start):
                    return None
                continue
            place = start + max(self._read, self._searched)
            if found is None or found.start() < start + self._read:
                found = search(place)
                self._searched = (len(text) if found is None else found.start()) - start
                if found is not None and found.lastgroup not in closers:
                    found = None
            opening = self._next_string(text, start, start + self._searched)
            if opening is None:
                return found
            self._read = opening
            self._inside = True
        self.is_broken = True
        return None

    def _leave_string(self, text: str, start: int) -> bool:
        """Go to the end of the string, if it has come."""
        edge, place = len(text), start + self._read
        if self._quotes[0][0] == JSON_QUOTE:
            match = _REST_OF_STRING.match(text, place)
            place = place if match is None else match.end()
            if place == edge or (text[place] == "\\" and place + 1 == edge):
                self._read = place - start
                return False
            self._read = place + 1 - start
            self.is_broken = text[place] != JSON_QUOTE
            self._inside = False
            return True
        ends = [
            (found, closing)
            for _, closing in self._quotes
            if (found := text.find(closing, place)) >= 0
        ]
        if not ends:
            longest = max(len(closing) for _, closing in self._quotes)
            self._read = max(place, edge - longest + 1) - start
            return False
        place, closing = min(ends)
        self._read = place + len(closing) - start
        self._inside = False
        return True

    def _next_string(self, text: str, start: int, end: int) -> int | None:
        """Give the place behind the mark of the next string before an end, or read on up to that."""
        place = start + self._read
        opened: list[Any] = [
            (found, opening)
            for opening, _ in self._quotes
            if 0 <= (found := text.find(opening, place)) < end
        ]
        if not opened:
            longest = max(len(opening) for opening, _ in self._quotes)
            self._read = max(self._read, min(end, len(text) - longest + 1) - start)
            return None
        place, opening = min(opened)
        return int(place) + len(opening) - start


LINE_OF_TEXT: Final = "\nText of it"
"""Where a line of text ends a body, a closer of nothing but blanks stands before this."""


NO_TEXT: Final = '}])>,:;{["'
"""What is no text where it stands right behind a value, but a value that is broken, or one value more."""


_NO_BLANK: Final = compiled(r"\S")


_BRACKETS_AND_QUOTES: Final = {'"': compiled(r'[\[\]{}()"]'), "\"'": compiled(r"[\[\]{}()\"']")}


_TO_END_OF_STRING: Final = {
    quote: compiled(rf"[^{quote}\\]*(?:\\[\s\S][^{quote}\\]*)*") for quote in ('"', "'")
}


def not_blank(text: str, start: int) -> int | None:
    """Give the place of the next character that is no blank."""
    match = _NO_BLANK.search(text, start)
    return None if match is None else match.start()


class ValueEnd:
    """Finds the end of the list or object that a body is, while it is written.

    Args:
        quotes: what strings stand between.

    Attributes:
        place: where the value ends in the body; None if it does not yet.
    """

    __slots__ = ("_depth", "_escaped", "_quote", "_quotes", "_read", "place")

    def __init__(self, quotes: str) -> None:
        self._quotes = quotes
        self._quote = ""
        self._escaped = False
        self._depth = 0
        self._read = 0
        self.place: int | None = None

    def read(self, text: str, start: int, edge: int, known: int) -> bool:
        """Read on.

        Args:
            text: text of the body; what was read of it before is passed over.
            start: where it begins in the text.
            edge: where the next delimiter begins in the text: the body ends before it, or there.
            known: where it begins in the body.

        Returns:
            Whether there can be an end.
        """
        brackets = _BRACKETS_AND_QUOTES[self._quotes]
        place = start + self._read - known
        if self.place is not None:
            return True
        if place < start:
            return False
        while self.place is None and place < edge:
            if self._quote:
                match = _TO_END_OF_STRING[self._quote].match(text, place + self._escaped, edge)
                place = edge if match is None else match.end()
                self._escaped = place < edge and text[place] == "\\"
                if place < edge and not self._escaped:
                    self._quote = ""
                place = min(place + 1, edge)
                continue
            match = (brackets if self._depth else _NO_BLANK).search(text, place, edge)
            if match is None:
                place = edge
                break
            place, found = match.end(), match.group()
            if found in self._quotes and self._depth:
                self._quote = found
            elif found in "[{(":
                self._depth += 1
            elif self._depth:
                self._depth -= 1
                if not self._depth:
                    self.place = known + place - start
            else:
                return False
        self._read = known + place - start
        return True


class Joint:
    """Stands for a closer of nothing but blanks between a value and text on its last line."""

    __slots__ = ("_end", "_start", "lastgroup")

    def __init__(self, group: str, start: int, end: int) -> None:
        self.lastgroup = group
        self._start = start
        self._end = end

    def start(self) -> int:
        """Tell where it begins."""
        return self._start

    def end(self) -> int:
        """Tell where it ends."""
        return self._end

    def __getitem__(self, group: str, /) -> Any:
        """Give what a named group took: it has none."""
        return None


class HeldBack:
    """Stands for a delimiter that is not decided yet: the text from its start on is held back."""

    __slots__ = ("_start",)

    lastgroup = None

    def __init__(self, start: int) -> None:
        self._start = start

    def start(self) -> int:
        """Tell where it begins."""
        return self._start

    def end(self) -> int:
        """Tell where it ends: it takes nothing."""
        return self._start


class StringAwareStream(Stream[MessageT, EventT]):
    """Parses one generation while it is written; a closer in a string counts only if no later one does."""

    __slots__ = ("_looks_closer", "_string_closer")

    quotes: ClassVar[QuotesOfFields] = {}
    """The fields whose bodies have strings, in which a closer may be a part of the body."""

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        self._string_closer: StringCloser | None = None
        # Whether there is more to look at than the delimiters.
        self._looks_closer = False
        super().__init__(prefix, tools=tools)

    def _advance(self, text: str) -> list[EventT]:
        return self._cut(text, None) if self._looks_closer else super()._advance(text)

    def _has_to_look_closer(self) -> bool:
        """Tell whether the next chunk can be decided by its delimiters alone."""
        return self._string_closer is not None

    def _regions(self, text: str, match: Found | None, at_end: bool) -> list[EventT]:
        chunk = self._state.chunk
        if match is not None and chunk is not None and chunk["field"] in self.quotes:
            # Whether it counts depends on more than the expression that found it.
            match = None
        events = super()._regions(text, match, at_end)
        self._looks_closer = self._has_to_look_closer()
        if self._looks_closer:
            self._chunk = None
        return events

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find what ends a state; a closer in a string of its body counts only if no later one does."""
        first, closers = self._next(state, text, pos, at_end), self.states.following
        if first is None or state.chunk is None or first.lastgroup not in closers:
            return first
        quotes = self.quotes.get(state.chunk["field"])
        if quotes is None:
            return first
        start, body = first.start(), self._body.getvalue()
        closer, self._string_closer = self._string_closer, None
        if closer is None:
            if not inside_string(body + text[pos:start], quotes):
                return first
            closer = StringCloser(quotes)
        search = super()._search
        later = closer.later(text, start, lambda place: search(state, text, place, at_end), closers)
        if later is not None:
            return later if self._reads(state, body + text[pos : later.start()]) else first
        if closer.is_broken or at_end:
            return first
        self._string_closer = closer
        return HeldBack(start)

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter, wherever it stands."""
        return super()._search(state, text, pos, at_end)

    def _reads(self, state: State, body: str) -> bool:
        """Tell whether a body can be read."""
        kept, self.message = self.message, {}
        try:
            self._read(state, body)
        except MALFORMED:
            return False
        finally:
            self.message = kept
        return True

    def _read(self, state: State, body: str) -> Any:
        """Give the value of a body, and put it into the message."""
        return state.close(self, body)

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events."""
        self._cut_all(text or "")
        return self._finished_message()

    def _cut_all(self, text: str) -> list[EventT]:
        """Cut all that is still to come, in one go where that is the same."""
        if self.states.whole:
            return self._cut(text, None, at_end=True)
        return [*self._cut(text, None), *self._cut("", None, at_end=True)]


MOST_BLANKS: Final = 64
"""So many blanks, at most, stand before an opener that is written once more."""


def behind_openers(opener: str, text: str, place: int) -> int:
    """Give the place behind the openers that stand at a place, and blanks between them."""
    while True:
        start = not_blank(text, place)
        if start is None or start - place > MOST_BLANKS or not text.startswith(opener, start):
            return place
        place = start + len(opener)


def may_be_opener(opener: str, text: str, place: int) -> bool:
    """Tell whether what stands at a place can begin an opener, after blanks."""
    edge = len(text)
    start = not_blank(text, place)
    if start is None:
        return edge - place <= MOST_BLANKS
    return (
        start - place <= MOST_BLANKS
        and edge - start < len(opener)
        and opener.startswith(text[start:])
    )


class CarefulEndsStream(StringAwareStream[MessageT, EventT]):
    """Parses one generation while it is written, with care for where bodies begin and end."""

    __slots__ = ("_begun", "_broken", "_end_of_value", "_opener")

    marks: ClassVar[dict[str, tuple[str, ...]]] = {}
    """What the openers of a field begin with."""

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        # The opener, while it may come once more, and the text that may have begun to be it.
        self._opener: str | None = None
        self._begun = ""
        # Of a body that a line of text ends: whether it is broken, and where its value ends.
        self._broken = False
        self._end_of_value: ValueEnd | None = None
        super().__init__(prefix, tools=tools)

    def _has_to_look_closer(self) -> bool:
        return not (
            self._opener is None and self._string_closer is None and self._end_of_value is None
        )

    def _begin_body(self, state: State, opener: str, *, is_call: bool) -> None:
        """Begin to look at the body of a region."""
        self._broken = False
        self._opener = self._end_of_value = None
        if is_call:
            self._expect_value(state)
        field = state.chunk["field"]
        if field != "content" and (mark := opener.strip()) in self.marks.get(field, ()):
            self._opener = mark

    def _line_group(self, state: State) -> str:
        """Give the group of the closer at which a line of text ends a body; nothing where none does."""
        if state.line_group is None:
            state.line_group = self._find_line_group(state)
        return state.line_group

    def _expect_value(self, state: State) -> None:
        """Look for the end of the value of a body that a line of text ends."""
        if self._line_group(state):
            quotes = self.quotes.get(state.chunk["field"])
            self._end_of_value = ValueEnd("\"'" if quotes is None else JSON_QUOTE)

    def _find_line_group(self, state: State) -> str:
        line = state.scan(LINE_OF_TEXT, 0)
        group = None if line is None else line.lastgroup
        if line is None or group is None or group not in self.states.following or line.start():
            return ""
        is_known = self.quotes.get(state.chunk["field"]) in (None, JSON_QUOTES)
        return group if is_known and LINE_OF_TEXT[: line.end()].isspace() else ""

    def _without_opener(self, opener: str, text: str) -> str:
        """Pass an opener that is written once more at the start of its region; give what is text for sure."""
        text = self._begun + text
        place = behind_openers(opener, text, 0)
        if place:
            self._pass(text[:place])
            text = text[place:]
        if may_be_opener(opener, text, 0):
            self._begun = text
            return ""
        self._begun = ""
        self._opener = None
        return text

    def _behind_openers(self, state: State, text: str, pos: int) -> int:
        """Give the place behind the region's opener where that is written once more at a place."""
        if self._opener is None or state.chunk is None:
            return pos
        if not self._begun:
            return behind_openers(self._opener, text, pos)
        passed = behind_openers(self._opener, self._begun + text[pos:], 0) - len(self._begun)
        return pos + max(passed, 0)

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        chunk = state.chunk
        if (
            not at_end
            and self._opener is None
            and self._end_of_value is None
            and (chunk is None or chunk["field"] not in self.quotes)
        ):
            return state.scan(text, pos)
        start = self._behind_openers(state, text, pos)
        is_body = self._opener is not None and state.chunk is not None and start < len(text)
        if is_body and not at_end and may_be_opener(self._opener or "", text, start):
            # Another delimiter may look ahead to a part of the opener.
            return HeldBack(start)
        found = super()._search(state, text, start, at_end)
        if self._end_of_value is None or state.chunk is None:
            return found
        return self._behind_value(self._end_of_value, state, text, pos, found, at_end)

    def _behind_value(
        self, value: ValueEnd, state: State, text: str, pos: int, found: Any, at_end: bool
    ) -> Any:
        """Close a body before text on its last line, where the template has it end at a line of text."""
        taken, seen, start = self._body.tell(), text, pos
        if self._begun:
            seen, start = self._begun + text[pos:], 0
        if self._opener is not None:
            start = behind_openers(self._opener, seen, start)
            if may_be_opener(self._opener, seen, start):
                return found
        shift = len(text) - len(seen)
        edge = len(seen) if found is None else found.start() - shift
        if not value.read(seen, start, edge, taken):
            self._end_of_value = None
            return found
        if value.place is None:
            return found
        end = shift + start + value.place - taken
        if found is not None and found.start() < end:
            return found
        place, is_whole = not_blank(text, end), found is not None and found.lastgroup is not None
        if place is None or (found is not None and found.start() <= place):
            return found if at_end or is_whole else HeldBack(end)
        self._end_of_value = None
        body = self._body.getvalue() + seen[start : start + value.place - taken]
        if text[place] in NO_TEXT or not self._reads(state, body):
            return found
        return Joint(state.line_group or "", end, place)

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter, but for what looks ahead to the opener once more, and for broken lines."""
        closers = self.states.following
        found = super()._next(state, text, pos, at_end)
        if state.chunk is None or state.chunk["field"] not in self.quotes:
            return found
        body = self._body.getvalue()
        while (
            found is not None
            and found.lastgroup in closers
            and text[found.start() : found.end()].isspace()
        ):
            # A line that only seems to come behind the body ends one that can be read, and no other.
            self._broken = self._broken or not self._reads(state, body + text[pos : found.start()])
            if not self._broken:
                break
            found = super()._next(state, text, found.end(), at_end)
        return found


LEAST_BEGUN: Final = 2
"""So many characters at the end of a response have begun a delimiter; fewer are text."""


LONGEST_OPENER: Final = 1024
"""So long, at most, is the opener of a call that the end cut off behind another delimiter inside it."""


class DoubtError(Exception):
    """A whole text has to be read with more care."""


class ServingStream(CarefulEndsStream[MessageT, EventT]):
    """Parses one generation while it is written; the outcome does not depend on how it is cut into chunks.

    Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one too, and so is text
    outside of all regions. ``calls`` and ``texts`` tell what is known of values before their regions end.

    Attributes:
        trusts_end: whether a call of tags that the end cuts off is whole, if its body can be read.
    """

    __slots__ = ("_input", "_malformed", "_prompt_held", "trusts_end")

    careful: ClassVar[bool] = True
    """Whether more is read, and told, than the copies of the interpreter in serving engines do; see `without_care`."""
    # What a module says.
    strict_bodies: ClassVar[bool] = True
    calls: ClassVar[dict[str, CallForm]]
    texts: ClassVar[dict[str, TextForm]]
    read_tools = staticmethod(careful_parameters)
    open_ended: ClassVar[tuple[str, ...]] = ()
    """The fields of calls whose bodies can be read though their end is missing."""
    ends_of_turn: ClassVar[tuple[str, ...]] = ()
    """Behind these the message is over."""

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        self._input = text_buffer()
        self._malformed: dict[str, ResponseError] = {}
        self._prompt_held: int = 0
        self.trusts_end = True
        super().__init__(prefix, tools=tools)
        self._prompt_held = len(self._begun) + len(self._held) - self._seen
        self._looks_closer = self._has_to_look_closer()

    def _after_turns(self, prefix: str) -> str:
        """Leave out of a prefix what was over before the generation began."""
        ends = [prefix.rfind(end) + len(end) for end in self.ends_of_turn if end in prefix]
        return prefix[max(ends) :] if ends else prefix

    @property
    def input_text(self) -> str:
        """What the parser was given: the prefix after its start anchor, then the chunks."""
        held = self._held[self._seen :]
        waiting = "" if self._waiting is None else self._waiting.getvalue()
        return "".join((self._input.getvalue(), self._body.getvalue(), self._begun, held, waiting))

    def _has_to_look_closer(self) -> bool:
        return not (
            self._opener is None
            and self._end_of_value is None
            and self._string_closer is None
            and not self._prompt_held
        )

    def _missing_fields(self) -> list[str]:
        return [field for field in super()._missing_fields() if field not in self._malformed]

    def _pass(self, text: str) -> None:
        self._offset += len(text)
        self._input.write(text)
        if self._prompt_held:
            self._prompt_held = max(self._prompt_held - len(text), 0)

    def _skip(self, text: str, events: list[Any]) -> None:
        if text:
            self._tell_outside(text, "no_field", None, events)

    def _cut_closer(self, state: State, text: str) -> int:
        """Tell how many characters of a closer of calls the end left."""
        return len(text) if self._is_call(state) and self._begun_call(text) is None else 0

    def _cut_off(self, state: State, text: str, events: list[Any]) -> None:
        if self._cut_closer(state, text):
            self._pass(text)
        elif text:
            self._tell_outside(text, "begun", self._begun_call(text), events)

    def _is_call(self, state: State) -> bool:
        return state.chunk is not None and state.chunk["field"] in self.calls

    def _tell_outside(self, text: str, reason: str, field: str | None, events: list[Any]) -> None:
        start = self._offset
        self._pass(text)
        if not self.careful:
            return
        events.append(
            {
                "type": "text_outside",
                "field": field,
                "start": start,
                "end": self._offset,
                "text": text,
                "reason": reason,
            }
        )

    def _end_of_text(self, state: State, text: str, pos: int) -> int:
        """Tell where the text ends before a delimiter that the end cut off."""
        if not self.careful:
            return len(text)
        begun = state.scan(text, self._behind_openers(state, text, pos))
        if begun is None or begun.lastgroup in self.states.following:
            return len(text)
        start: int = begun.start()
        cut = text[start:].strip()
        if len(cut) < LEAST_BEGUN or cut.isalnum() or not cut.strip("`"):
            # So an answer may end: with a word, as in `Have fun`, or with a fence.
            return len(text)
        if not self._is_call(state) or self._begun_call(text[start:]) is not None:
            return start
        quotes = self.quotes.get(state.chunk["field"], ())
        in_string = inside_string(self._body.getvalue() + text[pos:start], quotes)
        return len(text) if in_string else start

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter; one inside the opener of a call that the end cut off is none."""
        found = super()._next(state, text, pos, at_end)
        if not at_end or found is None or not self.careful or self._is_call(state):
            return found
        if len(text) - found.start() > LONGEST_OPENER:
            return found
        begun = state.scan(text, pos)
        if (
            begun is None
            or begun.lastgroup in self.states.following
            or begun.start() > found.start()
        ):
            return found
        return found if self._begun_call(text[begun.start() :]) is None else None

    def _begun_call(self, text: str) -> str | None:
        """Give the field of calls one of whose openers a text has begun."""
        begun = text.lstrip()
        for field in self.calls:
            marks = self.marks.get(field, ())
            if any(begun.startswith(mark) or mark.startswith(begun) for mark in marks):
                return field
        return None

    def _width(self, closer: str) -> int:
        """Tell how many characters of a closer belong to it: what it takes behind the end of the turn does not."""
        mark = closer.lstrip()
        if not mark.startswith(self.ends_of_turn):
            return len(closer)
        longest = max(len(end) for end in self.ends_of_turn if mark.startswith(end))
        return len(closer) - len(mark) + longest

    def _pass_closer(self, closer: str, width: int, events: list[Any]) -> None:
        if width == len(closer):
            self._pass(closer)
            return
        self._pass(closer[:width])
        self._tell_outside(closer[width:], "after_turn", None, events)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        start, field = self._offset, state.chunk["field"]
        self._pass(opener)
        event = {"type": "region_open", "field": field, "start": start, "end": self._offset}
        if state is not self.states.implicit:
            event["captures"] = dict(self.captures)
        self._begin_body(state, opener, is_call=self.careful and field in self.calls)
        events.append(event)

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        if self._opener is None and not self._prompt_held:
            super()._take(state, text, events)
            return
        if self._opener is not None:
            text = self._without_opener(self._opener, text)
        if self._prompt_held and state.chunk is not None:
            # Held back at the end of the prefix, it is text of the region, but was not generated.
            held = text[: self._prompt_held]
            self._prompt_held -= len(held)
            self._body.write(held)
            text = text[len(held) :]
        if text:
            super()._take(state, text, events)

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        self._opener = self._end_of_value = None
        if self._begun:
            begun, self._begun = self._begun, ""
            self._take(state, begun, events)
        field, place = state.chunk["field"], self._offset
        body = self._take_body()
        self._input.write(body)
        start = self._offset = place + len(body)
        event: dict[str, Any] = {
            "type": "region_close",
            "field": field,
            "start": start,
            "end": start + width,
        }
        try:
            if not closed and not width and field in self.open_ended and not self.trusts_end:
                raise ResponseValueError("the response ended before the call did")
            value = self._value(state, body)
        except MALFORMED as cause:
            error = malformed_error(cause, field, place, body)
            self._malformed.setdefault(field, error)
            events.append({**event, "type": "region_malformed", "error": error})
            return
        except Exception as error:
            raise region_error(error, field, place, body) from error
        event["value"] = value
        event["closed"] = closed
        events.append(event)

    def _value(self, state: State, body: str) -> Any:
        """Read a body; lists of calls add up."""
        if not self.careful or not self._is_call(state):
            return self._read(state, body)
        field = state.chunk["field"]
        before = self.message.get(field)
        value = self._read(state, body)
        after = self.message.get(field)
        if isinstance(before, list) and isinstance(after, list) and before is not after:
            self.message[field] = [*before, *after]
        return value

    def _read(self, state: State, body: str) -> Any:
        """Give the value of a body, also of one in another form in which models write calls."""
        try:
            return state.close(self, body)
        except MALFORMED:
            if not self.careful or not self._is_call(state):
                raise
            field = state.chunk["field"]
            other = other_body(body, self.calls[field], self.quotes.get(field))
            if other is not None:
                return state.close(self, other)
            if body.strip():
                raise
            # An empty block is no call, and nothing else.
            return None

    def collect(self, text: str) -> Parsed[MessageT]:
        """Take all that is still to come at once, and give the message beside what could not be read.

        Nobody says whether the model ended its turn by itself, so a call of tags without its end is not trusted.
        """
        self.trusts_end = False
        begun = len(self.input_text)
        events: list[Any] = [*self.initial_events, *self._cut_all(text or "")]
        known = self.input_text
        unread = list(unread_texts(events, known, begun))
        if self.required and (missing := self._missing_fields()):
            error, end = MissingFieldError(missing), len(known)
            unread.append(UnreadText(type(error).__name__, str(error), missing[0], end, end, ""))
        return Parsed(self._kept_message(), unread)

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events.

        Raises:
            ResponseError: a region could not be read, the first one; also where a required field is missing for it.
        """
        try:
            if (taken := self._taken_without_doubt(text or "")) is not None:
                return taken
            message = super().finish(text)
        except ResponseError:
            self._raise_malformed()
            raise
        self._raise_malformed()
        return message

    def _taken_without_doubt(self, text: str) -> MessageT | None:
        """Take a whole text without events, unless care makes a difference to it."""
        if not self.states.whole or self._malformed or self._run is not None:
            return None
        before, body = (self._state, self.captures, self._held, self._seen), self._take_body()
        message = copied(self.message)
        self._body.write(body + self._begun)
        try:
            self._close_all(self._held + text)
        except (DoubtError, ResponseError):
            self._state, self.captures, self._held, self._seen = before
            self.message = message
            self._take_body()
            self._body.write(body)
            return None
        return self._finished_message()

    def _value_of(self, state: State, body: str, place: int) -> Any:
        field = state.chunk["field"]
        if (quotes := self.quotes.get(field)) is not None and inside_string(body, quotes):
            raise DoubtError
        if (marks := self.marks.get(field)) is not None and body.lstrip().startswith(marks):
            raise DoubtError
        try:
            if not self.careful or field not in self.calls:
                return state.close(self, body)
            if self._line_group(state):
                raise DoubtError
            return self._value(state, body)
        except Exception as error:
            raise DoubtError from error

    def _check_end(self, state: State, text: str, pos: int) -> None:
        if self._end_of_text(state, text, pos) < len(text):
            raise DoubtError
        outside = self.states.following.get(CLOSE, self.states.start)
        for mark in (mark for field in self.calls for mark in self.marks.get(field, ())):
            place = text.rfind(mark, max(len(text) - LONGEST_OPENER, 0), pos)
            begun = outside.scan(text, place) if place >= 0 else None
            if begun is not None and begun.lastgroup not in self.states.following:
                raise DoubtError

    def _raise_malformed(self) -> None:
        for error in self._malformed.values():
            self._state = FAILED
            raise error


__all__ = [
    "Event",
    "Field",
    "Message",
    "RegionChunk",
    "RegionClose",
    "RegionOpen",
    "ResponseParser",
    "ServingParser",
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


# What ends each state, and what that leads to; then what has only begun to: `(?~abc)` is "a" or "ab",
# and a group whose name begins with `in_` says in what run of characters the text ends.
_OUTSIDE: Final = State(
    r"<think>(?P<reasoning_content>)|<tool_call>(?P<tool_calls>)|<\|im_end\|>(?P<close>)",
    r"(?~<think>|<tool_call>|<\|im_end\|>)\Z",
)
_STATES: Final = States(
    _OUTSIDE,
    {
        "close": _OUTSIDE,
        "reasoning_content": State(
            "</think>(?P<close>)",
            r"(?~</think>)\Z",
            chunk=_REASONING_CONTENT,
            close=_end_reasoning_content,
        ),
        "tool_calls": State(
            "</tool_call>(?P<close>)",
            r"(?~</tool_call>)\Z",
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


class ServingParser(ServingStream[Message, dict[str, Any]]):
    """The same for serving engines, and its outcome does not depend on how the text is cut.

    Events say where in ``input_text`` their delimiter stands; a region that cannot be read is one
    too. ``calls`` and ``texts`` tell what is known of values before their regions end.
    """

    __slots__ = ()

    states = _STATES.stable()
    defaults: ClassVar[dict[str, Any]] = {"role": "assistant"}
    after_anchor = staticmethod(_after_anchor)
    calls: ClassVar[dict[str, CallForm]] = {
        "tool_calls": {
            "name": ("content", "name"),
            "id": None,
            "arguments": ("content", "arguments"),
            "each": False,
        }
    }
    texts: ClassVar[dict[str, TextForm]] = {
        "reasoning_content": {"join": None, "strip": True},
        "content": {"join": None, "strip": True},
    }
    marks: ClassVar[dict[str, tuple[str, ...]]] = {
        "reasoning_content": ("<think>",),
        "tool_calls": ("<tool_call>",),
    }
    quotes: ClassVar[QuotesOfFields] = {"tool_calls": JSON_QUOTES}

    def feed(self, text: str) -> list[dict[str, Any]]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and "<" not in text:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            return [event]
        return self._advance(text or "")


parse_response: Final = ParseResponse(ResponseParser, ServingParser)
