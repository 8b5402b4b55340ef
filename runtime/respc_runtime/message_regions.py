"""The regions of a message: the one that is being written, and those that became no part of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc_runtime.call_deltas import CallRegion
    from respc_runtime.errors import ResponseError
    from respc_runtime.streamed_text import TextStream


@dataclass(frozen=True)
class UnreadRegion:
    """A region that became no part of the message: its call was cut off, or its value could not be read.

    Or text outside of all regions, that is, that no field takes or that stands behind the end of the turn.

    Attributes:
        field: its field; None for text outside of all regions.
        text: its raw text with its delimiters.
        error: what is wrong with it.
        is_call: whether it is a region of calls.
        indexes: the calls that deltas have begun for it and that are not in the message.
    """

    field: str | None
    text: str
    error: ResponseError
    is_call: bool
    indexes: tuple[int, ...] = ()


@dataclass(slots=True, eq=False)
class OpenRegion:
    """The region that is being written.

    Attributes:
        field: its field.
        start: where its opener begins.
        calls: of a region of calls, what is known of them.
        stream: of a region of text, what its text goes out with.
        is_implicit: whether it is of the field that takes what no other claims.
        is_streamed: whether its text goes out in pieces.
    """

    field: str
    start: int
    calls: CallRegion | None
    stream: TextStream | None
    is_implicit: bool
    is_streamed: bool = False
