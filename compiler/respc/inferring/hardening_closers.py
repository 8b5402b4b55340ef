"""Closers of calls that no mark closes: a line that cannot be a part of the call ends it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from respc.inferring.call_formats import CallFormat

_NO_JSON: Final = r"\n\s*(?=[^\s\"\[\]{},\d\-tfn]|[tfn][a-z]*[ ][^\s,\]}]|\d+[.)][ ]|-[ ])"
"""A line that JSON cannot go on with: no sign, number or word of JSON begins it, or another word follows."""
_NO_PYTHON: Final = r"\n\s*(?=[^\W\d_]+[ ][^\W\d_])"
"""A line that begins with two words, as no call in Python does."""


def lines_behind(written: CallFormat) -> list[str]:
    """Give the pattern of a line that ends a call of some format; none where every line may be of the call."""
    if written.content == "python-call-list":
        return [_NO_PYTHON]
    return [_NO_JSON] if written.content == "json" and not written.content_args else []
