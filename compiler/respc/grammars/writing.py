"""Writing values and calls in a spelling: to find them in what others wrote, and to try a spelling."""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.spelling import ID, KEY, NAME, NUMBER, ObjectArguments, style_of
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.grammars.spelling import Calls, TagArguments, ValueStyle
_KINDS: Final = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


def kind_of(value: Any) -> str:
    """Give the kind of a value, as schemas name it."""
    return _KINDS[type(value)]


def write_value(value: Any, style: ValueStyle) -> str:
    """Write a value."""
    if isinstance(value, str):
        return write_string(value, style)
    if value is None or isinstance(value, bool):
        return style.words[2 if value is None else 0 if value else 1]
    if isinstance(value, int):
        return str(value)
    if is_list(value):
        return f"[{style.item_separator.join(write_value(each, style) for each in value)}]"
    if is_object(value):
        pairs = (
            f"{write_key(key, style.key_quotes)}{style.key_separator}{write_value(inner, style)}"
            for key, inner in value.items()
        )
        return f"{{{style.item_separator.join(pairs)}}}"
    return json.dumps(value)


def write_string(text: str, style: ValueStyle) -> str:
    """Write a string."""
    opens, closes = style.quotes
    if style.either_quotes:
        return repr(text)
    if not style.escapes:
        return opens + text + closes
    inner = encode_basestring(text)[1:-1]
    if opens != '"':
        inner = inner.replace('\\"', '"').replace(opens, "\\" + opens)
    return opens + inner + closes


def write_key(key: str, quotes: tuple[str, str]) -> str:
    """Write the key of an object, which has no double quotes in it."""
    return f'"{key}"' if quotes[0] == "'" and "'" in key else key.join(quotes)


def write_object(arguments: dict[str, Any], writing: ObjectArguments) -> str:
    """Write arguments as one object."""
    styles, style = writing.styles, writing.style
    pairs = [
        f"{write_key(key, writing.key_quotes)}{writing.key_separator}"
        f"{write_value(value, styles.get(kind_of(value), style) if styles else style)}"
        for key, value in arguments.items()
    ]
    return writing.item_separator.join(pairs).join(writing.brackets)


def write_tags(arguments: dict[str, Any], writing: TagArguments) -> str:
    """Write arguments in tags."""
    parts: list[str] = []
    for key, value in arguments.items():
        kind = kind_of(value)
        tag = writing.tags[kind]
        text = value if kind == "string" else write_value(value, style_of(writing, kind))
        parts += (writing.before_key, key, tag.before_value, text, tag.after_value.replace(KEY, key))
    return "".join(parts)


def write_calls(calls: Sequence[tuple[str, dict[str, Any]]], spelling: Calls) -> str:
    """Write calls, each a name and arguments."""
    written: list[str] = []
    for number, (name, arguments) in enumerate(calls):
        text = (
            write_object(arguments, spelling.arguments)
            if isinstance(spelling.arguments, ObjectArguments)
            else write_tags(arguments, spelling.arguments)
        )
        before, after = (
            part.replace(NUMBER, str(number)).replace(ID, str(number).rjust(spelling.id_length, "A"))
            for part in (spelling.before, spelling.after)
        )
        written.append(before.replace(NAME, name) + text + after.replace(NAME, name))
    return spelling.section_open + (spelling.separator or "").join(written) + spelling.section_close


def write_behind(before: str, calls: Sequence[tuple[str, dict[str, Any]]], spelling: Calls) -> str:
    """Write calls behind a text or reasoning, if there is any."""
    written = write_calls(calls, spelling)
    return before + written.removeprefix(spelling.dropped) if before else written
