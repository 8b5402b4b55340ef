"""`allOf` of objects: one schema that asks for what all of them ask for."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc.grammars.errors import GrammarError
from respc.grammars.schema_reading import Declared, not_one

if TYPE_CHECKING:
    from collections.abc import Sequence

_ANY_OTHERS: Final = (None, True)
"""What `additionalProperties` says where it asks for nothing."""


class Member(NamedTuple):
    """One of the objects.

    Attributes:
        schema: its schema.
        path: where that is.
        properties: what it declares: of each its schema, and where that is.
        required: the properties that have to be there, which another one may declare.
    """

    schema: dict[str, Any]
    path: str
    properties: dict[str, tuple[Any, str]]
    required: frozenset[str]


class Merged(NamedTuple):
    """What they ask for together.

    Attributes:
        schema: the schema.
        declared: what it declares.
    """

    schema: dict[str, Any]
    declared: Declared


def merged(members: Sequence[Member], path: str) -> Merged:
    """Make one schema of several.

    Args:
        members: the objects.
        path: where `allOf` is.

    Raises:
        GrammarError: a property is constrained by two of them.
    """
    properties: dict[str, tuple[Any, str]] = {}
    for each in members:
        for name, place in each.properties.items():
            known = properties.setdefault(name, place)
            if not _is_same(known[0], place[0]):
                raise not_one(f"`{name}`, which two schemas of `allOf` constrain,", place[1])
    others: list[Any] = []
    for each in members:
        given = each.schema.get("additionalProperties")
        if given in _ANY_OTHERS:
            continue
        for name in properties.keys() - each.properties.keys():
            reason = f"`{name}` of another schema of `allOf` is constrained by `additionalProperties`"
            raise GrammarError("grammar-schema", reason, f"{each.path}/additionalProperties")
        others.append(given)
    required = frozenset[str]().union(*(each.required for each in members))
    for name in sorted(required - properties.keys()):
        reason = f"`{name}` is required and not declared in `properties`"
        raise GrammarError("grammar-schema", reason, f"{path}/allOf")
    schema: dict[str, Any] = {
        "properties": {name: inner for name, (inner, _) in properties.items()},
        "required": [name for name in properties if name in required],
    }
    if any("type" in each.schema for each in members):
        schema["type"] = "object"
    if others or any(each.schema.get("additionalProperties") for each in members):
        schema["additionalProperties"] = _of_all(others, path)
    return Merged(schema, Declared(properties, required))


def _of_all(others: Sequence[Any], path: str) -> Any:
    """Give what all ask of properties that none declares."""
    if False in others:
        return False
    if any(not _is_same(each, others[0]) for each in others):
        raise not_one("`additionalProperties` of several schemas of `allOf`", path)
    return others[0] if others else True


def _is_same(one: Any, other: Any) -> bool:
    # What is equal need not be the same: 1 is no True.
    return one is other or (
        one == other and json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    )
