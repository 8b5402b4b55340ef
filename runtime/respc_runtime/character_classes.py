r"""The characters on which `re` and `regex` differ; response templates mean what `regex` does."""

from __future__ import annotations

import re
from typing import Final

from respc_runtime.late_expressions import LateExpression

BLANKS: Final = (
    "\t\n\x0b\x0c\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029"
    "\u202f\u205f\u3000"
)
r"""What ``\s`` is in a response template: not U+001C to U+001F, which are blanks for `re` and `str.strip`."""


def spelled(pattern: str) -> str:
    r"""Write out ``\s``, so that `re` matches by it what `regex` does.

    Args:
        pattern: a pattern in which ``\s`` stands alone or first in a class.
    """
    return re.sub(r"(?s)(\[\^?)?\\s|\\.", _spelled_class, pattern) if r"\s" in pattern else pattern


def _spelled_class(match: re.Match[str]) -> str:
    if not match[0].endswith(r"\s"):
        return match[0]
    return f"{match[1]}{BLANKS}" if match[1] else f"[{BLANKS}]"


READ_ALIKE: Final = (
    "\0-\x7f\xc0-\u02ff\u0370-\u0482\u048a-\u0527\u1e00-\u1eff\u2010-\u2027\u2030-\u203e\u20a0-\u20bf\u2190-\u2426"
    "\u2500-\u2775\u3001-\u3029\u3041-\u3096\u309b-\u30fa\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff3e\uff41-\uff5e"
    "\U0001f300-\U0001f64f\U0001f680-\U0001f6c5\U0001f900-\U0001f9ff"
)
r"""Characters of common scripts, of which `re` and `regex` say alike whether they are ``\w`` and ``\d``."""

MOST_READ: Final = 1_000
"""Of a longer text it is not asked whether it has others: the answer would be worth less than what it costs."""

_ALIKE: Final = LateExpression(f"[{READ_ALIKE}]*")


def reads_alike(text: str, pos: int) -> bool:
    """Tell whether `re` and `regex` find the same words and digits in a text from a place on, as far as it is asked."""
    return len(text) - pos <= MOST_READ and _ALIKE.made.fullmatch(text, pos) is not None
