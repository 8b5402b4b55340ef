"""Bodies that are a list of calls with keyword arguments: the content parser `python-call-list`.

The grammar is the interpreter's (transformers 5.24.0), strict on purpose:

    calls     [name(arguments), …]            names may have parts after "-" or "."
    argument  name=value                      no positional arguments, no name twice
    value     string, number, list, dict, or True, true, False, false, None, null
    string    in ' or ", on one line, with JSON's escapes and \\'
    number    JSON's, integers within 2**53 - 1, no infinity
    dict      {string: value, …}              no key twice
    depth     at most 100 lists and dicts around a value

Blanks are spaces, tabs, line feeds and carriage returns; a trailing comma is refused.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator

CALL_BLANKS = re.compile(r"[ \t\n\r]*")
CALL_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[-.][A-Za-z0-9_]+)*")
CALL_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<real>(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)")
CALL_STRING_PLAIN = {quote: re.compile(rf"[^{quote}\\\n\r\ud800-\udfff]*") for quote in "'\""}
CALL_HEX_DIGITS = re.compile(r"[0-9a-fA-F]{4}")
CALL_ESCAPES = dict(zip("\\'\"/bfnrt", "\\'\"/\b\f\n\r\t", strict=True))
CALL_CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
CALL_INTEGER_LIMIT = 2**53 - 1
# A sign and the sixteen digits of the limit: a longer literal is too large whatever its digits.
CALL_INTEGER_LENGTH = 17
CALL_DEPTH_LIMIT = 100


class CallListReader:
    """A cursor over the text of a list of calls; each method reads what it is named after."""

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

    def until(self, closing: str) -> Iterator[None]:
        """Stop before each item of a list in brackets; the caller reads the item there."""
        if self.next_mark() != closing:
            yield
            while self.next_mark() != closing:
                self.take(",", f" or {closing!r}")
                yield
        self.position += 1

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
        calls = [self.call() for _ in self.until("]")]
        if self.next_mark():
            self.refuse("unexpected text after the list")
        return calls

    def call(self) -> dict[str, Any]:
        """Read a call."""
        function = self.name("the name of a function")
        self.take("(")
        arguments: dict[str, Any] = {}
        for _ in self.until(")"):
            self.next_mark()
            start = self.position
            argument = self.name("the name of an argument")
            self.take("=", " (arguments are given by name)")
            self.add(arguments, argument, self.value(0), start)
        return {"name": function, "arguments": arguments}

    def add(self, items: dict[str, Any], name: str, value: Any, start: int) -> None:
        """Add an argument, or an item of a dict, that began at `start`."""
        if name in items:
            self.refuse(f"second {name!r}", start)
        items[name] = value

    def value(self, depth: int) -> Any:
        """Read a value with `depth` lists and dicts around it."""
        mark = self.next_mark()
        if mark and mark in "'\"":
            return self.string(mark)
        if mark and mark in "[{":
            if depth == CALL_DEPTH_LIMIT:
                self.refuse(f"more than {CALL_DEPTH_LIMIT} lists and dicts in one another")
            self.position += 1
            return self.list_items(depth + 1) if mark == "[" else self.dict_items(depth + 1)
        number = CALL_NUMBER.match(self.text, self.position)
        if number is not None:
            return self.number(number)
        name = CALL_NAME.match(self.text, self.position)
        if name is None or name[0] not in CALL_CONSTANTS:
            self.refuse("expected a value")
        self.position = name.end()
        return CALL_CONSTANTS[name[0]]

    def list_items(self, depth: int) -> list[Any]:
        """Read a list after its bracket."""
        return [self.value(depth) for _ in self.until("]")]

    def dict_items(self, depth: int) -> dict[str, Any]:
        """Read a dict after its bracket."""
        items: dict[str, Any] = {}
        for _ in self.until("}"):
            quote = self.next_mark()
            start = self.position
            if not quote or quote not in "'\"":
                self.refuse("expected a string as key")
            key = self.string(quote)
            self.take(":")
            self.add(items, key, self.value(depth), start)
        return items

    def number(self, literal: re.Match[str]) -> int | float:
        """Read the number that was found at the cursor."""
        number: int | float
        if literal["real"]:
            number = float(literal[0])
            if math.isinf(number):
                self.refuse("number too large for a float")
        else:
            if len(literal[0]) > CALL_INTEGER_LENGTH or abs(number := int(literal[0])) > CALL_INTEGER_LIMIT:
                self.refuse("integer beyond 2**53 - 1")
        self.position = literal.end()
        return number

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


def parse_call_list(body: str) -> list[dict[str, Any]]:
    """Parse `body` as a list of calls with keyword arguments.

    Returns:
        For each call a dict of its `name` and its `arguments`.

    Raises:
        ValueError: `body` is not such a list, with the place where it ceases to be one.
    """
    return CallListReader(body).calls()
