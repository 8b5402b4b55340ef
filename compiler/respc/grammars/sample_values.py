"""Values that a schema allows, to try a tool with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc.grammars.errors import GrammarError
from respc.grammars.numbers import MOST_DIGITS
from respc.grammars.schema_reading import items_of
from respc.grammars.shapes import shape_of
from respc.grammars.string_patterns import Either, OneOf, Row, Times, pattern_tree, within
from respc.source.json_kinds import is_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from respc.grammars.alternatives import Alternative, WholeSchema
    from respc.grammars.string_patterns import Part

_DEEPEST: Final = 6
_WORD: Final = "word"
_MOST_IN_FRONT: Final = 1_000
"""So many properties are written once more behind an object: for all of one that has 45, and some of a larger one."""
_SAMPLES: Final[dict[str, Any]] = {
    "string": _WORD,
    "integer": 7,
    "number": 7.5,
    "boolean": True,
    "null": None,
}
"""Of kinds of which a schema says nothing more."""
_OF_SHAPES: Final = {kind: (value, value) for kind, value in _SAMPLES.items()}
_USUAL: Final = "ae15AE_- .:/"
"""Characters that are in texts of a pattern, if they may be."""
_LARGEST: Final = 100_000
"""So many characters and values are tried; lists in lists could have to be larger than any memory."""


def sample_arguments(schema: WholeSchema) -> tuple[dict[str, Any], dict[str, Any]]:
    """Give arguments that a tool takes.

    Args:
        schema: that of its arguments.

    Returns:
        Those where all properties are there, and lists have two items; and those with only what has to be there.

    Raises:
        GrammarError: they have to be too large.
    """
    return _Sampler(schema).arguments()


class _Sampler:
    """Makes the fullest and the least value of a schema in one walk: most are the same."""

    def __init__(self, schema: WholeSchema) -> None:
        self._schema = schema
        self._left = _LARGEST

    def arguments(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Give all arguments."""
        return self._object(self._schema.arguments.schema, self._schema.arguments.path, 0)

    def _value(self, schema: Any, path: str, depth: int) -> tuple[Any, Any]:
        if (shape := shape_of(schema)) is not None:
            return _OF_SHAPES.get(shape) or _of_shape(shape, is_deep=depth + 1 >= _DEEPEST)
        alternatives = self._schema.alternatives(schema, path)
        # The last often is null, which shows less.
        return self._alternative(alternatives[0], depth)

    def _alternative(self, each: Alternative, depth: int) -> tuple[Any, Any]:
        if each.constant:
            return each.constant[0], each.constant[0]
        if each.kind == "array":
            return self._array(each.schema, each.path, depth + 1)
        if each.kind == "object":
            return self._object(each.schema, each.path, depth + 1)
        value = self._scalar(each)
        return value, value

    def _scalar(self, each: Alternative) -> Any:
        schema, path = each.schema, each.path
        match each.kind:
            case "string" if schema.get("pattern"):
                return self._of_pattern(pattern_tree(schema["pattern"]), path)
            case "string":
                least, most = schema.get("minLength") or 0, schema.get("maxLength")
                self._count(least, path)
                word = _WORD * (-(-least // len(_WORD)) or 1)
                return word if most is None else word[:most]
            case "integer" | "number":
                return _number(schema, whole=each.kind == "integer")
            case _:
                return _SAMPLES[each.kind]

    def _of_pattern(self, part: Part, path: str) -> str:
        """Give a text of a pattern: the first one, and where there is a choice of how much, a little."""
        self._count(1, path)
        match part:
            case OneOf(ranges):
                return next(
                    (each for each in _USUAL if within(ranges, ((ord(each), ord(each)),))), chr(ranges[0][0])
                )
            case Row(items):
                return "".join(self._of_pattern(item, path) for item in items)
            case Either(branches):
                return self._of_pattern(branches[0], path)
            case Times(item, low):
                return self._of_pattern(item, path) * low

    def _count(self, size: int, path: str) -> None:
        """Count what values are made of."""
        self._left -= size
        if self._left < 0:
            raise GrammarError("grammar-schema", "what fits this schema is too large to be tried", path)

    def _array(self, schema: dict[str, Any], path: str, depth: int) -> tuple[list[Any], list[Any]]:
        items = items_of(schema, path)
        length = max(items.least, max(2, len(items.first)) if depth < _DEEPEST else 0)
        length = length if items.most is None else min(length, items.most)
        self._count(length, path)
        places = [(each, f"{path}/prefixItems/{number}") for number, each in enumerate(items.first[:length])]
        places += [(items.further, f"{path}/items")] * (length - len(places))
        both = [self._value(each, place, depth) for each, place in places]
        fullest, least = [each for each, _ in both], [each for _, each in both[: items.least]]
        if length and not items.first and is_object(fullest[0]) and is_object(items.further):
            required = items.further.get("required") or ()
            fullest = [*fullest, *_with_others_in_front(fullest[0], required)][: items.most]
        return fullest, least

    def _object(self, schema: dict[str, Any], path: str, depth: int) -> tuple[dict[str, Any], dict[str, Any]]:
        declared = self._schema.declared(schema, path)
        properties, required = declared.properties, declared.required
        self._count(len(properties), path)
        fullest: dict[str, Any] = {}
        least: dict[str, Any] = {}
        for key, (inner, place) in properties.items():
            if key in required:
                fullest[key], least[key] = self._value(inner, place, depth)
            elif depth < _DEEPEST:
                fullest[key] = self._value(inner, place, depth)[0]
        return fullest, least


def _of_shape(shape: str, *, is_deep: bool) -> tuple[Any, Any]:
    if shape.startswith("["):
        return [] if is_deep else [_SAMPLES[shape[1:-1]]] * 2, []
    value = _SAMPLES[shape.partition("|")[0]]
    return value, value


def _with_others_in_front(whole: dict[str, Any], required: Collection[str]) -> Iterator[dict[str, Any]]:
    """Yield objects that can follow each other, each with another of the properties in front."""
    keys, left = list(whole), _MOST_IN_FRONT
    for first in range(1, len(keys)):
        left -= len(keys) - first
        if left < 0:
            return
        yield {key: whole[key] for place, key in enumerate(keys) if place >= first or key in required}


def _number(schema: dict[str, Any], *, whole: bool) -> int | float:
    """Give a number between the bounds: a whole one, since every schema that can be written allows one."""
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    value = 7 if whole or any(bound is not None for bound in (low, high, above, below)) else 7.5
    bounds = [
        *([-(-low // 1)] if isinstance(low, int | float) else []),
        *([above // 1 + 1] if isinstance(above, int | float) and not isinstance(above, bool) else []),
    ]
    value = max(value, *bounds) if bounds else value
    tops = [
        *([high // 1] if isinstance(high, int | float) else []),
        *([-(-below // 1) - 1] if isinstance(below, int | float) and not isinstance(below, bool) else []),
    ]
    value = min(value, *tops) if tops else value
    factor: Any = schema.get("multipleOf")
    if factor:
        # The next one above, or else the last one below what is too large.
        value = -(-value // factor) * factor
        return int(value if not tops or value <= min(tops) else min(tops) // factor * factor)
    return int(value) if whole or tops or bounds else min(value, 10**MOST_DIGITS)
