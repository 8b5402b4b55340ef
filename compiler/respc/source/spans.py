"""Places in a text: lines and columns, and the text they are places in."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from dataclasses import dataclass

# As editors count: a lone carriage return ends a line too, but the other line separators of Unicode do not,
# since JSON strings may hold them unescaped.
_LINE_BREAK = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a text: lines and columns from 1, columns in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class SourceText:
    """A text with the name that messages show for it, and its lines."""

    __slots__ = ("_line_starts", "name", "text")

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text
        # Plain numbers, a few bytes each: a file can be nothing but line breaks.
        self._line_starts = array("Q", [0])
        self._line_starts.extend(match.end() for match in _LINE_BREAK.finditer(text))

    def __repr__(self) -> str:
        return f"SourceText({self.name!r}, {len(self.text)} characters)"

    @property
    def line_count(self) -> int:
        """The number of lines; a text that ends with a line break has an empty last line."""
        return len(self._line_starts)

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters from the offset ``start`` up to the offset ``end``."""
        line, column = self._place(start)
        end_line, end_column = self._place(end)
        return Span(line, column, end_line, end_column)

    def line(self, number: int) -> str:
        """Return line ``number`` (from 1) without its line break; IndexError when there is no such line."""
        if not 1 <= number <= len(self._line_starts):
            raise IndexError(f"{self.name} has no line {number}")
        start = self._line_starts[number - 1]
        if number == len(self._line_starts):
            return self.text[start:]
        return self.text[start : self._line_starts[number]].rstrip("\r\n")

    def _place(self, offset: int) -> tuple[int, int]:
        if not 0 <= offset <= len(self.text):
            raise IndexError(f"{self.name} has no offset {offset}")
        line = bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1
