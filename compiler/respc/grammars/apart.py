"""Schemas of which a value fits one at most, as `oneOf` asks."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from respc.grammars.schema_reading import declared_of, kinds_of, values_of
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MOST_TELLING: Final = 8
"""So many properties, one after another, may be needed to tell objects apart."""
_Constants: TypeAlias = dict[str, frozenset[str]]
"""Of properties that have to be there, and of which the values are listed, these values."""


@dataclass(frozen=True, slots=True)
class _Member:
    """One of the schemas, read once.

    Attributes:
        kinds: of its values; an integer is a number.
        values: all of them, where they are listed.
        constants: what tells its objects from others.
    """

    kinds: frozenset[str]
    values: frozenset[str] | None
    constants: _Constants


def are_apart(places: Iterable[tuple[Any, str]]) -> bool:
    """Tell whether no value fits two schemas, which their kinds, their values or properties that are constant say.

    Args:
        places: the schemas, each with the JSON pointer of where it is.

    Raises:
        GrammarError: one of them cannot be read.
    """
    of_kinds: dict[str, list[_Member]] = {}
    for schema, path in places:
        if not is_object(schema):
            return False
        member = _read(schema, path)
        for kind in member.kinds:
            of_kinds.setdefault(kind, []).append(member)
    return all(_are_told_apart(kind, members) for kind, members in of_kinds.items())


def _read(schema: dict[str, Any], path: str) -> _Member:
    kinds = frozenset("number" if kind == "integer" else kind for kind in kinds_of(schema, path))
    declared = declared_of(schema, path)
    listed = {key: _listed(*declared.properties[key]) for key in declared.required}
    constants = {key: values for key, values in listed.items() if values is not None}
    return _Member(kinds, _listed(schema, path), constants)


def _listed(schema: Any, path: str) -> frozenset[str] | None:
    """Give the values that a schema lists, the same written the same; None where it lists none."""
    if not is_object(schema):
        return None
    key = next((key for key in ("const", "enum") if key in schema), None)
    return None if key is None else frozenset(map(_written, values_of(schema, key, path)))


def _written(value: Any) -> str:
    return json.dumps(
        int(value) if isinstance(value, float) and value.is_integer() else value, sort_keys=True
    )


def _are_told_apart(kind: str, members: Sequence[_Member]) -> bool:
    """Tell whether no value of a kind fits two schemas that all have such values."""
    if len(members) == 1:
        return True
    listed = [each.values for each in members if each.values is not None]
    if len(listed) == len(members):
        return sum(map(len, listed)) == len(frozenset[str]().union(*listed))
    return kind == "object" and _are_told_by_properties([each.constants for each in members], _MOST_TELLING)


def _are_told_by_properties(members: list[_Constants], most: int) -> bool:
    if len(members) == 1:
        return True
    for key in min(members, key=len) if most else ():
        if all(key in each for each in members):
            groups = [*_sharing(members, key)]
            if len(groups) > 1:
                return all(_are_told_by_properties(group, most - 1) for group in groups)
    return False


def _sharing(members: list[_Constants], key: str) -> Iterator[list[_Constants]]:
    """Put together what has a value of a property in common, with one or through others."""
    holders: dict[str, list[int]] = {}
    for number, member in enumerate(members):
        for value in member[key]:
            holders.setdefault(value, []).append(number)
    left = dict.fromkeys(range(len(members)))
    while left:
        reached = [left.popitem()[0]]
        for number in reached:
            for value in members[number][key]:
                further = [other for other in holders.pop(value, ()) if other in left]
                reached += further
                for other in further:
                    del left[other]
        yield [members[number] for number in reached]
