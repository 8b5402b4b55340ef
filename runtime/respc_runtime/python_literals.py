"""Objects and arrays that are written as Python writes them.

They are read as the values in lists of calls are (`call_lists`): never evaluated, in linear time, and not too deep.
Unlike there, integers may be long, a comma may come after the last item, and `\\x` escapes a character, as `repr` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc_runtime.call_lists import CallListReader

if TYPE_CHECKING:
    import re


class LiteralReader(CallListReader):
    """A cursor over the text of a literal."""

    __slots__ = ()

    def literal(self) -> Any:
        """Read the whole text.

        Raises:
            ValueError: it is no literal, or nested too deeply.
        """
        value = self.value(0)
        if self.next_mark():
            self.refuse("unexpected text after the value")
        return value

    def goes_on(self, closing: str) -> bool:
        """Read what comes after an item, and the closing bracket after a last comma."""
        return super().goes_on(closing) and self.begins(closing)

    def number(self, found: re.Match[str]) -> int | float:
        """Read the number that was found, an integer however long Python lets it be."""
        if found["real"]:
            return super().number(found)
        self.position = found.end()
        return int(found["number"])

    def escape(self) -> str:
        """Read an escape in a string."""
        if not self.text.startswith("\\x", self.position):
            return super().escape()
        code = self.text[self.position + 2 : self.position + 4]
        if len(code) < 2 or not code.isalnum() or not code.isascii():
            self.refuse("unknown escape")
        self.position += 4
        return chr(int(code, 16))
