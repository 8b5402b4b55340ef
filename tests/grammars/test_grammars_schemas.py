"""Schemas: what their grammars allow, and what is refused with its place."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any, Final

import pytest

from respc.grammars import GrammarError
from respc.grammars.alternatives import WholeSchema
from respc.grammars.nodes import Choice, FreeText, Literal, Node, Reference, Sequence
from respc.grammars.schemas import Allowed, Values
from respc.grammars.spelling import ValueStyle
from respc.grammars.strings import raw_string
from support.grammar_texts import pattern_of

JSON: Final = ValueStyle()
GEMMA: Final = ValueStyle(('<"', '">'), False, ("", ""), ",", ":")
PYTHON: Final = ValueStyle(("'", "'"), key_quotes=("'", "'"), words=("True", "False", "None"))


def pattern(schema: Any, style: ValueStyle = JSON) -> re.Pattern[str]:
    rules: dict[str, Node] = {}
    node = Values(style, Allowed(), rules, "x", WholeSchema(schema, "")).value(schema, "")
    return re.compile(pattern_of(node, rules))


@pytest.mark.parametrize("required", [(), ("a",), ("b",), ("c",), ("a", "c"), ("a", "b", "c")], ids=repr)
def test_properties_come_in_their_order_and_the_required_ones_always(required: tuple[str, ...]) -> None:
    schema = {
        "type": "object",
        "properties": {key: {"const": 1} for key in "abc"},
        "required": list(required),
    }
    allowed = pattern(schema)
    for length in range(4):
        for keys in combinations("abc", length):
            for ordered in permutations(keys):
                written = json.dumps(dict.fromkeys(ordered, 1))
                right = ordered == keys and set(required) <= set(keys)
                assert (allowed.fullmatch(written) is not None) is right, written


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        ({"type": "boolean"}, ["true", "false"], ["True", "1", "null"]),
        ({"type": ["integer", "null"]}, ["3", "null"], ["3.5", "true"]),
        ({"type": "integer", "nullable": True}, ["3", "null"], ['"3"']),
        (
            {"enum": ["a b", 2, None, [1, {"k": False}]]},
            ['"a b"', "2", "null", '[1, {"k": false}]'],
            ['"a"', "[]"],
        ),
        ({"type": "string", "enum": ["a", 2]}, ['"a"'], ["2"]),
        ({"const": 'say "x"\n'}, ['"say \\"x\\"\\n"'], ['"say "x""']),
        (
            {"type": "array", "items": {"type": "integer"}},
            ["[]", "[1]", "[1, 2, 3]"],
            ["[1,2]", "[1, ]", '["1"]'],
        ),
        (
            {"type": "array", "items": {"const": 1}, "minItems": 2, "maxItems": 3},
            ["[1, 1]", "[1, 1, 1]"],
            ["[1]", "[]"],
        ),
        ({"type": "array", "items": {"const": 1}, "maxItems": 0}, ["[]"], ["[1]"]),
        (
            {"prefixItems": [{"const": 1}, {"type": "boolean"}], "minItems": 2, "maxItems": 2},
            ["[1, true]"],
            ["[1]", "[true, 1]", "[1, true, 1]", "[]"],
        ),
        (
            {"type": "array", "prefixItems": [{"const": 1}, {"const": 2}], "items": {"const": 3}},
            ["[]", "[1]", "[1, 2]", "[1, 2, 3]", "[1, 2, 3, 3]"],
            ["[2]", "[1, 3]", "[1, 2, 2]"],
        ),
        (
            {"prefixItems": [{"const": 1}], "items": {"const": 3}, "minItems": 2, "maxItems": 3},
            ["[1, 3]", "[1, 3, 3]"],
            ["[1]", "[1, 3, 3, 3]"],
        ),
        ({"prefixItems": [{"const": 1}], "items": False}, ["[]", "[1]"], ["[1, 1]"]),
        (
            {"type": "string", "minLength": 2, "maxLength": 3},
            ['"ab"', '"a\\n"', '"abc"'],
            ['"a"', '"abcd"', '"a\n"'],
        ),
        ({"anyOf": [{"type": "integer"}, {"const": "x"}], "default": None}, ["1", '"x"'], ['"y"']),
        ({"oneOf": [{"type": "integer"}, {"type": "boolean"}]}, ["1", "true"], ["null"]),
        ({"allOf": [{"type": "integer"}], "title": "T"}, ["1"], ["x"]),
        ({"properties": {"a": {"const": 1}}}, ["{}", '{"a": 1}'], ["1", '{"b": 1}']),
        ({"$ref": "#/$defs/n~1m", "$defs": {"n/m": {"type": "integer"}}}, ["4"], ["x"]),
    ],
    ids=repr,
)
def test_values_of_a_schema(schema: Any, right: list[str], wrong: list[str]) -> None:
    allowed = pattern(schema)
    assert [text for text in right if not allowed.fullmatch(text)] == []
    assert [text for text in wrong if allowed.fullmatch(text)] == []


def test_the_same_schema_in_other_styles() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"enum": ["it's", None]}, "b": {"type": "array", "items": {"type": "boolean"}}},
        "required": ["a", "b"],
    }
    assert pattern(schema, GEMMA).fullmatch('{a:<"it\'s">,b:[true,false]}')
    assert pattern(schema, PYTHON).fullmatch("{'a': 'it\\'s', 'b': [True, False]}")
    assert pattern(schema, PYTHON).fullmatch("{'a': None, 'b': []}")


def test_python_has_strings_and_keys_in_the_quotes_that_are_not_in_them() -> None:
    schema = {"type": "object", "properties": {"it's": {"enum": ["o'clock", 'say "x"', None]}}}
    style = replace(PYTHON, either_quotes=True)
    for value in ("o'clock", 'say "x"', None):
        assert pattern(schema, style).fullmatch(repr({"it's": value}))
    free = Values(style, Allowed(), {}, "x", WholeSchema({}, "")).value({"type": "string"}, "")
    assert {FreeText("escaped", "'"), FreeText("escaped", '"')} <= set(_parts(free))


def test_a_null_that_does_not_come_back_is_refused() -> None:
    style = replace(JSON, words=("true", "false", ""))
    for schema in ({"type": "null"}, {"type": "integer", "nullable": True}, {"enum": [1, [None]]}):
        listed = {"type": "array", "items": schema}
        with pytest.raises(GrammarError, match="a null in a list") as refused:
            Values(style, Allowed(), {}, "x", WholeSchema(listed, "")).value(listed, "/p")
        assert (refused.value.code.slug, refused.value.path) == ("grammar-argument", "/p/items")
    rules: dict[str, Node] = {}
    Values(style, Allowed(), rules, "x", WholeSchema({}, "")).value({}, "")
    assert Literal("null") not in set(_parts(next(iter(rules.values()))))


def test_a_schema_that_refers_to_itself_is_a_rule() -> None:
    tree = {"type": "object", "properties": {"next": {"$ref": "#"}, "size": {"type": "integer"}}}
    rules: dict[str, Node] = {}
    Values(JSON, Allowed(), rules, "x", WholeSchema(tree, "")).value(tree, "")
    assert any(Reference(name) in list(_parts(node)) for name, node in rules.items())


@pytest.mark.parametrize("schemas", [{"$ref": "#/$defs/d{}"}, {"anyOf": [{"$ref": "#/$defs/d{}"}]}], ids=repr)
def test_references_that_lead_on_and_on_do_not_lead_back(schemas: Any) -> None:
    last = 60
    written = json.dumps(schemas)
    steps = {f"d{number}": json.loads(written.replace("{}", str(number + 1))) for number in range(last)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**steps, f"d{last}": {"type": "integer"}}}
    assert pattern(schema).fullmatch("12")
    assert not pattern(schema).fullmatch("null")


def test_a_list_of_many_first_items_has_any_number_of_them() -> None:
    count = 40
    for least in (0, 5, count):
        schema = {
            "type": "array",
            "prefixItems": [{"type": "boolean"}] * count,
            "items": False,
            "minItems": least,
        }
        held = pattern(schema)
        for length in (0, 1, 4, 5, 17, 33, count, count + 1):
            accepted = held.fullmatch(json.dumps([True] * length)) is not None
            assert accepted == (least <= length <= count), (least, length)


def record(**constants: str) -> dict[str, Any]:
    """Describe an object with properties that are constant."""
    properties = {key: {"const": value} for key, value in constants.items()}
    return {"type": "object", "properties": properties, "required": [*constants]}


@pytest.mark.parametrize(
    "schemas",
    [
        [{"type": ["integer", "number"]}, {"type": "boolean"}],
        [{"const": 1}, {"const": True}, {"const": "1"}],
        [record(a="x"), record(a="y"), {"type": "null"}],
        [record(a="x", b="x"), record(a="x", b="y"), record(a="y", c="x")],
        [record(c="x", a="x"), record(a="y", b="x"), record(b="x", a="z")],
    ],
    ids=repr,
)
def test_schemas_that_are_apart_can_be_chosen_from(schemas: list[Any]) -> None:
    assert pattern({"oneOf": schemas}).pattern == pattern({"anyOf": schemas}).pattern


@pytest.mark.parametrize(
    "schema", [True, {}, {"type": "object"}, {"type": "array"}, {"description": "x"}], ids=repr
)
def test_any_value_is_a_rule_that_has_itself_in_it(schema: Any) -> None:
    rules: dict[str, Node] = {}
    node = Values(JSON, Allowed(("</c>",)), rules, "x", WholeSchema(schema, "")).value(schema, "")
    (name,) = rules
    assert Reference(name) in list(_parts(node))
    assert {Reference(name), FreeText("escaped", '"', ("</c>",))} <= set(_parts(rules[name]))


def _parts(node: Any) -> Any:
    yield node
    for inner in getattr(node, "items", ()) or getattr(node, "branches", ()) or ():
        yield from _parts(inner)
    if hasattr(node, "item"):
        yield from _parts(node.item)


def test_further_properties_are_none_of_the_declared_ones() -> None:
    schema = {"type": "object", "properties": {"a": {"const": 1}}, "additionalProperties": {"const": 2}}
    node = Values(JSON, Allowed(("</c>",)), {}, "x", WholeSchema(schema, "")).value(schema, "")
    assert FreeText("plain", '"', ("</c>",), ("a",)) in list(_parts(node))
    # What has no quotes cannot be told from the others.
    node = Values(GEMMA, Allowed(), {}, "x", WholeSchema(schema, "")).value(schema, "")
    assert re.fullmatch(pattern_of(node), "{a:1}")
    assert not re.fullmatch(pattern_of(node), "{b:2}")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "array", "uniqueItems": True}, "/p/uniqueItems"),
        ({"prefixItems": {}, "type": "array", "minItems": 1, "maxItems": 0}, "/p"),
        ({"prefixItems": {"const": 1}}, "/p/prefixItems"),
        ({"prefixItems": [{"const": 1}], "items": False, "minItems": 2}, "/p"),
        ({"type": "object", "properties": {"a": {"not": {}}}}, "/p/properties/a/not"),
        ({"type": "object", "properties": {"a/b": {"multipleOf": 3}}}, "/p/properties/a~1b/multipleOf"),
        ({"type": "string", "pattern": "^(?=a)"}, "/p/pattern"),
        ({"type": "string", "minLength": 3, "maxLength": 2}, "/p"),
        ({"type": "text"}, "/p/type"),
        ({"type": "object", "required": ["a"]}, "/p/required"),
        ({"oneOf": [{"type": "integer"}, {"type": "number"}]}, "/p/oneOf"),
        ({"oneOf": [{"const": 1}, {"const": 2}, {"enum": [3, 1.0]}]}, "/p/oneOf"),
        ({"oneOf": [{"const": {"a": 1, "b": 2}}, {"const": {"b": 2, "a": 1}}]}, "/p/oneOf"),
        ({"oneOf": [{"type": ["string", "null"]}, {"type": "integer"}, {"type": "null"}]}, "/p/oneOf"),
        ({"oneOf": [record(a="x"), record(a="y"), record(b="x")]}, "/p/oneOf"),
        ({"oneOf": [record(a="x", b="x"), record(a="y", b="x"), record(a="x", b="x")]}, "/p/oneOf"),
        (
            {
                "oneOf": [
                    {**record(a="x"), "type": ["object", "null"]},
                    {**record(a="y"), "type": ["object", "null"]},
                ]
            },
            "/p/oneOf",
        ),
        ({"allOf": [{"type": "integer"}, {"minimum": 2}]}, "/p/allOf/0"),
        ({"anyOf": [{"type": "integer"}], "minimum": 2}, "/p"),
        ({"enum": [], "type": "string"}, "/p/enum"),
        ({"$ref": "#/$defs/none"}, "/p/$ref"),
        ({"$ref": "https://example.com/schema"}, "/p/$ref"),
        ({"$defs": {"a": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "/p"),
        ({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}, "/p"),
        ({"$defs": {"a": {"anyOf": [{}, {"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}, "/$defs/a/anyOf/1"),
        ({"$defs": {"a": {"type": "string"}}, "$ref": "#/$defs/a", "maxLength": 3}, "/p"),
        (False, "/p"),
        ({"properties": ["a"]}, "/p/properties"),
        ({"properties": {'a"b': {}}}, "/p/properties"),
    ],
    ids=repr,
)
def test_what_cannot_be_held_to_is_refused_with_its_place(schema: Any, path: str) -> None:
    with pytest.raises(GrammarError) as refused:
        Values(JSON, Allowed(), {}, "x", WholeSchema(schema, "")).value(schema, "/p")
    assert refused.value.code.slug == "grammar-schema"
    assert refused.value.path == path


@pytest.mark.parametrize("constant", ["x</c>", ["</c>"], {"</c>": 1}], ids=repr)
def test_a_constant_that_ends_the_call_is_refused(constant: Any) -> None:
    schema = {"enum": ["a", constant]}
    with pytest.raises(GrammarError, match="would end the call") as refused:
        Values(JSON, Allowed(("</c>",)), {}, "x", WholeSchema(schema, "")).value(schema, "/p")
    assert refused.value.path == "/p"


def test_a_string_in_a_tag_does_not_begin_with_what_the_tag_does_not_take() -> None:
    end, marks = "</p>", "]"
    free = raw_string({}, "", end, (), marks)
    assert isinstance(free, Choice)
    empty, text = free.branches
    assert empty == Literal(end)
    assert isinstance(text, Sequence)
    begun, rest = text.items
    assert [re.fullmatch(pattern_of(begun), each) is not None for each in "]<a"] == [False, False, True]
    assert rest == FreeText("any", end)
    assert raw_string({}, "", end, (), "") == FreeText("any", end)
    bounded = re.compile(pattern_of(raw_string({"maxLength": 2}, "", end, ("]x",), marks)))
    assert [each for each in ("a", "", "]", "abc") if bounded.fullmatch(f"{each}</p>")] == ["a", ""]
    with pytest.raises(GrammarError, match="RT926"):
        raw_string({"maxLength": 2}, "/p", end, (), marks)
