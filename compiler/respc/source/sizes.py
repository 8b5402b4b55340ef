"""How large a template, and a file that holds one, may be: known before anything is made of it.

No template that is written for a model comes near these bounds; what does is a mistake or an attack, and would cost the
compiler minutes and gigabytes. Within them the slowest template takes a few seconds.
"""

from __future__ import annotations

from typing import Final, cast

MAX_BYTES: Final = 16_000_000
"""A file may have this many bytes. The largest tokenizer configs, with a vocabulary in them, have a few millions."""

MAX_DOCUMENT_VALUES: Final = 250_000
"""A JSON document may hold this many values: a template does not, but the tokenizer config around it may."""

MAX_VALUES: Final = 50_000
"""A template may hold this many values.

Lists that share their elements, handed in by Python code, can stand for more values than memory holds.
"""

MAX_CHARACTERS: Final = 4_000_000
"""All strings and keys of a template may have this many characters together."""


class SizeCount:
    """Counts the values of a template, and the characters of its strings and keys, until they are too many."""

    __slots__ = ("_characters", "_values")

    def __init__(self) -> None:
        self._values = 0
        self._characters = 0

    def add(self, value: object) -> str | None:
        """Count one value, without what it holds; say what is too large once it is."""
        self._values += 1
        if isinstance(value, str):
            self._characters += len(value)
        elif isinstance(value, dict):
            keys = cast("dict[object, object]", value)
            self._characters += sum(len(key) for key in keys if isinstance(key, str))
        if self._values > MAX_VALUES:
            return f"the template holds more than {MAX_VALUES:,} values"
        if self._characters > MAX_CHARACTERS:
            return (
                f"the strings and keys of the template have more than {MAX_CHARACTERS:,} characters together"
            )
        return None


def excess_of(template: object) -> str | None:
    """Say what makes a template too large; None where nothing does."""
    count = SizeCount()
    waiting = [template]
    while waiting:
        value = waiting.pop()
        if (excess := count.add(value)) is not None:
            return excess
        if isinstance(value, dict):
            waiting.extend(cast("dict[object, object]", value).values())
        elif isinstance(value, list):
            waiting.extend(cast("list[object]", value))
    return None
