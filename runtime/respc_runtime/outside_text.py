"""Text of a generation that is outside of all regions, as it is reported."""

from __future__ import annotations

from typing import Any, Final

OUTSIDE_REASONS: Final = {
    "no_field": "no field takes this text",
    "begun": "the response ended in a delimiter",
    "after_turn": "this text stands behind the end of the turn",
}
"""What is said of text outside of all regions, by the ``reason`` of its event."""


class OutsideText:
    """Text outside of all regions, in pieces.

    Attributes:
        start: where it begins.
        end: where it ends.
        reason: why no region has it, a key of `OUTSIDE_REASONS`.
        field: the field whose opener it has begun, if it has.
    """

    __slots__ = ("_parts", "end", "field", "reason", "start")

    def __init__(self, start: int, reason: str, field: str | None) -> None:
        self.start = self.end = start
        self.reason = reason
        self.field = field
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    def goes_on_with(self, event: dict[str, Any]) -> bool:
        """Tell whether the text of an event follows on it, for the same reason."""
        return bool(self.reason == event["reason"] and self.end == event["start"])

    def add(self, text: str) -> None:
        """Take the next piece."""
        self._parts.append(text)
        self.end += len(text)
