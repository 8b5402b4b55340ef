"""Objects and arrays that are written as Python writes them.

They are read as the values in lists of calls are (`call_lists`): never evaluated, in linear time, and not too deep.
Unlike there, integers may be long, a comma may come after the last item, and `\\x` and `\\U` are escapes: `repr` writes
these.
"""

from __future__ import annotations

import re
from typing import Any, Final

from respc_runtime.call_lists import CallListReader

LITERAL_HEX_DIGITS: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\U([0-9a-fA-F]{8})")


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
        digits = LITERAL_HEX_DIGITS.match(self.text, self.position)
        if digits is None:
            return super().escape()
        code = int(digits[1] or digits[2], 16)
        if code > 0x10FFFF or 0xD800 <= code < 0xE000:
            self.refuse("no character")
        self.position = digits.end()
        return chr(code)
