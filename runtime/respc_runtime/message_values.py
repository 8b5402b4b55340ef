"""Small operations of a stream on the values of its message, and on its text."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any, TypeVar, cast

from respc_runtime.transforms import require_string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc_runtime.searches import Found

MessageT = TypeVar("MessageT")


def text_buffer() -> StringIO:
    """Make a buffer for text that comes in pieces.

    Until Python 3.12 one keeps every piece, at some 60 bytes, unless it was read from; then it keeps characters alone.
    """
    buffer = StringIO()
    buffer.readline()
    return buffer


def fold_last(pieces: list[str]) -> None:
    """Join the last piece of a text with shorter ones before it: a text in many small pieces takes much room."""
    while len(pieces) > 1 and len(pieces[-2]) <= len(pieces[-1]):
        last = pieces.pop()
        pieces[-1] += last


def copied(value: Any) -> Any:
    """Copy a JSON value: each message has its own."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {key: copied(item) for key, item in items.items()}
    if isinstance(value, list):
        values: list[Any] = cast("Any", value)
        return list(map(copied, values))
    return value


def named_groups(match: Found, groups: Mapping[str, str]) -> dict[str, str]:
    """Give the named groups of a delimiter that took part in its match, by their names in the template."""
    return {name: match[group] for group, name in groups.items() if match[group] is not None}


def join_values(message: dict[str, Any], field: str, separator: str, value: Any) -> None:
    """Join a value to those that a field has.

    Raises:
        ValueError: it is not a string.
        TypeError: the field has a default that is none.
    """
    require_string(value)
    joined = message.get(field)
    if joined is None:
        message[field] = value
        return
    # A string that nothing else holds grows in place. (`+=` would extend a list as well.)
    message[field] = None
    joined = joined + separator
    joined = joined + value
    message[field] = joined
