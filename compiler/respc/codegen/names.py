"""Names in generated modules: readable where the template's names are, valid and distinct always."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

from respc.scan.naming import identifier_part

if TYPE_CHECKING:
    from collections.abc import Iterable

_TYPE_NAMES = frozenset({"Any", "Literal", "bool", "dict", "float", "int", "list", "str"})
_LONGEST_CLASS_NAME = 60
# "analyses", "statuses" and the like are too rare for rules of their own.
_SINGULAR = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"))
_NO_PLURAL = ("ss", "us", "is")


class Names:
    """Hands out identifiers, each one once.

    Args:
        reserved: identifiers that are never handed out.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = {*reserved}
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


def class_name(key: str) -> str:
    """Make a name for a class, or a part of one, of a template's key: `tool_call` gives `ToolCall`."""
    words = identifier_part(re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", key)).split("_")
    name = "".join(word.capitalize() for word in words)
    return name if name[0].isalpha() else f"Field{name}"


def shortened(name: str) -> str:
    """Cut the name of a class that is made of the keys of many objects."""
    return name[:_LONGEST_CLASS_NAME]


def singular(key: str) -> str:
    """Give the name of one of what a key names: `tool_calls` gives `tool_call`."""
    for ending, single in _SINGULAR:
        if key.endswith(ending):
            return key.removesuffix(ending) + single
    return key if key.endswith(_NO_PLURAL) or len(key) < 3 else key.removesuffix("s")
