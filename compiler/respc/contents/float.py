"""``float``: the trimmed body as Python's `float` reads it."""

from __future__ import annotations

from respc.contents.text import TextContent


class FloatContent(TextContent):
    """Whatever `float` accepts."""

    name = "float"
    wrapped = "float({})"
    result = "float"
