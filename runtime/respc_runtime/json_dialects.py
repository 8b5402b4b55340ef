"""Bodies in a dialect of JSON: the content parser `json` with `string_delims` or `unquoted_keys`.

Generated code calls, in this order, what the template asks for: `refuse_reserved`; `marked_json` or `keyed_json`,
which read a plain body in one go and give `NOT_PLAIN` where that might not be what the interpreter does; and for
such a body `lift_strings` for each pair of marks, `quote_keys`, `restore_strings`, and `parse_json_dialect` or
`json_dialect_or_text`.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

from respc_runtime.json_bodies import (
    JSON_BLANKS,
    SCAN_JSON,
    WRITE_JSON_UNESCAPED,
    can_be_encoded,
    decode_json,
    parse_json,
)
from respc_runtime.regex_package import regex

NOT_PLAIN: Final = object()
WRITE_JSON = json.JSONEncoder().encode

# A lifted string leaves the token U+0001 index U+0002 in its place.
TOKEN_START = "\x01"
TOKEN_END = "\x02"
STRING_TOKEN = re.compile("\x01[0-9]+\x02")

# `regex`, not `re`: they differ in what is a word character or a blank. A dot is not a line feed here, so a
# backslash before one breaks a string off.
BARE_KEY = regex.compile(r"(?<=[{,])(\s*)(\w+)(\s*):")
STRING_OR_BARE_KEY = regex.compile(rf'"(?:[^"\\]|\\.)*("?)|{BARE_KEY.pattern}')

# A bare key as nearly all are, with the blanks before it. `re` is faster, and agrees on what this matches.
PLAIN_KEY = re.compile(r"(?<=[{,])[ \t\n\r]*([A-Za-z0-9_]+)(?=[ \t\n\r]*:)")


def refuse_reserved(body: str) -> None:
    """Refuse a body that has the characters reserved for the tokens of lifted strings.

    Raises:
        ValueError: U+0001 or U+0002 is in `body`.
    """
    for reserved in (TOKEN_START, TOKEN_END):
        if reserved in body:
            code, place = ord(reserved), body.index(reserved)
            raise ValueError(f"the reserved character U+{code:04X} is in the body, at its character {place}")


def marked_json(body: str, opening: str, closing: str, others: tuple[str, ...], bare_keys: bool) -> Any:
    """Parse a body all of whose strings stand between one pair of marks.

    Args:
        body: without the reserved characters.
        opening: the mark that begins a string, not empty.
        closing: the mark that ends it, not empty.
        others: what begins a string by the pairs of marks after this one; no digit is in them.
        bare_keys: whether keys may be bare.

    Returns:
        The value, or `NOT_PLAIN` for a body for the steps below, which may be valid or not.
    """
    parts = body.split(opening)
    if opening != closing:
        parts = cut_at_closings(parts, closing)
    if len(parts) % 2 == 0:
        return NOT_PLAIN
    outside = TOKEN_START.join(parts[::2])
    for other in others:
        if other in outside:
            return NOT_PLAIN
    if bare_keys:
        if '"' in outside:
            return NOT_PLAIN
        outside = '"'.join(PLAIN_KEY.split(outside))
    parts[::2] = outside.split(TOKEN_START)
    # The faster way to write strings, to read them again; two surrogates in a row become one character, but only if
    # they are escaped.
    is_escaped = body.isascii() or not can_be_encoded(body)
    parts[1::2] = map(WRITE_JSON if is_escaped else WRITE_JSON_UNESCAPED, parts[1::2])
    return json_or_not_plain("".join(parts))


def cut_at_closings(parts: list[str], closing: str) -> list[str]:
    """Cut each of `parts` but the first at its first closing mark; without one there, give no parts."""
    cut = parts[:1]
    for part in parts[1:]:
        inside, mark, outside = part.partition(closing)
        if not mark:
            return []
        cut += (inside, outside)
    return cut


def keyed_json(body: str) -> Any:
    """Parse a body that is JSON but for bare keys.

    Returns:
        The value, or `NOT_PLAIN` as `marked_json`.
    """
    if "\\" in body or TOKEN_START in body:
        return NOT_PLAIN
    parts = body.split('"')
    if len(parts) % 2 == 0:
        return NOT_PLAIN
    outside = '"'.join(PLAIN_KEY.split(TOKEN_START.join(parts[::2])))
    parts[::2] = outside.split(TOKEN_START)
    return json_or_not_plain('"'.join(parts))


def json_or_not_plain(document: str) -> Any:
    """Parse `document`, or give `NOT_PLAIN` if it is not JSON.

    A bare key that `PLAIN_KEY` does not match keeps a document from being JSON, and blanks before a key, which
    it drops, mean nothing: what is JSON here has the value that the interpreter's rewriting leads to.
    """
    try:
        trimmed = document.strip(JSON_BLANKS)
        value, end = SCAN_JSON(trimmed, 0)
    except (StopIteration, ValueError):
        return NOT_PLAIN
    return value if end == len(trimmed) else NOT_PLAIN


def lift_strings(text: str, opening: str, closing: str, lifted: list[str]) -> str:
    """Put a token in the place of each string between the marks `opening` and `closing`.

    Args:
        text: the body, as the pairs of marks before this one left it.
        opening: the mark that begins a string.
        closing: the mark that ends it.
        lifted: takes the contents of the strings; a token's index is the place of its string here.

    Returns:
        The text with tokens.
    """
    if not opening and not closing:
        return lift_everywhere(text, lifted)
    pieces: list[str] = []
    position = 0
    while (mark := text.find(opening, position)) >= 0:
        start = mark + len(opening)
        end = text.find(closing, start)
        if end < 0:
            break
        pieces += (text[position:mark], TOKEN_START, str(len(lifted)), TOKEN_END)
        lifted.append(text[start:end])
        position = end + len(closing)
    pieces.append(text[position:])
    return "".join(pieces)


def lift_everywhere(text: str, lifted: list[str]) -> str:
    """Lift the strings between two empty marks: an empty one before each character and at the end.

    The interpreter's substitution (transformers 5.24.0) then lifts each character as well.
    """
    first = len(lifted)
    for character in text:
        lifted += ("", character)
    lifted.append("")
    return "".join(f"{TOKEN_START}{index}{TOKEN_END}" for index in range(first, len(lifted)))


def quote_keys(text: str) -> str:
    """Quote the bare words that stand as keys, outside JSON strings."""
    return STRING_OR_BARE_KEY.sub(requoted, text)


def requoted(match: regex.Match[str]) -> str:
    """Give what `quote_keys` puts in the place of a match."""
    if match[3] is not None:
        return f'{match[2]}"{match[3]}"{match[4]}:'
    if match[1]:
        return match[0]
    # The string never ends, so its quote is no quote. No later quote in it begins a string either: each is
    # escaped, and would run into the same end. Matching it whole keeps the time linear.
    return BARE_KEY.sub(r'\1"\2"\3:', match[0])


def restore_strings(text: str, lifted: list[str]) -> str:
    """Put the lifted strings, as JSON strings, in the place of their tokens.

    A token inside a lifted string stays: as part of a JSON string its U+0001 is escaped.
    """
    strings = {f"{TOKEN_START}{index}{TOKEN_END}": content for index, content in enumerate(lifted)}

    def restored(token: re.Match[str]) -> str:
        content = strings.get(token[0])
        return token[0] if content is None else WRITE_JSON(content)

    return STRING_TOKEN.sub(restored, text)


def parse_json_dialect(working: str) -> Any:
    """Parse the JSON that the rewriting of a body gave; it raises what `parse_json` does."""
    return parse_json(working, "not JSON after the dialect's rewriting")


def json_dialect_or_text(working: str, body: str, *, strip: bool = True) -> Any:
    """Parse the JSON that the rewriting of `body` gave, or give back `body` as text if it is not JSON.

    Args:
        working: what the rewriting gave.
        body: the body before any rewriting.
        strip: whether text loses its surrounding blanks.

    Raises:
        ValueError: `working` has an integer of more digits than Python converts.
        RecursionError: `working` is nested too deeply.
    """
    try:
        return decode_json(working)
    except json.JSONDecodeError:
        return body.strip() if strip else body
