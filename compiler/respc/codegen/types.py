"""The types of values, as annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

SCALARS = frozenset({"str", "int", "float", "bool", "None"})
"""Types whose values hold no tool calls."""


def constant_type(value: object) -> str:
    """Give the type of a JSON value."""
    match value:
        case None:
            return "None"
        case list():
            return "list[Any]"
        case dict():
            return "dict[str, Any]"
        case _:
            return type(value).__name__


def union(types: Iterable[str]) -> str:
    """Join types, None last; `Any` swallows the others."""
    distinct = dict.fromkeys(sorted(types, key=lambda type_code: type_code == "None"))
    return "Any" if "Any" in distinct else " | ".join(distinct)
