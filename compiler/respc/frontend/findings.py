"""Collects what the rules find."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final

from respc.diagnostics import Diagnostic, Fix, diagnose
from respc.diagnostics.fixes import RenameKey
from respc.source import pointer_keys

if TYPE_CHECKING:
    from collections.abc import Collection

    from respc.source import TemplateSource


class Findings:
    """The findings of one template, in the order they were made."""

    def __init__(self, source: TemplateSource) -> None:
        self.source = source
        self._found: list[Diagnostic] = []

    def add(
        self,
        slug: str,
        message: str,
        pointer: str,
        *,
        at_key: bool = False,
        characters: tuple[int, int] | None = None,
        **details: Any,
    ) -> None:
        """Add a finding about the value at a pointer, its key, or some characters of the string that it is."""
        if characters is not None:
            span = self.source.span_in_string(pointer, *characters)
        else:
            span = self.source.span_of(pointer, key=at_key)
        self._found.append(diagnose(slug, message, pointer, span, **details))

    def has(self, slug: str, pointer: str) -> bool:
        """Tell whether there is a finding of this kind at a pointer."""
        return any(found.code.slug == slug and found.pointer == pointer for found in self._found)

    def all(self) -> tuple[Diagnostic, ...]:
        """Give all findings so far."""
        return tuple(self._found)


def closest(word: object, known: Collection[str]) -> str | None:
    """Give the known word that was perhaps meant."""
    matches = get_close_matches(word, known, n=1) if isinstance(word, str) else []
    return matches[0] if matches else None


_CERTAIN: Final = 0.8
"""How alike two words are of which one is certainly the other, misspelt."""

LOADS: Final = "the interpreter loads the template"


def rename_fix(
    pointer: str, known: Collection[str], members: Collection[str], *, changes: str = "`{}` counts"
) -> Fix | None:
    """Mend a misspelt key.

    Args:
        pointer: where the member is.
        known: the keys that there are.
        members: the keys of the object.
        changes: what is different then, with a place for the key that was meant.

    Returns:
        None where it is not certain which key was meant, or where that one, or the other way to write it, is there too.
    """
    key = pointer_keys(pointer)[-1]
    matches = get_close_matches(key, known, n=1, cutoff=_CERTAIN)
    if not matches:
        return None
    meant = matches[0]
    rival = meant.removesuffix("_pattern") if meant.endswith("_pattern") else f"{meant}_pattern"
    if meant in members or rival in members:
        return None
    return Fix(changes.format(meant), (RenameKey(pointer, meant),))


def member(key: str, value: object) -> str:
    """Write a member of an object as it stands in a template."""
    return f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"


def listed(words: Collection[str]) -> str:
    """List words for a message."""
    return ", ".join(f"`{word}`" for word in words)
