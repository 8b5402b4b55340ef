"""The types of the values that transforms make: each object has a TypedDict of its own, as far as its values are known.

Nothing is promised that is not so: what only JSON says is `Any`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from respc.codegen.literals import literal
from respc.codegen.names import class_name, singular
from respc.codegen.types import constant_type, union
from respc.contents import parser_of
from respc.ir import Captured, Constant, ContentValue, ElementValue, ListOf, ObjectOf

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.ir import Region, Transform

_ARGUMENTS: Final = ("function", "arguments")
"""The keys of an object that is changed: each of its values is cast to what a tool declares."""
_LONGEST_LITERAL: Final = 40
_MOST_OBJECTS: Final = 64
"""So many objects of one template have types of their own; who writes more of them does not read those."""


def value_type(region: Region, content_type: str, writer: ModuleWriter) -> str:
    """Give the type of the values of a field's regions, and add the types of the objects in them.

    Args:
        region: the field.
        content_type: the type of what its content parser gives.
        writer: where the types of objects go.
    """
    if region.transform is None:
        return content_type
    types = _ValueTypes(region, content_type, writer)
    item = types.type_of(region.transform, class_name(singular(region.name)), ())
    return f"list[{item}]" if region.each else item


class _ValueTypes:
    """Finds the types of the parts of a transform."""

    def __init__(self, region: Region, content_type: str, writer: ModuleWriter) -> None:
        self._content_type = content_type
        self._element_types = parser_of(region.content).element_types
        self._writer = writer

    def type_of(self, node: Transform, name: str, path: tuple[str, ...]) -> str:
        """Give the type of a part.

        Args:
            node: the part.
            name: what the type of an object is called.
            path: the keys of the objects that the part is in.
        """
        match node:
            case Constant(value):
                return constant_type(value)
            case ObjectOf(items):
                return self._object(items, name, path)
            case ListOf(items):
                if path == _ARGUMENTS:
                    return "list[Any]"
                members = [self.type_of(item, name, path) for item in items]
                return f"list[{union(members)}]" if members else "list[Any]"
            case ContentValue(_, ()):
                return self._content_type
            case Captured(_, _, ()):
                return "str"
            case ElementValue(_, element, ()):
                return self._element_types.get(element, "Any")
            case _:
                return "Any"

    def _object(self, items: tuple[tuple[str, Transform], ...], name: str, path: tuple[str, ...]) -> str:
        writer = self._writer
        if not items or "" in dict(items) or path == _ARGUMENTS or len(writer.objects) >= _MOST_OBJECTS:
            return "dict[str, Any]"
        # The objects inside come first: where no class can be written, their types are evaluated.
        return writer.object_type(name, {key: self._value(item, name, path, key) for key, item in items})

    def _value(self, item: Transform, owner: str, path: tuple[str, ...], key: str) -> str:
        if isinstance(item, Constant):
            return _literal_type(item.value)
        part = singular(key) if isinstance(item, ListOf) else key
        return self.type_of(item, owner + class_name(part), (*path, key))


def _literal_type(value: object) -> str:
    match value:
        case str() if len(value) <= _LONGEST_LITERAL and value.isprintable():
            return f"Literal[{literal(value)}]"
        case bool():
            return f"Literal[{value}]"
        case _:
            return constant_type(value)
