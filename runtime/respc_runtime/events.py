"""The events of a parser, for code that handles parsers of any template.

A compiled parser defines the same three with the names of its own fields.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

if TYPE_CHECKING:
    from respc_runtime.errors import ResponseError


class RegionOpen(TypedDict):
    """A region began."""

    type: Literal["region_open"]
    field: str


class RegionChunk(TypedDict):
    """Text of the open region.

    ``dirty`` is false where the text is a piece of the value, true where it is raw text that is parsed at the close.
    """

    type: Literal["region_chunk"]
    field: str
    text: str
    dirty: bool


class RegionClose(TypedDict):
    """The region ended; ``value`` is what its body became."""

    type: Literal["region_close"]
    field: str
    value: Any


Event: TypeAlias = RegionOpen | RegionChunk | RegionClose


class _ServingRegionOpened(TypedDict):
    type: Literal["region_open"]
    field: str
    start: int
    end: int


class ServingRegionOpen(_ServingRegionOpened, total=False):
    """A region began: ``captures`` are the named groups of its opener; the implicit region has none."""

    captures: dict[str, str]


class ServingRegionClose(TypedDict):
    """The region ended with this value; not ``closed``: because the stream ended."""

    type: Literal["region_close"]
    field: str
    start: int
    end: int
    value: Any
    closed: bool


class ServingRegionMalformed(TypedDict):
    """The region ended, and its value could not be read."""

    type: Literal["region_malformed"]
    field: str
    start: int
    end: int
    error: ResponseError


class ServingTextOutside(TypedDict):
    """Text that belongs to no region.

    The ``reason`` is ``no_field`` where no field takes it, ``begun`` where the response ended in the opener of
    ``field``, and ``after_turn`` where it stands behind the end of the turn.
    """

    type: Literal["text_outside"]
    field: str | None
    start: int
    end: int
    text: str
    reason: Literal["no_field", "begun", "after_turn"]


ServingEvent: TypeAlias = (
    ServingRegionOpen | RegionChunk | ServingRegionClose | ServingRegionMalformed | ServingTextOutside
)
"""The events of a parser for serving engines: with the places of their delimiters."""
