"""Schemas of which a value fits one at most, as `oneOf` asks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from respc.grammars.spelling import KINDS
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from respc.grammars.alternatives import Alternative

_MOST_TELLING: Final = 8
"""So many properties, one after another, may be needed to tell objects apart."""
_Constants: TypeAlias = dict[str, frozenset[str]]
"""Of properties that have to be there, and of which the values are listed, these values."""


class _Member(NamedTuple):
    """What is known of the values of one kind that fit one of the schemas.

    Attributes:
        values: all of them, where they are listed.
        constants: what tells objects from others.
    """

    values: frozenset[str] | None
    constants: _Constants


_ANY: Final = _Member(None, {})
_KINDS: Final = frozenset(KINDS) - {"integer"}
"""An integer is a number."""


def are_apart(
    branches: Iterable[Sequence[Alternative]], constants_of: Callable[[Alternative], Mapping[str, list[Any]]]
) -> bool:
    """Tell whether no value fits two schemas, which their kinds, their values or properties that are constant say.

    Args:
        branches: of each schema the kinds of its values.
        constants_of: lists the values of the properties of an object that have to be there and are constant.

    Raises:
        GrammarError: one of them cannot be read.
    """
    written: set[str] = set()
    members: list[dict[str, _Member]] = []
    for branch in branches:
        written.update(map(_kind_of, branch))
        members.append(_read(branch, constants_of))
    return all(_are_told_apart(kind, [each[kind] for each in members if kind in each]) for kind in written)


def _read(
    branch: Sequence[Alternative], constants_of: Callable[[Alternative], Mapping[str, list[Any]]]
) -> dict[str, _Member]:
    """Put together what is known of the values of each kind that fit a schema."""
    of_kinds: dict[str, list[_Member]] = {}
    for each in branch:
        values = frozenset(map(_written, each.constant)) if each.constant else None
        constants: _Constants = {}
        if each.kind == "object" and values is None:
            constants = {key: frozenset(map(_written, listed)) for key, listed in constants_of(each).items()}
        of_kinds.setdefault(_kind_of(each), []).append(_Member(values, constants))
        if each.schema and "type" not in each.schema:
            # It asks nothing of values of other kinds, which all fit it, even though none is written of it.
            for kind in _KINDS - {_kind_of(each)}:
                of_kinds.setdefault(kind, []).append(_ANY)
    return {kind: _together(members) for kind, members in of_kinds.items()}


def _kind_of(each: Alternative) -> str:
    return "number" if each.kind == "integer" else each.kind


def _together(members: Sequence[_Member]) -> _Member:
    """Give what is known of a value that fits one of some schemas."""
    if len(members) == 1:
        return members[0]
    listed = [each.values for each in members if each.values is not None]
    values = frozenset[str]().union(*listed) if len(listed) == len(members) else None
    shared = set(members[0].constants).intersection(*(each.constants for each in members[1:]))
    return _Member(
        values, {key: frozenset[str]().union(*(each.constants[key] for each in members)) for key in shared}
    )


def _written(value: Any) -> str:
    """Write a value, the same for all that are the same for a schema."""
    return json.dumps(_with_whole_numbers(value), sort_keys=True)


def _with_whole_numbers(value: Any) -> Any:
    if is_list(value):
        return [*map(_with_whole_numbers, value)]
    if is_object(value):
        return {key: _with_whole_numbers(inner) for key, inner in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


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
