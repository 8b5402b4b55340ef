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

    Args:
        event: the first that tells of it.

    Attributes:
        start: where it begins.
        end: where it ends.
        reason: why no region has it, a key of `OUTSIDE_REASONS`.
        field: the field whose opener it has begun, if it has.
    """

    __slots__ = ("_parts", "end", "field", "reason", "start")

    def __init__(self, event: dict[str, Any]) -> None:
        self.start: int = event["start"]
        self.end: int = event["end"]
        self.reason: str = event["reason"]
        self.field: str | None = event["field"]
        self._parts: list[str] = [event["text"]]

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._parts)

    def takes(self, event: dict[str, Any]) -> bool:
        """Add the text of an event if it follows on it, for the same reason; tell whether it does."""
        if self.reason != event["reason"] or self.end != event["start"]:
            return False
        self._parts.append(event["text"])
        self.end = event["end"]
        return True
