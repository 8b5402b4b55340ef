"""Expressions that are compiled when they are first used: no parser needs all of the runtime's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import re


class LateExpression:
    """An expression of the runtime's own, written as those of templates are; see `compiled`."""

    __slots__ = ("_made", "_pattern")

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._made: Any = None

    @property
    def made(self) -> re.Pattern[str]:
        """The compiled expression."""
        if self._made is None:
            from respc_runtime.searches import compiled

            self._made = compiled(self._pattern)
        made: re.Pattern[str] = self._made
        return made

    def search(self, text: str) -> Any:
        """Search a text."""
        return self.made.search(text)
