"""The events of a parser, for code that handles parsers of any template.

A compiled parser defines the same three with the names of its own fields.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias, TypedDict


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
