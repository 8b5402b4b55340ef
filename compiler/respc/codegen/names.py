"""Names in generated modules: readable where the template's names are, valid and distinct always."""

from __future__ import annotations

import keyword

_TYPE_NAMES = frozenset({"Any", "bool", "dict", "float", "int", "list", "str"})


class Names:
    """Hands out identifiers, each one once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._last_number: dict[str, int] = {}

    def take(self, wanted: str) -> str:
        """Give ``wanted``, or with a number behind it if it is taken."""
        name, number = wanted, self._last_number.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}_{number}"
        self._taken.add(name)
        self._last_number[wanted] = number
        return name


def fits_class_syntax(key: str) -> bool:
    """Tell whether a key can be written as an annotation in a class body without changing its meaning."""
    return (
        key.isascii()
        and key.isidentifier()
        and not keyword.iskeyword(key)
        and not key.startswith("__")
        and key not in _TYPE_NAMES
    )
