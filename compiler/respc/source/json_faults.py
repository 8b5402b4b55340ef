"""All that is wrong with a text that is to be JSON: each fault is covered up, and the text read again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from respc.source.json_reader import COMMENT, JsonError, read_json

if TYPE_CHECKING:
    from respc.source.spans import SourceText

MAX_FAULTS: Final = 20
"""No more faults are looked for."""

_LARGEST: Final = 1_000_000
"""In a longer text only the first fault is looked for: the whole of it is read again after each."""

_ESCAPE: Final = re.compile(r"\\u[0-9a-zA-Z]{0,4}|\\[^\r\n]")
_SINGLE_QUOTED: Final = re.compile(r"'[^'\r\n]*'")
_WORD: Final = re.compile(r"[^\W\d][\w.\-]*")
_NOT_PLAIN: Final = re.compile(r'["\\\x00-\x1f]')
_LITERALS: Final = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_BEFORE_VALUES: Final = '"{['
_BEFORE_WORDS: Final = ("", *"{[:,")


def faults_in(source: SourceText, first: JsonError) -> tuple[JsonError, ...]:
    """List the faults of a text that is no JSON, as far as it is clear how it goes on behind each.

    Args:
        source: the text.
        first: what stopped its reading.
    """
    faults = [first]
    text = source.text
    while len(faults) < MAX_FAULTS and len(text) <= _LARGEST:
        covered = _covered(text, faults[-1])
        if covered is None or covered == text:
            break
        text = covered
        try:
            read_json(source, text)
        except JsonError as error:
            if not _is_behind(error, faults[-1]):  # what was put there was no help
                break
            faults.append(error)
        else:
            break
    return tuple(faults)


def _is_behind(later: JsonError, fault: JsonError) -> bool:
    return (later.span.line, later.span.column) > (fault.span.line, fault.span.column)


def _covered(text: str, fault: JsonError) -> str | None:
    """Write something that JSON has in the place of a fault, just as long; None where that would be a guess."""
    start = fault.offset
    if start is None or fault.slug != "invalid-json":
        return None
    if comment := COMMENT.match(text, start):
        return _put(text, start, " " * len(comment[0]))
    character = text[start : start + 1]
    if character == ",":
        return _put(text, start, " ")
    if character == "\\" and (escape := _ESCAPE.match(text, start)):
        return _put(text, start, "x" * len(escape[0]))
    if character == "\t" or (character and character < " " and character not in "\r\n"):
        return _put(text, start, " ")
    if quoted := _SINGLE_QUOTED.match(text, start):
        return _put(text, start, f'"{_NOT_PLAIN.sub("x", quoted[0][1:-1])}"')
    if character and character in _BEFORE_VALUES and text[start - 1 : start].isspace():
        return _put(text, start - 1, ",")
    if (word := _WORD.match(text, start)) and text[:start].rstrip()[-1:] in _BEFORE_WORDS:
        return _put(text, start, _word(word[0]))
    return None


def _word(word: str) -> str:
    """Write a value, or a string where a key may be meant, as long as a word."""
    if word in _LITERALS:
        return _LITERALS[word].ljust(len(word))
    return f'"{"x" * (len(word) - 2)}"' if len(word) > 1 else "0"


def _put(text: str, start: int, piece: str) -> str:
    return text[:start] + piece + text[start + len(piece) :]
