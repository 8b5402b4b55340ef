"""Names in generated modules: readable where the template's names are, valid and distinct always."""

from __future__ import annotations

import keyword
import re

from respc.scan.naming import identifier_part

_TYPE_NAMES = frozenset({"Any", "Literal", "bool", "dict", "float", "int", "list", "str"})
# "analyses", "statuses" and the like are too rare for rules of their own.
_SINGULAR = (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"))
_NO_PLURAL = ("ss", "us", "is")


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


def singular(key: str) -> str:
    """Give the name of one of what a key names: `tool_calls` gives `tool_call`."""
    for ending, single in _SINGULAR:
        if key.endswith(ending):
            return key.removesuffix(ending) + single
    return key if key.endswith(_NO_PLURAL) or len(key) < 3 else key.removesuffix("s")
