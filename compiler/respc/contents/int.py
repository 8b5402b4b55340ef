"""``int``: the trimmed body as Python's `int` reads it."""

from __future__ import annotations

from respc.contents.text import TextContent


class IntContent(TextContent):
    """Whatever `int` accepts."""

    name = "int"
    wrapped = "int({})"
    result = "int"
