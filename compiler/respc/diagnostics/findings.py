"""Collects what the rules find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc.diagnostics.model import diagnose

if TYPE_CHECKING:
    from respc.diagnostics.model import Diagnostic
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
