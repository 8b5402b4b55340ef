"""A transform as the JSON that it was written as."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from respc.ir import Captured, Constant, ContentValue, ElementValue, ListOf, ObjectOf, Undefined

if TYPE_CHECKING:
    from respc.ir import Transform


def transform_text(transform: Transform) -> str:
    """Write a transform as JSON on one line."""
    return json.dumps(_written(transform), ensure_ascii=False)


def _written(transform: Transform) -> Any:
    match transform:
        case Constant(value):
            return value
        case ObjectOf(items):
            return {key: _written(value) for key, value in items}
        case ListOf(items):
            return [_written(value) for value in items]
        case ContentValue(path) | Captured(path) | ElementValue(path) | Undefined(path):
            return f"{{{path}}}"
