"""Bodies that a model could have written, made from what a field asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.contents import parser_of
from respc.contents.model import Wanted
from respc.ir import ContentValue, ElementValue, ListOf, ObjectOf

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir import Content, Region, Transform

_ARGUMENTS: Final = {"city": "Bergen", "days": 3, "note": "by the harbour"}


def write_body(region: Region, prose: str) -> str:
    """Write a body that the content parser can read and the transform can take apart; the prose where it is text."""
    return _written(region.content, Wanted(prose, _ARGUMENTS, _value(region)))


def _written(content: Content, wanted: Wanted) -> str:
    return parser_of(content).write_example(content.arguments, wanted, _written)


def _value(region: Region) -> Any:
    """Make a value that has what the transform asks for."""
    found: dict[str, Any] = {}
    if region.transform is not None:
        for path in _paths(region.transform):
            _put(found, path)
    value = found or {"name": "look_up", "arguments": _ARGUMENTS}
    return [value, value] if region.each else value


def _paths(transform: Transform) -> Iterator[tuple[str, ...]]:
    match transform:
        case ContentValue(_, keys) if keys:
            yield keys
        case ElementValue(_, name, keys):
            yield (name, *keys)
        case ObjectOf(items):
            for _, value in items:
                yield from _paths(value)
        case ListOf(items):
            for value in items:
                yield from _paths(value)
        case _:
            pass


def _put(target: dict[str, Any], path: tuple[str, ...]) -> None:
    """Put something at a path: arguments at those that are called so, else a name."""
    for key in path[:-1]:
        inner = target.get(key)
        target = target.setdefault(key, {}) if isinstance(inner, dict | None) else target
    called = any(word in path[-1].lower() for word in ("arg", "param", "input"))
    target.setdefault(path[-1], _ARGUMENTS if called else "look_up")
