"""Where a text is cut into chunks."""

from __future__ import annotations

from typing import Final

DEFAULT_CHUNK_SIZE: Final = 4
"""About as many characters as a token has."""


def chunk_ends(length: int, *, size: int | None = None, number: int | None = None) -> list[int]:
    """Give the ends of the chunks of a text: of one size, or so many that differ by one character at most.

    Raises:
        ValueError: both are given, or one is not positive.
    """
    if size is not None and number is not None:
        raise ValueError("give the size of chunks or their number, not both")
    if (size is not None and size < 1) or (number is not None and number < 1):
        raise ValueError("a chunk has at least one character, and a text is at least one chunk")
    if number is not None:
        number = min(number, length)
        return [length * (each + 1) // number for each in range(number)]
    size = size or DEFAULT_CHUNK_SIZE
    return [min(start + size, length) for start in range(0, length, size)]
