"""``int``: the trimmed body as Python's `int` reads it."""

from __future__ import annotations

from respc.contents.scalar import ScalarContent


class IntContent(ScalarContent):
    """Whatever `int` accepts."""

    name = "int"
    makes = "A whole number, as Python's `int` reads it."
    result = "int"
    wrapped = "int({})"
    example = "42"
