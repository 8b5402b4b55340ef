"""Text that comes in many pieces and is kept in few."""

from __future__ import annotations

from typing import Final

MOST_PIECES: Final = 128
"""So many pieces are kept as they came; a short string takes many times the memory of its characters."""


class FoldedText:
    """Text in pieces.

    Attributes:
        pieces: the last of them, as they came; none where there is no text. It is always the same list, and who
            appends to it directly stops where it has `MOST_PIECES`.
    """

    __slots__ = ("_blocks", "pieces")

    def __init__(self, text: str = "") -> None:
        self._blocks: list[str] = []
        self.pieces: list[str] = [text] if text else []

    @property
    def text(self) -> str:
        """All of it, which then is one piece."""
        pieces = self.pieces
        if self._blocks or len(pieces) > 1:
            whole = "".join((*self._blocks, *pieces))
            self._blocks.clear()
            pieces[:] = (whole,)
        return pieces[0] if pieces else ""

    def add(self, text: str) -> None:
        """Take the next piece."""
        if not text:
            return
        if len(self.pieces) >= MOST_PIECES:
            self._blocks.append("".join(self.pieces))
            self.pieces.clear()
        self.pieces.append(text)

    def become(self, text: str) -> None:
        """Be another text."""
        self._blocks.clear()
        self.pieces.clear()
        if text:
            self.pieces.append(text)
