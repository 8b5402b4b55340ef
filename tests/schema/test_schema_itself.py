"""The JSON Schema as a document: valid, described throughout, and in step with what the compiler knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from jsonschema import Draft202012Validator

from respc.contents import CONTENT_PARSERS, ContentParser
from respc.contents.arguments import Flag
from respc.contents.nested import VALUE_PARSER_KEYS
from respc.frontend.field_rules import FIELD_FLAGS, FIELD_KEYS
from respc.frontend.shape import TEMPLATE_KEYS
from respc.schema import template_schema
from support.oracle import refused_by_interpreter

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA = template_schema()
VALIDATOR = Draft202012Validator(SCHEMA)


def template_of(field: object) -> dict[str, Any]:
    return {"start_anchor": "A", "fields": {"x": field}}


def described(schema: dict[str, Any], place: str = "#") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and those of its definitions and properties, at any depth."""
    yield place, schema
    for group in ("$defs", "properties"):
        for name, inner in schema.get(group, {}).items():
            yield from described(inner, f"{place}/{group}/{name}")


def identities_in(value: object) -> set[int]:
    """Return the identities of the objects and lists in a value, at any depth."""
    if not isinstance(value, (dict, list)):
        return set()
    parts = value.values() if isinstance(value, dict) else value
    return {id(value)}.union(*map(identities_in, parts))


def test_it_is_valid() -> None:
    assert SCHEMA["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    Draft202012Validator.check_schema(SCHEMA)


def test_every_call_gives_one_that_the_caller_may_change() -> None:
    again = template_schema()
    assert again == SCHEMA
    assert not identities_in(again) & identities_in(SCHEMA)


def test_everything_is_described_in_whole_sentences() -> None:
    places = list(described(SCHEMA))
    assert len(places) > len(TEMPLATE_KEYS) + len(FIELD_KEYS) + len(CONTENT_PARSERS)
    for place, schema in places:
        text = schema.get("description", "")
        assert text[:1].isupper() or text[:1] == "`", place
        assert text.endswith("."), place


def test_it_has_the_keys_that_the_compiler_knows() -> None:
    assert set(SCHEMA["properties"]) == set(TEMPLATE_KEYS)
    assert set(SCHEMA["$defs"]["field"]["properties"]) == set(FIELD_KEYS)


def test_it_has_the_content_parsers_that_the_compiler_knows() -> None:
    names = [choice["const"] for choice in SCHEMA["$defs"]["content"]["anyOf"]]
    assert names == list(CONTENT_PARSERS)


def flags_in(properties: dict[str, Any]) -> set[str]:
    """Return the keys that are described as true or false, and may be anything."""
    return {
        name
        for name, schema in properties.items()
        if schema.get("anyOf", [None])[0] == {"type": "boolean"} and isinstance(schema["default"], bool)
    }


def test_it_has_the_flags_that_the_compiler_knows() -> None:
    assert flags_in(SCHEMA["$defs"]["field"]["properties"]) == set(FIELD_FLAGS)


def test_it_has_the_keys_of_value_parsers_that_the_compiler_knows() -> None:
    assert list(SCHEMA["$defs"]["value-parser"]["properties"]) == list(VALUE_PARSER_KEYS)


@pytest.mark.parametrize("parser", CONTENT_PARSERS.values(), ids=list(CONTENT_PARSERS))
def test_it_has_the_arguments_that_a_content_parser_looks_at(parser: ContentParser[Any]) -> None:
    arguments = SCHEMA["$defs"][f"content-args-of-{parser.name}"].get("properties", {})
    assert list(arguments) == [argument.name for argument in parser.takes]
    assert flags_in(arguments) == {argument.name for argument in parser.takes if isinstance(argument, Flag)}


def test_defaults_and_examples_are_what_their_places_accept() -> None:
    seen = 0
    for place, schema in described(SCHEMA):
        validator = VALIDATOR.evolve(schema=schema)
        for value in [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]:
            assert validator.is_valid(value), (place, value)
            seen += 1
    assert seen > 30


def test_the_examples_load() -> None:
    (whole,) = SCHEMA["examples"]
    assert refused_by_interpreter(whole) is None
    for field in SCHEMA["$defs"]["field"]["examples"]:
        assert refused_by_interpreter(template_of(field)) is None
    for parser in CONTENT_PARSERS:
        for arguments in SCHEMA["$defs"][f"content-args-of-{parser}"].get("examples", []):
            field = {"open": "<x>", "content": parser, "content_args": arguments}
            assert refused_by_interpreter(template_of(field)) is None


@pytest.mark.parametrize("parser", sorted(CONTENT_PARSERS))
def test_an_editor_is_led_to_the_arguments_of_the_parser_that_is_named(parser: str) -> None:
    """Where a condition holds, and only there, the arguments are those of its parser."""
    definition = f"#/$defs/content-args-of-{parser}"
    conditions = SCHEMA["$defs"]["field"]["allOf"]
    for field in ({"content": parser}, *([{}] if parser == "text" else [])):
        leading = [
            condition["then"]["properties"]["content_args"]["$ref"]
            for condition in conditions
            if VALIDATOR.evolve(schema=condition["if"]).is_valid(field)
        ]
        assert leading == [definition]


@pytest.mark.parametrize(
    ("path", "good", "warned_of"),
    [
        (("field", "properties", "repeats"), [True, False], ["true", 1, None]),
        (("field", "properties", "optional"), [True], ["no"]),
        (("value-parser",), [{"name": "json"}, None], ["json", ["json"], True]),
        (("value-parser", "properties", "name"), ["json"], ["jsn", 1]),
        (("content-args-of-text", "properties", "strip"), [False], ["false"]),
        (("content-args-of-kv-lines", "properties", "line_sep"), ["\n"], [1]),
    ],
    ids=str,
)
def test_an_editor_warns_of_what_is_accepted_and_misread(
    path: tuple[str, ...], good: list[Any], warned_of: list[Any]
) -> None:
    schema = SCHEMA["$defs"]
    for key in path:
        schema = schema[key]
    advice, otherwise = schema["anyOf"]
    assert otherwise["deprecated"] is True
    assert otherwise["deprecationMessage"].endswith(".")
    advised = VALIDATOR.evolve(schema=advice)
    assert all(map(advised.is_valid, good))
    assert not any(map(advised.is_valid, warned_of))
    assert all(map(VALIDATOR.evolve(schema=schema).is_valid, [*good, *warned_of]))
