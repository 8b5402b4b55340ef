"""What ends the parsing of a corpus, and what is wrong with a single row."""

from __future__ import annotations


class CorpusError(Exception):
    """A file of rows that cannot be read, written or resumed, for the reason given."""


class RowError(ValueError):
    """A row that holds no text to parse.

    Attributes:
        position: where in its line reading stopped, in characters; None for a row that was read.
        excerpt: the start of that line.
    """

    def __init__(self, reason: str, *, position: int | None = None, excerpt: str | None = None) -> None:
        super().__init__(reason)
        self.position = position
        self.excerpt = excerpt
