"""What closing a region does: read the body, transform it, put it into the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import display_dict, display_list, literal
from respc.codegen.plan import CloserPlan
from respc.codegen.types import SCALARS
from respc.codegen.value_types import value_type
from respc.contents import parser_of
from respc.ir import (
    Captured,
    Constant,
    ContentValue,
    ElementValue,
    ListOf,
    ObjectOf,
    Region,
    Transform,
    Undefined,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.codegen.module_writer import ModuleWriter


def plan_closer(region: Region, name: str, writer: ModuleWriter) -> CloserPlan:
    """Plan the function that closes the regions of a field.

    Args:
        region: the field.
        name: a part of an identifier for the field.
        writer: where functions and imports go.
    """
    content = writer.content(region.content, "body", name)
    value_code = content.code if region.transform is None else _transformed(region)
    value_type_code = value_type(region, content.type, writer)
    casts = value_type_code not in SCALARS
    uses = region.transform is None or region.each or _uses_content(region.transform)
    return CloserPlan(
        name=writer.names.take(f"_end_{name}"),
        content_code=content.code
        if uses or parser_of(region.content).can_fail(region.content.arguments)
        else None,
        content_used=uses,
        value_code=value_code,
        value_type_code=value_type_code,
        has_transform=region.transform is not None,
        casts=casts,
        store_code=_store(region),
    )


def stored_type(region: Region, value_type: str) -> str:
    """Give the type of a field in the message, from the type of one region's value."""
    if region.join is not None:
        return "str"
    return f"list[{value_type}]" if region.repeats else value_type


def _store(region: Region) -> str:
    """Write how a value goes into the message."""
    key = literal(region.name)
    if region.join is not None:
        return f"join_values(parser.message, {key}, {literal(region.join)}, value)"
    if region.repeats:
        return f"parser.message.setdefault({key}, []).append(value)"
    return f"parser.message[{key}] = value"


def _transformed(region: Region) -> str:
    assert region.transform is not None
    item = _transform(region.transform)
    if not region.each:
        return item
    found = "records(content)"
    if any(map(_is_captured, _leaves(region.transform))):
        found = f"({{**parser.captures, **record}} for record in {found})"
    return f"[{item} for record in {found}]"


def _transform(node: Transform) -> str:
    """Write a transform as a display; its placeholders become names."""
    match node:
        case Constant(value):
            return literal(value)
        case ObjectOf(items):
            return display_dict((literal(key), _transform(item)) for key, item in items)
        case ListOf(items):
            return display_list(map(_transform, items))
        case Undefined(path, available):
            return f"undefined({literal(path)}, {literal(available)})"
        case ContentValue(path, keys):
            return _descend("content", path, keys)
        case Captured(path, name, keys, sure):
            code = (
                f"parser.captures[{literal(name)}]" if sure else f"captured(parser.captures, {literal(name)})"
            )
            return _descend(code, path, keys)
        case ElementValue(path, name, keys, _):
            return _descend(f"element(record, {literal(name)})", path, keys)


def _descend(code: str, path: str, keys: tuple[str, ...]) -> str:
    if not keys:
        return code
    return f"descend({code}, {', '.join(map(literal, (path, *keys)))})"


def _uses_content(transform: Transform) -> bool:
    return any(isinstance(leaf, ContentValue) for leaf in _leaves(transform))


def _leaves(transform: Transform) -> Iterator[Transform]:
    """Iterate over the constants and placeholders of a transform."""
    match transform:
        case ObjectOf(items):
            for _, item in items:
                yield from _leaves(item)
        case ListOf(items):
            for item in items:
                yield from _leaves(item)
        case _:
            yield transform


def _is_captured(leaf: Transform) -> bool:
    return isinstance(leaf, Captured) or (isinstance(leaf, ElementValue) and leaf.or_captured)
