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
from typing import Any, NoReturn

from respc_runtime.json_bodies import decode_json

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
# A pair of surrogates is one character.
CALL_HEX_ESCAPE = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}")
CALL_ESCAPES = dict(zip("\\'\"/bfnrt", "\\'\"/\b\f\n\r\t", strict=True))
CALL_LETTER_ESCAPE = re.compile(r"\\(.)")
CALL_CONSTANTS = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
CALL_INTEGER_LIMIT = 2**53 - 1
# A sign and the sixteen digits of the limit: a longer literal is too large whatever its digits.
CALL_INTEGER_LENGTH = 17
CALL_DEPTH_LIMIT = 100


class CallListReader:
    """A cursor over the text of a list of calls; each method reads what it is named after."""

    __slots__ = ("position", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.position: int = 0

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

    def take(self, mark: str) -> None:
        """Read the character `mark`."""
        if self.next_mark() != mark:
            self.refuse(f"expected {mark!r}")
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
        if found is None:
            self.name("the name of an argument")
            self.next_mark()
            self.refuse("expected '=' (arguments are given by name)")
        self.position = found.end()
        return found[1], found.start(1)

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
        escape = CALL_HEX_ESCAPE.match(self.text, self.position)
        if escape is None:
            self.refuse("unknown escape")
        character: str = decode_json(f'"{escape[0]}"')
        if 0xD800 <= ord(character) < 0xE000:
            self.refuse("lone surrogate")
        self.position = escape.end()
        return character


def unescaped(content: str) -> str:
    """Give what the content of a string stands for, whose escapes are of one letter."""
    if "\\" not in content:
        return content
    parts = CALL_LETTER_ESCAPE.split(content)
    parts[1::2] = map(CALL_ESCAPES.__getitem__, parts[1::2])
    return "".join(parts)


def parse_call_list(body: str) -> list[dict[str, Any]]:
    """Parse `body` as a list of calls with keyword arguments.

    Returns:
        For each call a dict of its `name` and its `arguments`.

    Raises:
        ValueError: `body` is not such a list, with the place where it ceases to be one.
    """
    return CallListReader(body).calls()
