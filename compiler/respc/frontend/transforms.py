"""Lowering transforms: which value each placeholder stands for is known at compile time."""

from __future__ import annotations

from typing import Any

from respc.frontend.placeholders import placeholder_path
from respc.ir import (
    Captured,
    Constant,
    ContentValue,
    Delimiter,
    ElementValue,
    ListOf,
    ObjectOf,
    Transform,
    Undefined,
)
from respc.source.json_kinds import is_list, is_object


def lower_transform(
    transform: Any, each: bool, opener: Delimiter | None, closer: Delimiter | None
) -> Transform:
    """Lower a transform.

    Args:
        transform: as the template has it.
        each: whether it applies to the elements of a list, whose keys are then in scope instead of ``content``.
        opener: whose groups are in scope.
        closer: whose groups are in scope once the region was closed by it, over those of the opener.
    """
    groups = {name for delimiter in (opener, closer) if delimiter for name in delimiter.groups}
    sure = opener.facts.sure_groups if opener else frozenset[str]()
    return _lower(transform, each, groups, sure)


def _lower(node: Any, each: bool, groups: set[str], sure: frozenset[str]) -> Transform:
    if is_object(node):
        return _object({key: _lower(value, each, groups, sure) for key, value in node.items()})
    if is_list(node):
        return ListOf(tuple(_lower(item, each, groups, sure) for item in node))
    path = placeholder_path(node) if isinstance(node, str) else None
    if path is None:
        return Constant(node)
    root, *keys = path.split(".")
    if each:
        return ElementValue(path, root, tuple(keys), or_captured=root in groups)
    if root == "content":
        return ContentValue(path, tuple(keys))
    if root in groups:
        return Captured(path, root, tuple(keys), sure=root in sure)
    return Undefined(path, tuple(sorted({"content", *groups})))


def _object(items: dict[str, Transform]) -> ObjectOf:
    return ObjectOf(tuple(items.items()))
