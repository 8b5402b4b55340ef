"""From JSON schemas to grammars of values, in any style that values are written in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from respc.grammars.errors import GrammarError
from respc.grammars.nodes import (
    EMPTY,
    Characters,
    FreeText,
    Literal,
    Node,
    Reference,
    Repeat,
    choice,
    optional,
    sequence,
)
from respc.grammars.numbers import INTEGER, NUMBER, integers, numbers
from respc.grammars.spelling import KINDS
from respc.grammars.strings import quoted_string
from respc.grammars.writing import kind_of, write_value
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from respc.grammars.spelling import ValueStyle

_UNSUPPORTED: Final = frozenset(
    (
        *("not", "if", "then", "else", "contains", "dependencies", "dependentRequired", "dependentSchemas"),
        *("maxProperties", "minProperties", "multipleOf", "patternProperties", "prefixItems"),
        *("propertyNames", "unevaluatedItems", "unevaluatedProperties", "uniqueItems"),
        *("$dynamicRef", "$recursiveRef"),
    )
)
_OF_KIND: Final = {
    "string": ("minLength", "maxLength", "pattern"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("items", "minItems", "maxItems"),
    "object": ("properties", "required", "additionalProperties"),
}
_IDENTIFIER: Final = sequence(
    Characters((("A", "Z"), ("_", "_"), ("a", "z"))),
    Repeat(Characters((("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))), 0, 30),
)
_NOT_IN_KEYS: Final = re.compile(r'["\\\\\x00-\x1f]')
_MOST_REFERENCES: Final = 32


@dataclass(frozen=True)
class Alternative:
    """One kind of value that a schema allows.

    Attributes:
        kind: as schemas name it.
        schema: what is asked of values of this kind.
        path: where that is, as a JSON pointer.
        constant: the only value, in a list; empty where there are more.
    """

    kind: str
    schema: dict[str, Any]
    path: str
    constant: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ObjectLayout:
    """How an object is written, apart from its values."""

    brackets: tuple[str, str]
    key_quotes: tuple[str, str]
    item_separator: str
    key_separator: str


class Values:
    """Makes the grammars of values in one style.

    Args:
        style: how values are written.
        without: texts that no string may have in it.
        rules: where rules are put.
        prefix: what the names of rules begin with.
        root: the schema that references point into.
        root_path: where that is.
    """

    def __init__(
        self,
        style: ValueStyle,
        without: tuple[str, ...],
        rules: dict[str, Node],
        prefix: str,
        root: Any,
        root_path: str,
    ) -> None:
        self._style = style
        self._without = without
        self._rules = rules
        self._prefix = prefix
        self._root = root
        self._root_path = root_path
        self._referred: dict[str, Reference] = {}
        self._layout = ObjectLayout(("{", "}"), style.key_quotes, style.item_separator, style.key_separator)

    def value(self, schema: Any, path: str) -> Node:
        """Write the values that a schema allows.

        Raises:
            GrammarError: the schema says something that no grammar here can hold a model to.
        """
        if is_object(schema):
            if isinstance(pointer := schema.get("$ref"), str):
                return self._referred.get(pointer) or self._refer(pointer, path)
            if places := _choices(schema, path):
                branches = [self.value(each, place) for each, place in places]
                return choice(*branches, *self._null_of(schema))
        alternatives = self.alternatives(schema, path)
        return choice(*(self.alternative(each) for each in alternatives))

    def alternatives(self, schema: Any, path: str, depth: int = 0) -> list[Alternative]:
        """List the kinds of values that a schema allows, all references followed."""
        if schema is True or schema == {}:
            return [Alternative(kind, {}, path) for kind in KINDS if kind != "integer"]
        if not is_object(schema):
            raise GrammarError("grammar-schema", "no value fits this schema", path)
        if isinstance(pointer := schema.get("$ref"), str):
            if depth > _MOST_REFERENCES:
                raise GrammarError("grammar-schema", f"the reference {pointer} leads back to itself", path)
            return self.alternatives(*self._target(pointer, path), depth + 1)
        if places := _choices(schema, path):
            found = [one for each, place in places for one in self.alternatives(each, place, depth + 1)]
        else:
            found = self._leaves(schema, path)
        if schema.get("nullable") is True and all(each.kind != "null" for each in found):
            found.append(Alternative("null", {}, path))
        return found

    def alternative(self, each: Alternative) -> Node:
        """Write the values of one kind."""
        if each.constant:
            return Literal(write_value(each.constant[0], self._style))
        return self._kinds[each.kind](self, each.schema, each.path)

    def whole(self) -> tuple[dict[str, Any], str]:
        """Give the schema of all arguments, references followed, and where it is.

        Raises:
            GrammarError: arguments are not always an object.
        """
        found = self.alternatives(self._root, self._root_path)
        if len(found) != 1 or found[0].kind != "object":
            raise GrammarError("grammar-schema", "arguments have to be an object", self._root_path)
        schema = found[0].schema
        # Arguments that are not declared are none that a tool takes.
        return (schema if schema.get("properties") else {**schema, "properties": {}}), found[0].path

    def arguments(self, layout: ObjectLayout) -> Node:
        """Write all arguments of a call as one object.

        Raises:
            GrammarError: as `value`.
        """
        schema, path = self.whole()
        if not schema["properties"]:
            schema = {"additionalProperties": False, **schema}
        return self.object_of(schema, path, layout)

    def object_of(self, schema: dict[str, Any], path: str, layout: ObjectLayout) -> Node:
        """Write the objects that a schema allows."""
        properties = properties_of(schema, path)
        pairs = {
            key: sequence(
                Literal(key.join(layout.key_quotes) + layout.key_separator), self.value(inner, place)
            )
            for key, (inner, place) in properties.items()
        }
        more = self._more(schema, path, layout, tuple(properties))
        required = required_of(schema, path)
        return sequence(
            Literal(layout.brackets[0]),
            self._pairs(pairs, required, layout.item_separator, more),
            Literal(layout.brackets[1]),
        )

    def rule(self, node: Node) -> Reference:
        """Make a rule of a part that is written in several places."""
        for name, known in self._rules.items():
            if known == node:
                return Reference(name)
        name = f"{self._prefix}-{len(self._rules)}"
        self._rules[name] = node
        return Reference(name)

    def _refer(self, pointer: str, path: str) -> Reference:
        target, place = self._target(pointer, path)
        name = f"{self._prefix}-{len(self._rules)}"
        self._rules[name] = EMPTY  # so that no other rule takes the name
        self._referred[pointer] = Reference(name)
        self._rules[name] = self.value(target, place)
        if self._rules[name] == Reference(name):
            raise GrammarError("grammar-schema", f"the reference {pointer} leads back to itself", path)
        return Reference(name)

    def _target(self, pointer: str, path: str) -> tuple[Any, str]:
        target: Any = self._root
        for written in pointer.removeprefix("#").split("/")[1:] if pointer.startswith("#") else ("",):
            key = written.replace("~1", "/").replace("~0", "~")
            if not is_object(target) or key not in target:
                raise GrammarError("grammar-schema", f"the reference {pointer} leads nowhere", f"{path}/$ref")
            target = target[key]
        return target, self._root_path + pointer[1:]

    def _null_of(self, schema: dict[str, Any]) -> list[Node]:
        return [Literal(self._style.words[2])] if schema.get("nullable") is True else []

    def _leaves(self, schema: dict[str, Any], path: str) -> list[Alternative]:
        """List the kinds of a schema that is no choice of others."""
        kinds = _kinds(schema, path)
        for key in _UNSUPPORTED.intersection(schema):
            if schema[key] not in (False, None):
                reason = f"`{key}` cannot be held to by a grammar: leave it out, and check the arguments"
                raise GrammarError("grammar-schema", reason, f"{path}/{_escaped(key)}")
        for key in ("enum", "const"):
            if key in schema:
                values: list[Any] = schema["enum"] if key == "enum" else [schema["const"]]
                fitting = [each for each in values if _fits(each, kinds)]
                if not fitting:
                    raise GrammarError("grammar-schema", "no value fits this schema", f"{path}/{key}")
                return [Alternative(kind_of(each), {}, path, (each,)) for each in fitting]
        return [Alternative(kind, schema, path) for kind in kinds]

    def _string(self, schema: dict[str, Any], path: str) -> Node:
        return quoted_string(schema, path, self._style, self._without)

    def _number(self, schema: dict[str, Any], path: str) -> Node:
        return number_of(schema, path, whole=False)

    def _integer(self, schema: dict[str, Any], path: str) -> Node:
        return number_of(schema, path, whole=True)

    def _boolean(self, _schema: dict[str, Any], _path: str) -> Node:
        return choice(*map(Literal, self._style.words[:2]))

    def _null(self, _schema: dict[str, Any], _path: str) -> Node:
        return Literal(self._style.words[2])

    def _array(self, schema: dict[str, Any], path: str) -> Node:
        least, most = schema.get("minItems") or 0, schema.get("maxItems")
        if not isinstance(least, int) or not isinstance(most, int | None) or (most is not None and most < least):
            raise GrammarError("grammar-schema", "no list has so many items", path)
        if most == 0:
            return Literal("[]")
        item = self.value(schema.get("items", True), f"{path}/items")
        further = sequence(Literal(self._style.item_separator), item)
        some = sequence(
            item, Repeat(further, max(least - 1, 0), None if most is None else most - 1)
        )
        return sequence(Literal("["), some if least else optional(some), Literal("]"))

    def _object(self, schema: dict[str, Any], path: str) -> Node:
        return self.object_of(schema, path, self._layout)

    def _more(
        self, schema: dict[str, Any], path: str, layout: ObjectLayout, declared: tuple[str, ...]
    ) -> Node | None:
        """Write one more property than the schema declares; None where there is none."""
        given = schema.get("additionalProperties", not declared)
        if given is False:
            return None
        value = self.value(given, f"{path}/additionalProperties")
        if not any(layout.key_quotes):
            # A name without quotes cannot be kept from being one of the others.
            return None if declared else sequence(_IDENTIFIER, Literal(layout.key_separator), value)
        key = FreeText("plain", layout.key_quotes[1], self._without, declared)
        return sequence(Literal(layout.key_quotes[0]), key, Literal(layout.key_separator), value)

    def _pairs(
        self, pairs: dict[str, Node], required: frozenset[str], separator: str, more: Node | None
    ) -> Node:
        """Write properties in their order, those that are not required or not."""
        further: Node = EMPTY
        if more is not None:
            further = Repeat(sequence(Literal(separator), more))
        alone: Node | None = None if more is None else sequence(more, further)
        """What is written where nothing was written yet: None for nothing."""
        may_be_empty = True
        for key, pair in reversed(pairs.items()):
            if further != EMPTY and key not in required and alone is not None:
                further = self._shared(further)
            first = sequence(pair, further)
            behind = sequence(Literal(separator), pair)
            if key in required:
                alone, may_be_empty = first, False
                further = sequence(behind, further)
            else:
                alone = first if alone is None else choice(first, alone)
                further = sequence(optional(behind), further)
        if alone is None:
            return EMPTY
        return optional(alone) if may_be_empty else alone

    def _shared(self, node: Node) -> Node:
        return node if isinstance(node, Reference | Literal) else self.rule(node)

    _kinds: Final[dict[str, Callable[[Values, dict[str, Any], str], Node]]] = {
        "string": _string,
        "number": _number,
        "integer": _integer,
        "boolean": _boolean,
        "null": _null,
        "array": _array,
        "object": _object,
    }


def number_of(schema: dict[str, Any], path: str, *, whole: bool) -> Node:
    """Write the numbers that a schema allows.

    Raises:
        GrammarError: there is none.
    """
    low, open_low = _bound(schema, "minimum", "exclusiveMinimum", path, max)
    high, open_high = _bound(schema, "maximum", "exclusiveMaximum", path, min)
    if low is None and high is None:
        return INTEGER if whole else NUMBER
    if whole:
        low = low + 1 if low is not None and open_low and low == int(low) else low
        high = high - 1 if high is not None and open_high and high == int(high) else high
        node = integers(low, high)
    else:
        node = numbers(low, high, open_low=open_low, open_high=open_high)
    if node is None:
        raise GrammarError("grammar-schema", "no number that can be written is between these bounds", path)
    return node


def _bound(
    schema: dict[str, Any], key: str, exclusive: str, path: str, tighter: Callable[..., Any]
) -> tuple[float | None, bool]:
    """Read a bound, and whether it is excluded itself."""
    inclusive, other = schema.get(key), schema.get(exclusive)
    if isinstance(other, bool):  # as in the fourth draft
        return inclusive, other
    for name, value in ((key, inclusive), (exclusive, other)):
        if value is not None and not isinstance(value, int | float):
            raise GrammarError("grammar-schema", f"`{name}` has to be a number", f"{path}/{name}")
    if other is None:
        return inclusive, False
    if inclusive is None:
        return other, True
    return tighter(inclusive, other), tighter(inclusive, other) == other


def required_of(schema: dict[str, Any], path: str) -> frozenset[str]:
    """List the properties that have to be there.

    Raises:
        GrammarError: one of them is not declared.
    """
    required: Any = schema.get("required") or []
    names = frozenset(each for each in required if isinstance(each, str)) if is_list(required) else frozenset()
    missing = sorted(names.difference(properties_of(schema, path)))
    if missing:
        reason = f"`{missing[0]}` is required and not declared in `properties`"
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
    for key in properties:
        if _NOT_IN_KEYS.search(key):
            reason = f"the name {key!r} has characters that some formats cannot write"
            raise GrammarError("grammar-schema", reason, f"{path}/properties")
    return {key: (inner, f"{path}/properties/{_escaped(key)}") for key, inner in properties.items()}


def _choices(schema: dict[str, Any], path: str) -> list[tuple[Any, str]]:
    """List the schemas of which one has to fit, and where they are; empty where there is no choice."""
    for key in ("anyOf", "oneOf", "allOf"):
        listed: Any = schema.get(key)
        if not is_list(listed) or not listed:
            continue
        constraints = {name for names in _OF_KIND.values() for name in names} | _UNSUPPORTED | {"enum", "const"}
        beside = sorted(constraints.intersection(schema))
        if beside or (key == "allOf" and len(listed) > 1):
            what = f"`{beside[0]}` beside `{key}`" if beside else "`allOf` of several schemas"
            raise GrammarError("grammar-schema", f"{what} cannot be held to: write it as one schema", path)
        places = [(each, f"{path}/{key}/{number}") for number, each in enumerate(listed)]
        if key == "oneOf" and not _are_apart(listed):
            reason = "`oneOf` of schemas that one value can fit together cannot be held to: use `anyOf`"
            raise GrammarError("grammar-schema", reason, f"{path}/oneOf")
        return places
    return []


def _are_apart(listed: Iterable[Any]) -> bool:
    """Tell whether no value fits two schemas, which their types or a property that is constant say."""
    seen: list[dict[str, Any]] = []
    for each in listed:
        if not is_object(each):
            return False
        if not all(_excludes(each, other) for other in seen):
            return False
        seen.append(each)
    return True


def _excludes(one: dict[str, Any], other: dict[str, Any]) -> bool:
    kinds = [set(_kinds(each, "")) for each in (one, other)]
    if kinds[0].isdisjoint(kinds[1]) and {"integer", "number"} - (kinds[0] | kinds[1]):
        return True
    values = [_constants(each) for each in (one, other)]
    if values[0] is not None and values[1] is not None:
        return values[0].isdisjoint(values[1])
    properties: list[dict[str, Any]] = [each.get("properties") or {} for each in (one, other)]
    required: list[set[str]] = [set(each.get("required") or ()) for each in (one, other)]
    return any(
        (first := _constants(properties[0].get(key))) is not None
        and (second := _constants(properties[1].get(key))) is not None
        and first.isdisjoint(second)
        for key in required[0] & required[1]
    )


def _constants(schema: Any) -> set[str] | None:
    if not is_object(schema) or not {"const", "enum"}.intersection(schema):
        return None
    values: list[Any] = [schema["const"]] if "const" in schema else schema["enum"]
    return {repr(each) for each in values}


def _kinds(schema: dict[str, Any], path: str) -> list[str]:
    """List the kinds of values that `type` allows, or what else is said of them."""
    given: Any = schema.get("type")
    if given is None:
        implied = [kind for kind, names in _OF_KIND.items() if any(name in schema for name in names)]
        # What is said of one kind of values says nothing of the others; it means this kind, though.
        return implied or [kind for kind in KINDS if kind != "integer"]
    kinds: list[Any] = given if is_list(given) else [given]
    for kind in kinds:
        if kind not in KINDS:
            raise GrammarError("grammar-schema", f"there is no type {kind!r}", f"{path}/type")
    return kinds


def _fits(value: Any, kinds: Iterable[str]) -> bool:
    kind = kind_of(value)
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")
