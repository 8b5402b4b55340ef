"""Values handed in by Python code, brought down to what JSON holds; and the digest of a template."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, cast

from respc.source.json_reader import MAX_DEPTH
from respc.source.pointers import child_pointer
from respc.source.sizes import SizeCount


class PlainValueError(ValueError):
    """A value that JSON cannot hold; ``slug`` names the diagnostic, ``pointer`` the value."""

    def __init__(self, message: str, slug: str, pointer: str) -> None:
        super().__init__(message)
        self.message = message
        self.slug = slug
        self.pointer = pointer


def plain_copy(value: object) -> Any:
    """Return a deep copy in plain JSON types, or raise PlainValueError.

    Subclasses of the JSON types become those types. Tuples stay tuples, which the interpreter does not take
    for lists. Refused are other objects, keys that are not strings, containers that hold themselves, integers
    with more digits than Python writes, nesting past MAX_DEPTH and what is past the bounds of `respc.source.sizes`.
    """
    return _Copier().copy(value)


def digest_of(template: object) -> str:
    """Return the sha256, in hexadecimal, of a plain template's compact ASCII JSON, keys in their order.

    A tuple is written in round brackets, because a template with a tuple is not the same as one with a list.
    """
    return sha256(_canonical(template).encode("ascii")).hexdigest()


def _canonical(value: object) -> str:
    if isinstance(value, dict):
        members = cast("dict[str, object]", value).items()
        return "{" + ",".join(f"{json.dumps(key)}:{_canonical(member)}" for key, member in members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, cast("list[object]", value))) + "]"
    if isinstance(value, tuple):
        return "(" + ",".join(map(_canonical, cast("tuple[object, ...]", value))) + ")"
    return json.dumps(value)


class _Copier:
    """One copy: the keys that lead to the value at hand, and the containers around it."""

    def __init__(self) -> None:
        self._path: list[str | int] = []
        self._around: set[int] = set()
        self._count = SizeCount()

    def copy(self, value: object) -> Any:
        if (excess := self._count.add(value)) is not None:
            raise self._error(excess, "template-too-large")
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int):
            return self._integer(value)
        if isinstance(value, float):
            return float.__float__(value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, (dict, list, tuple)):
            return self._container(cast("dict[object, object] | list[object] | tuple[object, ...]", value))
        raise self._error(
            f"a value of type {type(value).__name__} is nothing that JSON can hold", "value-not-json"
        )

    def _integer(self, value: int) -> int:
        plain = int.__int__(value)
        try:
            repr(plain)
        except ValueError:
            raise self._error("an integer has more digits than Python converts", "integer-too-long") from None
        return plain

    def _container(self, value: dict[object, object] | list[object] | tuple[object, ...]) -> Any:
        if id(value) in self._around:
            raise self._error(f"a {type(value).__name__} holds itself", "cyclic-value")
        if len(self._path) == MAX_DEPTH:
            message = f"nested too deep: objects and arrays may be nested {MAX_DEPTH} deep"
            raise self._error(message, "nesting-too-deep")
        self._around.add(id(value))
        copied: Any
        if isinstance(value, dict):
            copied = {self._key(key): self._step(key, member) for key, member in value.items()}
        else:
            elements = [self._step(index, element) for index, element in enumerate(value)]
            copied = elements if isinstance(value, list) else tuple(elements)
        self._around.discard(id(value))
        return copied

    def _step(self, key: object, value: object) -> Any:
        self._path.append(key if isinstance(key, int) else str.__str__(cast("str", key)))
        copied = self.copy(value)
        self._path.pop()
        return copied

    def _key(self, key: object) -> str:
        if not isinstance(key, str):
            message = f"a key of type {type(key).__name__} is nothing that JSON can hold: keys are strings"
            raise self._error(message, "value-not-json")
        return str.__str__(key)

    def _error(self, message: str, slug: str) -> PlainValueError:
        pointer = ""
        for key in self._path:
            pointer = child_pointer(pointer, key)
        return PlainValueError(message, slug, pointer)
