"""From JSON schemas to grammars of values, in any style that values are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc.grammars.alternatives import choices_of
from respc.grammars.errors import GrammarError
from respc.grammars.multiples import multiples_of
from respc.grammars.nodes import (
    EMPTY,
    Characters,
    Constant,
    FreeText,
    KnownChoice,
    Literal,
    Node,
    Reference,
    Repeat,
    choice,
    led,
    optional,
    sequence,
)
from respc.grammars.numbers import number_of
from respc.grammars.objects import ObjectLayout, Pair, written_pairs
from respc.grammars.schema_reading import NOTES, items_of, only_kind_of
from respc.grammars.shapes import shape_of, values_of_shapes
from respc.grammars.strings import has_any, quoted_string
from respc.grammars.writing import write_key, write_value
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from respc.grammars.alternatives import Alternative, WholeSchema
    from respc.grammars.spelling import ValueStyle

_IDENTIFIER: Final = sequence(
    Characters((("A", "Z"), ("_", "_"), ("a", "z"))),
    Repeat(Characters((("0", "9"), ("A", "Z"), ("_", "_"), ("a", "z"))), 0, 30),
)
_ANYTHING: Final = ""
"""Stands among references for what a schema allows that asks for nothing."""
_OF_OTHERS: Final = ("array", "object")
"""Kinds of values that have others in them."""
_SHORT: Final = (Literal, Reference)
_WITHOUT_RULES: Final = (*_SHORT, KnownChoice, FreeText)
_MOST_WITHIN: Final = 16
"""So many items that may be missing are one within another, before they are a rule."""


class Allowed(NamedTuple):
    """What a format leaves to values.

    Attributes:
        without: texts that no string may have in it.
        any_values: whether there may be values of which nothing is known.
        apart: whether constants stay apart from what is around them, for engines with a lexer.
    """

    without: tuple[str, ...] = ()
    any_values: bool = True
    apart: bool = False


class Values:
    """Makes the grammars of values in one style.

    Args:
        style: how values are written.
        allowed: what the format leaves to them.
        rules: where rules are put.
        prefix: what the names of rules begin with.
        schema: the whole schema that they are of.
    """

    def __init__(
        self,
        style: ValueStyle,
        allowed: Allowed,
        rules: dict[str, Node],
        prefix: str,
        schema: WholeSchema,
    ) -> None:
        self._style = style
        self._allowed = allowed
        self._without = allowed.without
        self._any_values = allowed.any_values
        self._rules = rules
        self._prefix = prefix
        self._schema = schema
        self._plain = values_of_shapes(style, allowed.without)
        self._referred: dict[str, Reference] = {}
        self._names: dict[Node, Reference] = {}
        """Of the rules that are written already."""
        self._others: list[Values] = []
        self._layout = ObjectLayout(("{", "}"), style.key_quotes, style.item_separator, style.key_separator)

    def in_style(self, style: ValueStyle) -> Values:
        """Give what writes the same in another style."""
        for known in (self, *self._others):
            # Most are the same object, which is found out faster.
            if style is known._style or style == known._style:
                return known
        made = Values(style, self._allowed, self._rules, self._prefix, self._schema)
        self._others.append(made)
        return made

    def value(self, schema: Any, path: str) -> Node:
        """Write the values that a schema allows.

        Raises:
            GrammarError: the schema says something that no grammar here can hold a model to.
        """
        if (shape := shape_of(schema)) is not None:
            return self._plain.get(shape) or self._of_shape(shape, schema, path)
        if schema is True or schema == {}:
            return self._anything(path)
        if is_object(schema):
            if (kind := only_kind_of(schema)) is not None:
                return self._kinds[kind](self, schema, path)
            if isinstance(pointer := schema.get("$ref"), str):
                return self._refer(pointer, schema, path)
            if places := choices_of(schema, path):
                self._schema.alternatives(schema, path)  # what cannot be held to is refused
                branches = [self.value(each, place) for each, place in places]
                return choice(*branches, *self._null_of(schema, path))
        return choice(*map(self.alternative, self._schema.alternatives(schema, path)))

    def alternative(self, each: Alternative) -> Node:
        """Write the values of one kind."""
        if each.constant:
            if not self._style.words[2] and _has_null(each.constant[0]):
                return self._null({}, each.path)
            written = write_value(each.constant[0], self._style)
            if has_any(written, self._without):
                raise GrammarError("grammar-schema", f"{written} would end the call", each.path)
            return Constant(written) if self._allowed.apart else Literal(written)
        return self._of_kind(each.kind, each.schema, each.path)

    def _of_shape(self, shape: str, schema: dict[str, Any], path: str) -> Node:
        """Write values of a shape that no schema had before."""
        kinds = shape.split("|")
        is_list = shape.startswith("[")
        node = (
            self._array(schema, path)
            if is_list
            else choice(*[self._plain.get(kind) or self._kinds[kind](self, {}, path) for kind in kinds])
        )
        self._plain[shape] = node
        return node

    def _of_kind(self, kind: str, schema: dict[str, Any], path: str) -> Node:
        if kind in self._plain and NOTES.issuperset(schema):
            return self._plain[kind]
        return self._kinds[kind](self, schema, path)

    def arguments(self, layout: ObjectLayout, value: Callable[[Any, str], Node] | None = None) -> Node:
        """Write all arguments of a call as one object.

        Args:
            layout: how that is written.
            value: writes one argument, where not all are in one style.

        Raises:
            GrammarError: as `value`.
        """
        whole = self._schema.arguments
        return self.object_of(whole.schema, whole.path, layout, value or self.value)

    def object_of(
        self, schema: dict[str, Any], path: str, layout: ObjectLayout, value: Callable[[Any, str], Node]
    ) -> Node:
        """Write the objects that a schema allows."""
        declared = self._schema.declared(schema, path)
        # Where the first property may be missing, those behind it are written in two places.
        is_first_missing = next(iter(declared.properties), None) not in declared.required
        pairs = [
            Pair(
                write_key(key, layout.key_quotes) + layout.key_separator,
                self._repeated(inner, place, value) if number and is_first_missing else value(inner, place),
                key in declared.required,
            )
            for number, (key, (inner, place)) in enumerate(declared.properties.items())
        ]
        more = self._more(schema, path, layout, declared.properties, value)
        return sequence(
            Literal(layout.brackets[0]),
            *written_pairs(pairs, layout.item_separator, more, self._shared),
            Literal(layout.brackets[1]),
        )

    def rule(self, node: Node) -> Reference:
        """Make a rule of a part that is written in several places."""
        made = Reference(self._next_name())
        known = self._names.setdefault(node, made)
        if known is made:
            self._rules[made.name] = node
        return known

    def _write(self, name: Reference, node: Node) -> Reference:
        """Write the rule of a name."""
        self._rules[name.name] = node
        self._names.setdefault(node, name)
        return name

    def _repeated(self, schema: Any, path: str, value: Callable[[Any, str], Node] | None = None) -> Node:
        """Write the values that a schema allows, for several places: what has others in it is a rule.

        In each that is in another one it would be written twice as often. ``value`` writes them, where not all are in
        one style.
        """
        node = (value or self.value)(schema, path)
        if isinstance(node, _WITHOUT_RULES):
            return node
        if (shape := shape_of(schema)) is not None:
            return self._shared(node) if shape.startswith("[") else node
        for each in self._schema.alternatives(schema, path):
            if each.kind in _OF_OTHERS and not each.constant:
                return self._shared(node)
        return node

    def _anything(self, path: str) -> Reference:
        """Write any value: a rule, since a list and an object have such values in them."""
        if not self._any_values:
            reason = "brackets and keys of a value can end the call in this format: say in the schema what is in it"
            raise GrammarError("grammar-argument", reason, path)
        known = self._referred.get(_ANYTHING)
        if known is not None:
            return known
        made = self._referred[_ANYTHING] = self._new_rule()
        kinds = [
            each
            for each in self._schema.alternatives(True, "")
            if each.kind != "null" or self._style.words[2]
        ]
        return self._write(made, choice(*map(self.alternative, kinds)))

    def _new_rule(self) -> Reference:
        """Name a rule, which is put in its place later."""
        name = self._next_name()
        self._rules[name] = EMPTY
        return Reference(name)

    def _next_name(self) -> str:
        return f"{self._prefix}-{len(self._rules)}"

    def _refer(self, pointer: str, schema: dict[str, Any], path: str) -> Reference:
        self._schema.alternatives(schema, path)  # a rule that begins with itself would be no grammar
        target = self._schema.target(pointer, path)
        known = self._referred.get(target.pointer)
        if known is not None:
            return known
        made = self._referred[target.pointer] = self._new_rule()
        return self._write(made, self.value(target.schema, target.path))

    def _null_of(self, schema: dict[str, Any], path: str) -> list[Node]:
        return [self._null(schema, path)] if schema.get("nullable") is True else []

    def _string(self, schema: dict[str, Any], path: str) -> Node:
        return quoted_string(schema, path, self._style, self._without)

    def _number(self, schema: dict[str, Any], path: str) -> Node:
        return self._multiples(schema, path) or number_of(schema, path, whole=False)

    def _integer(self, schema: dict[str, Any], path: str) -> Node:
        return self._multiples(schema, path) or number_of(schema, path, whole=True)

    def _multiples(self, schema: dict[str, Any], path: str) -> Node | None:
        return None if schema.get("multipleOf") is None else multiples_of(schema, path)

    def _boolean(self, _schema: dict[str, Any], _path: str) -> Node:
        return self._plain["boolean"]

    def _null(self, _schema: dict[str, Any], path: str) -> Node:
        if not self._style.words[2]:
            reason = (
                "a null in a list or an object does not come back in this format: leave it out of the schema"
            )
            raise GrammarError("grammar-argument", reason, path)
        return self._plain["null"]

    def _array(self, schema: dict[str, Any], path: str) -> Node:
        items = items_of(schema, path)
        separator = self._style.item_separator
        first = [self.value(each, f"{path}/prefixItems/{number}") for number, each in enumerate(items.first)]
        rest: Node = EMPTY
        if items.further is not None:
            of_further = self.value if first else self._repeated
            further = of_further(items.further, f"{path}/items")
            first = first or [further]
            most = None if items.most is None else items.most - len(first)
            rest = Repeat(led(separator, further), max(items.least - len(first), 0), most)
        written = [led(separator if number else "", each) for number, each in enumerate(first)]
        for number in reversed(range(items.least, len(written))):
            rest = optional(sequence(written[number], rest))
            if (len(written) - number) % _MOST_WITHIN == 0:
                rest = self.rule(rest)
        return sequence(Literal("["), *written[: items.least], rest, Literal("]"))

    def _object(self, schema: dict[str, Any], path: str) -> Node:
        return self.object_of(schema, path, self._layout, self.value)

    def _more(
        self,
        schema: dict[str, Any],
        path: str,
        layout: ObjectLayout,
        declared: Collection[str],
        value: Callable[[Any, str], Node],
    ) -> Node | None:
        """Write one more property than the schema declares; None where there is none."""
        given = schema.get("additionalProperties", not declared)
        if given is False:
            return None
        written = self._repeated(given, f"{path}/additionalProperties", value)
        if not any(layout.key_quotes):
            # A name without quotes cannot be kept from being one of the others.
            return None if declared else sequence(_IDENTIFIER, Literal(layout.key_separator), written)
        key = FreeText("plain", layout.key_quotes[1], self._without, tuple(declared))
        return sequence(Literal(layout.key_quotes[0]), key, Literal(layout.key_separator), written)

    def _shared(self, node: Node) -> Node:
        return node if isinstance(node, _SHORT) else self.rule(node)

    _kinds: Final[dict[str, Callable[[Values, dict[str, Any], str], Node]]] = {
        "string": _string,
        "number": _number,
        "integer": _integer,
        "boolean": _boolean,
        "null": _null,
        "array": _array,
        "object": _object,
    }


def _has_null(value: Any) -> bool:
    """Tell whether a value is null or has one in it."""
    inner = value.values() if is_object(value) else value if is_list(value) else ()
    return value is None or any(map(_has_null, inner))
