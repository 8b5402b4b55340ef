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
    ParserIR,
    Region,
    Transform,
    Undefined,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.codegen.module_writer import ModuleWriter


def plan_closer(region: Region, ir: ParserIR, name: str, state_name: str, writer: ModuleWriter) -> CloserPlan:
    """Plan the method that closes the regions of a field.

    Args:
        region: the field.
        ir: the whole template.
        name: a part of an identifier for the field.
        state_name: the constant of its state.
        writer: where functions and imports go.
    """
    content = writer.content(region.content, "body", name)
    value = content if region.transform is None else _transformed(region, content, writer)
    store, store_can_fail = _store(region, ir, value.type)
    reads = parser_of(region.content).can_fail(region.content.arguments)
    if value.type not in SCALARS:
        writer.runtime("cast_arguments")
    can_fail = reads or store_can_fail or value.type not in SCALARS or _transform_can_fail(region.transform)
    if can_fail:
        writer.runtime("region_error")
    checks_string = region.join is not None and value.type != "str"
    if checks_string:
        writer.runtime("require_string")
    uses = region.transform is None or region.each or _uses_content(region.transform)
    return CloserPlan(
        name=writer.names.take(f"_end_{name}"),
        key_code=literal(region.name),
        state_name=state_name,
        content_code=content.code if uses or reads else None,
        content_used=uses,
        value_code=value.code,
        value_type_code=value.type,
        has_transform=region.transform is not None,
        can_fail=can_fail,
        casts=value.type not in SCALARS,
        store=store,
        join_code=literal(region.join) if region.join is not None else "",
        checks_string=checks_string,
        grows=isinstance(ir.defaults.get(region.name), str | None),
    )


def stored_type(region: Region, value_type: str) -> str:
    """Give the type of a field in the message, from the type of one region's value."""
    if region.join is not None:
        return "str"
    return f"list[{value_type}]" if region.repeats else value_type


def _store(region: Region, ir: ParserIR, value_type: str) -> tuple[str, bool]:
    """Choose how a value goes into the message, and tell whether that can fail."""
    default = ir.defaults.get(region.name)
    if region.join is not None:
        return "join", value_type != "str" or not isinstance(default, str | None)
    if region.repeats:
        return "append", region.name in ir.defaults and not isinstance(default, list)
    return "set", False


def _transformed(region: Region, content: Expression, writer: ModuleWriter) -> Expression:
    assert region.transform is not None
    item = _transform(region.transform, content.type, writer)
    if not region.each:
        return item
    found = f"{writer.runtime('records')}(content)"
    if used_captures(region):
        found = f"({{**self._captures, **record}} for record in {found})"
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
                f"self._captures[{literal(name)}]"
                if sure
                else f"{writer.runtime('captured')}(self._captures, {literal(name)})"
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


def _transform_can_fail(transform: Transform | None) -> bool:
    return transform is not None and any(
        not isinstance(leaf, Constant) and (leaf.keys if isinstance(leaf, ContentValue) else True)
        for leaf in leaves(transform)
    )


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
