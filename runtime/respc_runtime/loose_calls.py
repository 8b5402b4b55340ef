"""Calls in other forms than a dialect has: as models write them, though its grammar refuses that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

from respc_runtime.json_bodies import WRITE_JSON_UNESCAPED, decode_json
from respc_runtime.late_expressions import LateExpression

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from respc_runtime.string_closers import Quotes

_CALL: Final = LateExpression(r"\s*([A-Za-z_][\w.-]*)\s*\(\s*")
_ARGUMENT: Final = LateExpression(r"([A-Za-z_]\w*)\s*=\s*")
# Behind a value: another argument, another call, or the end.
_BEHIND_VALUE: Final = r"(?:,\s*(?=[A-Za-z_]\w*\s*=)|(?=\)\s*(?:\]?\s*\Z|,\s*[A-Za-z_][\w.-]*\s*\()))"
_VALUE_END: Final = LateExpression(_BEHIND_VALUE)
_STRING_ENDS: Final = {quote: LateExpression(rf"{quote}\s*{_BEHIND_VALUE}") for quote in "'\""}
# What another call begins with, or another argument: a string that holds it may have lost its end.
_LOST_ENDS: Final = {
    quote: LateExpression(rf"(?:(\)\s*,)|[,)])\s*[A-Za-z_][\w.-]*\s*(\(\s*[A-Za-z_]\w*\s*)?=\s*{quote}")
    for quote in "'\""
}
_ESCAPE: Final = LateExpression(r"\\(.)")
_ESCAPED: Final = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_ZEROS: Final = LateExpression(r"(?<![\w.])0+(?=[1-9])")
_WORD: Final = LateExpression(
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
        arguments = call.get("arguments", call.get("parameters", {} if has_no_arguments(call) else None))
        if not isinstance(call.get("name"), str) or not isinstance(arguments, dict):
            return None
        given = cast("dict[str, Any]", arguments)
        calls.append((call["name"], {key: WRITE_JSON_UNESCAPED(argument) for key, argument in given.items()}))
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
        call = _CALL.made.match(body, place)
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
        argument = _ARGUMENT.made.match(body, place)
        if argument is None:
            raise ValueError("no argument")
        start = argument.end()
        quote = body[start : start + 1]
        ends = _STRING_ENDS.get(quote)
        end = _VALUE_END.made.search(body, start) if ends is None else ends.made.search(body, start + 1)
        if end is None or argument[1] in arguments:
            raise ValueError("no value")
        text = body[start + (ends is not None) : end.start()]
        lost = None if ends is None else _LOST_ENDS[quote].search(text)
        if lost is not None and (lost[1] or lost[2] or text.count(quote) % 2):
            raise ValueError("a string without its end")
        arguments[argument[1]] = (
            _plain_value(text) if ends is None else WRITE_JSON_UNESCAPED(_ESCAPE.made.sub(_unescaped, text))
        )
        place = end.end()
    return arguments, place + 1


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPED.get(match[1], match[0])


def _plain_value(text: str) -> str:
    value = _ZEROS.made.sub("", text.strip())
    return f"[{value[1:-1]}]" if value.startswith("{") and value.endswith("}") and ":" not in value else value


def with_quoted_words(body: str, quotes: Quotes) -> str:
    """Put the marks of a dialect around values that are bare words."""
    opening, closing = quotes[0]
    parts = body.split(opening) if opening == closing else [body]
    return opening.join(
        part if number % 2 else _WORD.made.sub(lambda word: f"{opening}{word[1]}{closing}", part)
        for number, part in enumerate(parts)
    )
