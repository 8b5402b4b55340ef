"""JSON pointers (RFC 6901), by which every part of a document is named."""

from __future__ import annotations

from typing import Any

from respc.source.json_kinds import is_list


def child_pointer(pointer: str, key: str | int) -> str:
    """Return the pointer of the member or element ``key`` of the value at ``pointer``."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def pointer_keys(pointer: str) -> tuple[str, ...]:
    """Return the keys that lead from the root to ``pointer``; ValueError when it is not a JSON pointer."""
    if not pointer:
        return ()
    if not pointer.startswith("/"):
        raise ValueError(f"not a JSON pointer: {pointer!r}")
    return tuple(key.replace("~1", "/").replace("~0", "~") for key in pointer[1:].split("/"))


def value_at(document: Any, pointer: str) -> Any:
    """Return the value at a JSON pointer of a document that has it."""
    value = document
    for key in pointer_keys(pointer):
        value = value[int(key)] if is_list(value) else value[key]
    return value
