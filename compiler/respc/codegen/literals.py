"""The one place where values become Python source: nothing of a template gets into a module but through it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

from respc.codegen.line_breaks import broken_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_FIRST_TOO_LONG = 10**4_000
_LONGEST_LINE = 88


def literal(value: Any) -> str:
    """Write a JSON value (or a tuple of them) as a Python expression that gives an equal value of the same type.

    Characters that do not print, and halves of surrogate pairs, are written as escapes.
    """
    match value:
        case str():
            return _string(value)
        case float():
            return _float(value)
        case int() if not isinstance(value, bool) and abs(value) >= _FIRST_TOO_LONG:
            return hex(value)  # Python refuses to read decimal numbers of this length
        case list():
            return display_list(map(literal, cast("Sequence[Any]", value)))
        case tuple():
            return display_tuple(map(literal, cast("Sequence[Any]", value)))
        case dict():
            items = cast("Mapping[str, Any]", value).items()
            return display_dict((literal(key), literal(item)) for key, item in items)
        case None | bool() | int():
            return repr(value)
        case _:
            raise TypeError(f"no literal for {type(value).__name__}")


def pattern_literal(pattern: str) -> str:
    """Write a regular expression as a Python string, raw where that shows it as it is."""
    return _raw(pattern) if "\\" in pattern else literal(pattern)


def pattern_lines(pattern: str) -> str:
    """Write a regular expression as `pattern_literal` does, over several lines if it is long."""
    if len(pattern) <= _LONGEST_LINE:
        return pattern_literal(pattern)
    return " ".join(map(_raw, broken_lines(pattern, _LONGEST_LINE)))


def _raw(text: str) -> str:
    quote = "'" if '"' in text else '"'
    is_raw = text.isprintable() and quote not in text and not text.endswith("\\")
    return f"r{quote}{text}{quote}" if is_raw else literal(text)


def display_list(items: Iterable[str]) -> str:
    """Write a list of expressions."""
    return "[" + ", ".join(items) + "]"


def display_tuple(items: Iterable[str]) -> str:
    """Write a tuple of expressions."""
    written = list(items)
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"


def display_dict(items: Iterable[tuple[str, str]]) -> str:
    """Write a dict of expressions."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in items) + "}"


def display_call(function: str, named: Mapping[str, str], *arguments: str) -> str:
    """Write a call of expressions."""
    return f"{function}({', '.join([*arguments, *(f'{name}={code}' for name, code in named.items())])})"


def _string(value: str) -> str:
    written = repr(value)
    if written[0] == "'" and '"' not in value:
        return f'"{written[1:-1]}"'
    return written


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return f'float("{value}")'
