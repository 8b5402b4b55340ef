"""Questions about classes of characters."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from respc.patterns.syntax import OneOf


@cache
def _matcher(source: str) -> regex.Pattern[str]:
    return regex.compile(source, regex.DOTALL)


def has(members: OneOf, character: str) -> bool:
    """Ask `regex` itself whether a character is of a class."""
    assert members.source is not None
    return _matcher(members.source).match(character) is not None


def disjoint(one: OneOf, two: OneOf) -> bool:
    """Tell whether two classes share no character, where one of them can be listed."""
    for listed, other in ((one, two), (two, one)):
        if listed.characters is not None and not listed.negated:
            return not any(has(other, character) for character in listed.characters)
    return False


def is_any(members: OneOf) -> bool:
    """Tell whether a class is of all characters, as far as its source shows."""
    return members.source in (r"[\s\S]", r"[\S\s]", r"[\w\W]", r"[\W\w]", r"[\d\D]", r"[\D\d]")
