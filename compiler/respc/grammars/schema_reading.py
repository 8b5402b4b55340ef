"""Reading JSON schemas: what they allow, as far as a grammar can hold a model to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc.grammars.errors import GrammarError
from respc.grammars.spelling import KINDS
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

UNSUPPORTED: Final = frozenset(
    (
        *("not", "if", "then", "else", "contains", "dependencies", "dependentRequired", "dependentSchemas"),
        *("maxProperties", "minProperties", "patternProperties"),
        *("propertyNames", "unevaluatedItems", "unevaluatedProperties", "uniqueItems"),
        *("$dynamicRef", "$recursiveRef"),
    )
)
_OF_KIND: Final = {
    "string": frozenset(("minLength", "maxLength", "pattern")),
    "number": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
    "array": frozenset(("items", "prefixItems", "minItems", "maxItems")),
    "object": frozenset(("properties", "required", "additionalProperties")),
}
_LONGEST: Final = 10_000
"""Repeats of more are written out by some engines."""
_CONSTRAINTS: Final = UNSUPPORTED.union(("enum", "const"), *_OF_KIND.values())
_ASKING: Final = _CONSTRAINTS.union(("$ref", "anyOf", "oneOf", "allOf"))
_MORE_THAN_A_TYPE: Final = UNSUPPORTED | {
    *("$ref", "anyOf", "oneOf", "allOf", "enum", "const", "nullable"),
}
NOTES: Final = frozenset(("type", "title", "description", "default", "examples"))
"""A schema that says nothing else allows all values of its type."""
_NONE: Final = frozenset[str]()
_TEXT: Final = frozenset((str,))
_NOT_IN_KEYS: Final = re.compile(r'["\\\\\x00-\x1f]')


def required_names(schema: dict[str, Any], path: str) -> frozenset[str]:
    """List the properties that have to be there, declared or not.

    Raises:
        GrammarError: they are no list of names.
    """
    listed: Any = schema.get("required")
    if not listed:
        return _NONE
    if not is_list(listed) or not _TEXT.issuperset(map(type, listed)):
        raise GrammarError("grammar-schema", "`required` has to be a list of names", f"{path}/required")
    return frozenset(listed)


def required_of(schema: dict[str, Any], path: str, declared: Iterable[str]) -> frozenset[str]:
    """List the properties that have to be there.

    Args:
        schema: the schema.
        path: where it is, as a JSON pointer.
        declared: the properties that it declares.

    Raises:
        GrammarError: as `required_names`, or one of them is not declared.
    """
    names = required_names(schema, path)
    missing = names.difference(declared)
    if missing:
        reason = f"`{min(missing)}` is required and not declared in `properties`"
        raise GrammarError("grammar-schema", reason, f"{path}/required")
    return names


def properties_of(schema: dict[str, Any], path: str) -> dict[str, tuple[Any, str]]:
    """List the declared properties: of each its schema, and where that is.

    Raises:
        GrammarError: they are not an object, or one has a name that cannot be written.
    """
    properties: Any = schema.get("properties") or {}
    if not is_object(properties):
        raise GrammarError("grammar-schema", "`properties` has to be an object", f"{path}/properties")
    names = "".join(properties)
    if _NOT_IN_KEYS.search(names):
        for key in filter(_NOT_IN_KEYS.search, properties):
            reason = f"the name {key!r} has characters that some formats cannot write"
            raise GrammarError("grammar-schema", reason, f"{path}/properties")
    place = f"{path}/properties/"
    if "~" in names or "/" in names:
        return {key: (inner, place + in_pointer(key)) for key, inner in properties.items()}
    return {key: (inner, place + key) for key, inner in properties.items()}


class Declared(NamedTuple):
    """What an object declares.

    Attributes:
        properties: of each its schema, and where that is.
        required: which have to be there.
    """

    properties: dict[str, tuple[Any, str]]
    required: frozenset[str]


def declared_of(schema: dict[str, Any], path: str) -> Declared:
    """List what an object declares.

    Raises:
        GrammarError: as `properties_of` and `required_of`.
    """
    properties = properties_of(schema, path)
    return Declared(properties, required_of(schema, path, properties))


def length_of(schema: dict[str, Any], key: str, path: str) -> int | None:
    """Read how long a string or a list has to be or can be; None where the schema does not say."""
    value = schema.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _LONGEST:
        raise GrammarError("grammar-schema", f"`{key}` has to be between 0 and {_LONGEST}", f"{path}/{key}")
    return value


def values_of(schema: dict[str, Any], key: str, path: str) -> list[Any]:
    """Read the values that `enum` or `const` lists."""
    if key == "const":
        return [schema[key]]
    listed: Any = schema[key]
    if not is_list(listed):
        raise GrammarError("grammar-schema", "`enum` has to be a list of values", f"{path}/{key}")
    return listed


class Items(NamedTuple):
    """What a list may have in it.

    Attributes:
        first: the schemas of its first items, each of which has its own.
        further: the schema of those behind them; None where there are none.
        least: how many there are at least.
        most: how many there are at most; None where there is no bound.
    """

    first: tuple[Any, ...]
    further: Any | None
    least: int
    most: int | None


def items_of(schema: dict[str, Any], path: str) -> Items:
    """Read what a list may have in it.

    Raises:
        GrammarError: no list is so.
    """
    least, most = length_of(schema, "minItems", path) or 0, length_of(schema, "maxItems", path)
    prefix: Any = schema.get("prefixItems") or []
    if not is_list(prefix):
        raise GrammarError("grammar-schema", "`prefixItems` has to be a list", f"{path}/prefixItems")
    further: Any = schema.get("items", True)
    if further is False:
        most = len(prefix) if most is None else min(len(prefix), most)
    if most is not None and most < least:
        raise GrammarError("grammar-schema", "no list has so many items", path)
    first = tuple(prefix if most is None else prefix[:most])
    return Items(first, None if most == len(first) else further, least, most)


def refuse_beside(schema: dict[str, Any], key: str, path: str) -> None:
    """Refuse what is asked for beside a reference, or a choice of schemas.

    Raises:
        GrammarError: something is.
    """
    beside = asks_of(schema) - {key}
    if beside:
        raise not_one(f"`{min(beside)}` beside `{key}`", path)


def asks_of(schema: dict[str, Any]) -> frozenset[str]:
    """List the keywords of a schema that ask for more than a type."""
    return _ASKING.intersection(schema)


def not_one(what: str, path: str) -> GrammarError:
    """Make the refusal of what says in two places what a value has to be."""
    return GrammarError("grammar-schema", f"{what} cannot be held to: write it as one schema", path)


def only_kind_of(schema: dict[str, Any]) -> str | None:
    """Give the kind of all values of a schema that names one and asks for nothing but what belongs to that."""
    kind: Any = schema.get("type")
    return kind if isinstance(kind, str) and kind in KINDS and _MORE_THAN_A_TYPE.isdisjoint(schema) else None


def kinds_of(schema: dict[str, Any], path: str) -> list[str]:
    """List the kinds of values that `type` allows, or what else is said of them."""
    given: Any = schema.get("type")
    if given is None:
        implied = [kind for kind, names in _OF_KIND.items() if not names.isdisjoint(schema)]
        # What is said of one kind of values says nothing of the others; it means this kind, though.
        return implied or [kind for kind in KINDS if kind != "integer"]
    kinds: list[Any] = given if is_list(given) else [given]
    if not kinds:
        raise GrammarError("grammar-schema", "no value fits this schema", f"{path}/type")
    for kind in kinds:
        if kind not in KINDS:
            raise GrammarError("grammar-schema", f"there is no type {kind!r}", f"{path}/type")
    return kinds


def is_one_of(kind: str, kinds: Collection[str]) -> bool:
    """Tell whether values of a kind are of one of these kinds."""
    return kind in kinds or (kind == "integer" and "number" in kinds)


def in_pointer(key: str) -> str:
    """Write a key as a part of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1") if "~" in key or "/" in key else key
