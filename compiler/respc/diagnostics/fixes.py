"""Fixes: steps on the JSON of a template, and what they change for those who use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class SetValue:
    """Write another value at a pointer."""

    pointer: str
    value: Any


@dataclass(frozen=True, slots=True)
class RenameKey:
    """Give the member at a pointer another key."""

    pointer: str
    key: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Take out the member or element at a pointer."""

    pointer: str


@dataclass(frozen=True, slots=True)
class AddMember:
    """Write a new member at the end of the object at a pointer."""

    pointer: str
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class ReplaceText:
    """Write another text for the characters ``start`` to ``end`` of the string at a pointer."""

    pointer: str
    start: int
    end: int
    text: str


Step: TypeAlias = SetValue | RenameKey | Remove | AddMember | ReplaceText


@dataclass(frozen=True, slots=True)
class Fix:
    """What fixes a finding.

    Attributes:
        changes: what is different afterwards, in a sentence.
        steps: what is done, all or nothing.
        is_safe: whether every message stays as it is. Of a template that the interpreter refuses there is none yet:
            there a fix is safe if it is certain what was meant.
    """

    changes: str
    steps: tuple[Step, ...]
    is_safe: bool = False
