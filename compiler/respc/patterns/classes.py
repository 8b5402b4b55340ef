"""Questions about classes of characters."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

import regex

from respc.patterns.syntax import OneOf, Text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.patterns.syntax import Node


@cache
def _matcher(source: str) -> regex.Pattern[str]:
    return regex.compile(source, regex.DOTALL)


@lru_cache(maxsize=4_096)
def has(members: OneOf, character: str) -> bool:
    """Ask `regex` itself whether a character is of a class."""
    assert members.source is not None
    return _matcher(members.source).match(character) is not None


def takes(one: Text | OneOf, character: str) -> bool:
    """Tell whether a character is that of a node, or in its class."""
    return one.character == character if isinstance(one, Text) else has(one, character)


def are_apart(one: Node, other: Node) -> bool:
    """Tell whether two characters or classes have none in common, as far as that is known."""
    if any(isinstance(each, OneOf) and each.source is None for each in (one, other)):
        return False
    match one, other:
        case Text(character), (Text() | OneOf()) as members:
            return not takes(members, character)
        case OneOf(), Text(character):
            return not has(one, character)
        case OneOf(), OneOf():
            return disjoint(one, other)
        case _:
            return False


def listed(nodes: Iterable[Node]) -> frozenset[str] | None:
    """List the characters of some nodes, None if one is no class that can be listed."""
    found: set[str] = set()
    for node in nodes:
        match node:
            case Text(character):
                found.add(character)
            case OneOf(characters, negated=False) if characters is not None:
                found |= characters
            case _:
                return None
    return frozenset(found)


def disjoint(one: OneOf, two: OneOf) -> bool:
    """Tell whether two classes share no character, where one of them can be listed."""
    for listed, other in ((one, two), (two, one)):
        if listed.characters is not None and not listed.negated:
            return not any(has(other, character) for character in listed.characters)
    return False


def is_any(members: OneOf) -> bool:
    """Tell whether a class is of all characters, as far as its source shows."""
    return members.source in (r"[\s\S]", r"[\S\s]", r"[\w\W]", r"[\W\w]", r"[\d\D]", r"[\D\d]")
