"""``float``: the trimmed body as Python's `float` reads it."""

from __future__ import annotations

from respc.contents.scalar import ScalarContent


class FloatContent(ScalarContent):
    """Whatever `float` accepts."""

    name = "float"
    makes = "A number with a fraction, as Python's `float` reads it."
    result = "float"
    wrapped = "float({})"
    example = "2.5"
