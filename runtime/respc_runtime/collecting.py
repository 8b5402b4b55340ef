"""The message of a whole generation, with a list of what could not be read instead of an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NamedTuple

from respc_runtime.message_values import MessageT
from respc_runtime.outside_text import OUTSIDE_REASONS, OutsideText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class UnreadText(NamedTuple):
    """Text of a generation that became no part of the message.

    Attributes:
        error: the name of the class of what is wrong with it.
        message: what is wrong with it.
        field: the field whose region it is, or whose opener it has begun; None for text outside of all regions.
        start: where it begins in the text that the parser sees: the prefix after its start anchor, then the generation.
        end: where it ends there.
        text: the raw text, with the delimiters of its region.
    """

    error: str
    message: str
    field: str | None
    start: int
    end: int
    text: str


class Parsed(Generic[MessageT]):
    """What a whole generation became.

    Attributes:
        message: the message, of all that could be read.
        unread: what could not, in the order of the text; required fields that are missing come last.
    """

    __slots__ = ("message", "unread")

    def __init__(self, message: MessageT, unread: list[UnreadText]) -> None:
        self.message = message
        self.unread = unread

    def __repr__(self) -> str:
        return f"Parsed(message={self.message!r}, unread={self.unread!r})"


def unread_texts(events: Iterable[dict[str, Any]], text: str, begun: int) -> Iterator[UnreadText]:
    """Find what is no part of the message.

    Args:
        events: all serving events of a generation.
        text: the input text of its parser.
        begun: where in that the generation begins.
    """
    start = 0
    outside: OutsideText | None = None
    end_of_text: dict[str, Any] = {"type": "end"}
    for event in (*events, end_of_text):
        kind = event["type"]
        if outside is not None:
            if kind == "text_outside" and outside.takes(event):
                continue
            yield from _reported(outside, begun)
            outside = None
        if kind == "text_outside":
            outside = OutsideText(event)
        elif kind == "region_open":
            start = event["start"]
        elif kind == "region_malformed":
            error, end = event["error"], event["end"]
            yield UnreadText(type(error).__name__, str(error), event["field"], start, end, text[start:end])


def _reported(outside: OutsideText, begun: int) -> Iterator[UnreadText]:
    """Report text outside of all regions, unless it is blank or was not generated."""
    if outside.text.strip() and outside.end > begun:
        reason = OUTSIDE_REASONS[outside.reason]
        yield UnreadText(
            "ResponseValueError", reason, outside.field, outside.start, outside.end, outside.text
        )
