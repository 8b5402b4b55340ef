"""Collects what the rules find."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from respc.diagnostics import Diagnostic, diagnose

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

    def all(self) -> tuple[Diagnostic, ...]:
        """Give all findings so far."""
        return tuple(self._found)


def closest(word: object, known: Collection[str]) -> str | None:
    """Give the known word that was perhaps meant."""
    matches = get_close_matches(word, known, n=1) if isinstance(word, str) else []
    return matches[0] if matches else None


def listed(words: Collection[str]) -> str:
    """List words for a message."""
    return ", ".join(f"`{word}`" for word in words)
