r"""A class of characters that `re` and `regex` read differently, as response templates mean it: as `regex` does."""

from __future__ import annotations

import re
from typing import Final

BLANKS: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
    "\u202f\u205f\u3000"
)
r"""What ``\s`` is in a response template: not U+001C to U+001F, which are blanks for `re` and `str.strip`."""


_BLANK_CLASS = re.compile(r"(\[\^?)?\\s|\\.", re.DOTALL)


def spelled(pattern: str) -> str:
    r"""Write out ``\s``, so that `re` matches by it what `regex` does.

    Args:
        pattern: a pattern in which ``\s`` stands alone or first in a class.
    """
    return _BLANK_CLASS.sub(_spelled_class, pattern) if r"\s" in pattern else pattern


def _spelled_class(match: re.Match[str]) -> str:
    if not match[0].endswith(r"\s"):
        return match[0]
    return f"{match[1]}{BLANKS}" if match[1] else f"[{BLANKS}]"
