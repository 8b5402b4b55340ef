"""The text of regions as pieces that add up to the text of the message."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from respc_runtime.forms import TextForm


class TextStream:
    """Gives the text of several regions in pieces, each as early as it is known to stay.

    The blanks around a stripped region never go out: those in front are passed over, others wait for text after
    them. A join waits for the text of its region, so that an empty region at the end leaves no trace.
    """

    __slots__ = ("_blanks", "_joins", "_parts", "_regions", "_strip", "_text_of_region")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._joins = ""
        self._blanks: list[str] = []
        self._regions = 0
        self._strip = True
        self._text_of_region = False

    @property
    def text(self) -> str:
        """All that went out."""
        return "".join(self._parts)

    def open(self, form: TextForm) -> None:
        """Begin a region."""
        if self._regions:
            # What the parser does not join is text after text here all the same.
            self._joins += "\n" if form["join"] is None else form["join"]
        self._regions += 1
        self._strip = form["strip"]
        self._text_of_region = False

    def take(self, text: str) -> str:
        """Take text of the region, and give what can go out."""
        if self._strip:
            if not self._text_of_region:
                text = text.lstrip()
            kept = text.rstrip()
            if not kept:
                self._blanks.append(text)
                return ""
            blanks, self._blanks = self._blanks, [text[len(kept) :]]
            text = "".join((*blanks, kept))
        if not text:
            return ""
        self._text_of_region = True
        if self._joins:
            text = (self._joins if self._parts else self._joins.lstrip()) + text
            self._joins = ""
        self._parts.append(text)
        return text

    def close(self) -> None:
        """End the region."""
        self._blanks.clear()

    def begin_after_prompt(self) -> None:
        """Leave out what went out so far: the prompt has it. The region goes on, its blanks are between texts."""
        self._parts.clear()
        self._blanks.clear()

    def finish(self) -> str:
        """Give what is left at the end: joins around empty regions, unless they are blanks."""
        left, self._joins = self._joins.rstrip(), ""
        if not self._parts:
            left = left.lstrip()
        if left:
            self._parts.append(left)
        return left
