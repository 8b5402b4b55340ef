"""Whether values are of their types, as a type checker would see it that saw the values."""

from __future__ import annotations

import types
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict


def is_of(value: Any, hint: Any, names: dict[str, Any]) -> bool:
    """Tell whether a value is of a type. ``names`` are those of the module that has the type."""
    if hint is Any:
        return True
    if is_typeddict(hint):
        hints = get_type_hints(hint, names)
        return (
            type(value) is dict
            and hint.__required_keys__ <= value.keys() <= hints.keys()
            and all(is_of(item, hints[key], names) for key, item in value.items())
        )
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(is_of(value, each, names) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin is list:
        return type(value) is list and all(is_of(item, arguments[0], names) for item in value)
    if origin is dict:
        return type(value) is dict and all(is_of(item, arguments[1], names) for item in value.values())
    return value is None if hint in (None, type(None)) else type(value) is hint
