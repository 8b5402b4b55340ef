"""Where the value of a body ends, of which the template says only that a line of text can come behind it."""

from __future__ import annotations

from typing import Final

from respc_runtime.late_expressions import LateExpression

NO_TEXT: Final = '}])>,:;{["'
"""What is no text where it stands right behind a value, but a value that is broken, or one value more."""

_NO_BLANK: Final = LateExpression(r"\S")
_BRACKETS_AND_QUOTES: Final = {'"': LateExpression(r'[\[\]{}()"]'), "\"'": LateExpression(r"[\[\]{}()\"']")}
_TO_END_OF_STRING: Final = {
    quote: LateExpression(rf"[^{quote}\\]*(?:\\[\s\S][^{quote}\\]*)*") for quote in ('"', "'")
}


def not_blank(text: str, start: int) -> int | None:
    """Give the place of the next character that is no blank."""
    match = _NO_BLANK.made.search(text, start)
    return None if match is None else match.start()


class ValueEnd:
    """Finds the end of the list or object that a body is, while it is written.

    Args:
        quotes: what strings stand between.

    Attributes:
        place: where the value ends in the body; None if it does not yet.
    """

    __slots__ = ("_brackets", "_depth", "_escaped", "_no_blank", "_quote", "_quotes", "_read", "place")

    def __init__(self, quotes: str) -> None:
        self._quotes = quotes
        self._brackets = _BRACKETS_AND_QUOTES[quotes].made
        self._no_blank = _NO_BLANK.made
        self._quote = ""
        self._escaped = False
        self._depth = 0
        self._read = 0
        self.place: int | None = None

    def read(self, text: str, start: int, edge: int, known: int) -> bool:
        """Read on.

        Args:
            text: text of the body; what was read of it before is passed over.
            start: where it begins in the text.
            edge: where the next delimiter begins in the text: the body ends before it, or there.
            known: where it begins in the body.

        Returns:
            Whether there can be an end.
        """
        place = start + self._read - known
        if self.place is not None:
            return True
        if place < start:
            return False
        while self.place is None and place < edge:
            if self._quote:
                match = _TO_END_OF_STRING[self._quote].made.match(text, place + self._escaped, edge)
                place = edge if match is None else match.end()
                self._escaped = place < edge and text[place] == "\\"
                if place < edge and not self._escaped:
                    self._quote = ""
                place = min(place + 1, edge)
                continue
            match = (self._brackets if self._depth else self._no_blank).search(text, place, edge)
            if match is None:
                place = edge
                break
            place, found = match.end(), match.group()
            if found in self._quotes and self._depth:
                self._quote = found
            elif found in "[{(":
                self._depth += 1
            elif self._depth:
                self._depth -= 1
                if not self._depth:
                    self.place = known + place - start
            else:
                return False
        self._read = known + place - start
        return True
