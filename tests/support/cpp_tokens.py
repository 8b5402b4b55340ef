"""The tokens of C++, as far as a file of test cases has them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TOKEN: Final = re.compile(
    r"""
    (?P<blank> \s+ | //[^\n]* | /\*.*?\*/ | ^\#[^\n]* )
    | R"(?P<mark>[^\s()\\]*)\((?P<raw>.*?)\)(?P=mark)"
    | "(?P<text>(?:[^"\\\n]|\\.)*)"
    | '(?:[^'\\\n]|\\.)+'
    | (?P<word> [A-Za-z_]\w*(?:::[A-Za-z_]\w*)* )
    | (?P<number> \d[\w.]* )
    | (?P<sign> -> | :: | . )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_ESCAPE: Final = re.compile(
    rb"\\(?:x([0-9a-fA-F]+)|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL
)
_ESCAPED: Final = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_CLOSING: Final = {"(": ")", "{": "}", "[": "]"}


@dataclass(frozen=True)
class Token:
    """A token.

    Attributes:
        text: a word, a number or a sign as it stands, or what a string says.
        line: where it begins.
        is_string: whether it is a string.
    """

    text: str
    line: int
    is_string: bool = False


def tokens_of(source: str) -> list[Token]:
    """Give the tokens of a source; strings that stand side by side are one."""
    found: list[Token] = []
    line = 1
    for match in _TOKEN.finditer(source):
        if match["blank"] is None:
            text = _string(match)
            if text is None:
                found.append(Token(match[0], line))
            elif found and found[-1].is_string:
                found[-1] = Token(found[-1].text + text, found[-1].line, is_string=True)
            else:
                found.append(Token(text, line, is_string=True))
        line += match[0].count("\n")
    return found


def _string(match: re.Match[str]) -> str | None:
    if match["raw"] is not None:
        return match["raw"]
    return None if match["text"] is None else _unescaped(match["text"])


def _unescaped(text: str) -> str:
    """A C++ string is bytes, so that `\\xe2\\x80` is a part of a character."""

    def replaced(match: re.Match[bytes]) -> bytes:
        if match[1]:
            return bytes([int(match[1], 16)])
        if match[2] or match[3]:
            return chr(int(match[2] or match[3], 16)).encode()
        return bytes([int(match[4], 8)]) if match[4] else _ESCAPED.get(match[5], match[5])

    return _ESCAPE.sub(replaced, text.encode()).decode()


def behind(tokens: Sequence[Token], opening: int) -> int:
    """Give the place behind the bracket that closes the one at a place."""
    depth = 0
    for place in range(opening, len(tokens)):
        if not tokens[place].is_string:
            depth += tokens[place].text in _CLOSING
            depth -= tokens[place].text in _CLOSING.values()
        if depth == 0:
            return place + 1
    raise ValueError(f"line {tokens[opening].line}: nothing closes {tokens[opening].text}")


def parts(tokens: Sequence[Token], separator: str) -> Iterator[Sequence[Token]]:
    """Yield what is between the separators that are in no brackets."""
    begin = place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.is_string or token.text not in _CLOSING:
            if not token.is_string and token.text == separator:
                yield tokens[begin:place]
                begin = place + 1
            place += 1
        else:
            place = behind(tokens, place)
    if begin < len(tokens):
        yield tokens[begin:]
