"""What closing a region does: read the body, transform it, put it into the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import display_dict, display_list, literal
from respc.codegen.plan import CloserPlan
from respc.codegen.types import SCALARS, constant_type
from respc.contents import Expression, parser_of
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
    value = content if region.transform is None else _transformed(region, content, writer)
    casts = value.type not in SCALARS
    if casts:
        writer.runtime("cast_arguments")
    uses = region.transform is None or region.each or _uses_content(region.transform)
    return CloserPlan(
        name=writer.names.take(f"_end_{name}"),
        content_code=content.code
        if uses or parser_of(region.content).can_fail(region.content.arguments)
        else None,
        content_used=uses,
        value_code=value.code,
        value_type_code=value.type,
        has_transform=region.transform is not None,
        casts=casts,
        store_code=_store(region, writer),
    )


def stored_type(region: Region, value_type: str) -> str:
    """Give the type of a field in the message, from the type of one region's value."""
    if region.join is not None:
        return "str"
    return f"list[{value_type}]" if region.repeats else value_type


def _store(region: Region, writer: ModuleWriter) -> str:
    """Write how a value goes into the message."""
    key = literal(region.name)
    if region.join is not None:
        return f"{writer.runtime('join_values')}(parser.message, {key}, {literal(region.join)}, value)"
    if region.repeats:
        return f"parser.message.setdefault({key}, []).append(value)"
    return f"parser.message[{key}] = value"


def _transformed(region: Region, content: Expression, writer: ModuleWriter) -> Expression:
    assert region.transform is not None
    item = _transform(region.transform, content.type, writer)
    if not region.each:
        return item
    found = f"{writer.runtime('records')}(content)"
    if used_captures(region):
        found = f"({{**parser.captures, **record}} for record in {found})"
    return Expression(f"[{item.code} for record in {found}]", f"list[{item.type}]")


def _transform(node: Transform, content_type: str, writer: ModuleWriter) -> Expression:
    """Write a transform as a display; its placeholders become names."""
    match node:
        case Constant(value):
            return Expression(literal(value), constant_type(value))
        case ObjectOf(items):
            pairs = ((literal(key), _transform(item, content_type, writer).code) for key, item in items)
            return Expression(display_dict(pairs), "dict[str, Any]")
        case ListOf(items):
            return Expression(
                display_list(_transform(item, content_type, writer).code for item in items), "list[Any]"
            )
        case Undefined(path, available):
            return Expression(f"{writer.runtime('undefined')}({literal(path)}, {literal(available)})", "Any")
        case ContentValue(path, keys):
            return _descend(Expression("content", content_type), path, keys, writer)
        case Captured(path, name, keys, sure):
            code = (
                f"parser.captures[{literal(name)}]"
                if sure
                else f"{writer.runtime('captured')}(parser.captures, {literal(name)})"
            )
            return _descend(Expression(code, "str"), path, keys, writer)
        case ElementValue(path, name, keys, _):
            code = f"{writer.runtime('element')}(record, {literal(name)})"
            return _descend(Expression(code, "Any"), path, keys, writer)


def _descend(value: Expression, path: str, keys: tuple[str, ...], writer: ModuleWriter) -> Expression:
    if not keys:
        return value
    arguments = ", ".join(map(literal, (path, *keys)))
    return Expression(f"{writer.runtime('descend')}({value.code}, {arguments})", "Any")


def _uses_content(transform: Transform) -> bool:
    return any(isinstance(leaf, ContentValue) for leaf in leaves(transform))


def leaves(transform: Transform) -> Iterator[Transform]:
    """Iterate over the constants and placeholders of a transform."""
    match transform:
        case ObjectOf(items):
            for _, item in items:
                yield from leaves(item)
        case ListOf(items):
            for item in items:
                yield from leaves(item)
        case _:
            yield transform


def used_captures(region: Region) -> frozenset[str]:
    """List the capture groups that a field's transform uses."""
    if region.transform is None:
        return frozenset()
    return frozenset(
        leaf.name
        for leaf in leaves(region.transform)
        if isinstance(leaf, Captured) or (isinstance(leaf, ElementValue) and leaf.or_captured)
    )
