"""Shapes: what most schemas say, of which values are written once for a format."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.nodes import Literal, choice, known
from respc.grammars.numbers import INTEGER, NUMBER
from respc.grammars.schema_reading import NOTES
from respc.grammars.strings import quoted_string
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from respc.grammars.nodes import Node
    from respc.grammars.spelling import ValueStyle

_NOTES_OF_LISTS: Final = NOTES | {"items"}
_NOTES_OF_CHOICES: Final = NOTES - {"type"} | {"anyOf"}
SCALARS: Final = frozenset(("string", "number", "integer", "boolean", "null"))
_MOST_KINDS: Final = 3
_CACHED: Final = 256


def shape_of(schema: Any) -> str | None:
    """Name what a schema allows, if it is one of the few that most schemas are; those of one name allow the same.

    Returns:
        A kind of values without parts, all of which are allowed; several, with ``|`` between them; or one in brackets
        for lists of such values. None for everything else.
    """
    if not is_object(schema):
        return None
    kind: Any = schema.get("type")
    if isinstance(kind, str):
        if kind in SCALARS:
            return kind if NOTES.issuperset(schema) else None
        if kind != "array" or not _NOTES_OF_LISTS.issuperset(schema):
            return None
        item = _scalar_of(schema.get("items"))
        return None if item is None else f"[{item}]"
    choices: Any = schema.get("anyOf")
    if is_list(choices) and _NOTES_OF_CHOICES.issuperset(schema):
        kinds = [_scalar_of(each) for each in choices[: _MOST_KINDS + 1]]
    elif is_list(kind) and NOTES.issuperset(schema):
        kinds = [each if isinstance(each, str) else None for each in kind]
    else:
        return None
    known = [each for each in kinds if each in SCALARS]
    return "|".join(known) if 0 < len(known) == len(kinds) <= _MOST_KINDS else None


def _scalar_of(schema: Any) -> str | None:
    if not is_object(schema) or not NOTES.issuperset(schema):
        return None
    kind: Any = schema.get("type")
    return kind if isinstance(kind, str) and kind in SCALARS else None


@lru_cache(maxsize=_CACHED)
def values_of_shapes(style: ValueStyle, without: tuple[str, ...]) -> dict[str, Node]:
    """Write the values of kinds of which a schema says nothing more, by their kind; other shapes are added."""
    return {
        "string": quoted_string({}, "", style, without),
        "number": NUMBER,
        "integer": INTEGER,
        "boolean": known(choice(*map(Literal, style.words[:2]))),
        **({"null": Literal(style.words[2])} if style.words[2] else {}),
    }
