"""Unions whose members are told apart, and objects that extend others: as makers of tools write them."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from jsonschema import Draft202012Validator

import respc
from grammars.test_grammars_kinds import arguments_of
from grammars.test_grammars_walks import SEED
from grammars.test_grammars_work import calls_in
from respc.grammars import GrammarError
from respc.grammars.alternatives import WholeSchema
from support.families import Family
from support.grammar_engines import accepts, decoded
from support.grammar_families import walker_of, written_by
from support.grammar_vocabularies import ByteVocabulary

if TYPE_CHECKING:
    from collections.abc import Callable

    from support.grammar_engines import Engine

FEW, MANY = 5, 500
VOCABULARY: Final = ByteVocabulary()
FAMILIES: Final = ("qwen3", "qwen3_coder", "glm4_7", "gemma4", "llama4")
"""One of each way to write arguments: JSON, tags, a dialect and Python."""


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def of_kind(kind: Any, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": kind, **properties}, "required": ["kind"]}


INTEGER: Final = {"type": "integer"}
STRING: Final = {"type": "string"}
DEFINITIONS: Final[dict[str, Any]] = {
    "Cat": {**of_kind({"const": "cat", "type": "string"}, lives=INTEGER), "additionalProperties": False},
    "Dog": of_kind({"enum": ["dog"]}, tricks={"type": "array", "items": STRING}),
    "FishKind": {"title": "FishKind", "enum": ["fish"]},
    "Fish": of_kind({"allOf": [ref("FishKind")], "default": "fish"}, depth=INTEGER),
    "Pet": {
        "oneOf": [ref("Cat"), ref("Dog")],
        "discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat", "dog": "#/$defs/Dog"}},
    },
    "Named": {"type": "object", "properties": {"name": {"enum": ["Ada", "Bo"]}}, "required": ["name"]},
    "Sum": {**of_kind({"const": "sum"}, left=ref("Term"), right=ref("Term")), "required": ["kind", "right"]},
    "Text": {"allOf": [ref("Named"), of_kind({"const": "text"})]},
    "Term": {"oneOf": [ref("Text"), ref("Sum")], "title": "Term"},
}
ACCEPTED: Final[dict[str, Any]] = {
    "a union": {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind"}},
    "a union of a union": {"oneOf": [ref("Pet"), ref("Fish")], "description": "Any."},
    "one of several kinds": {"oneOf": [of_kind({"enum": ["duck", "dove"]}), ref("Cat"), ref("Fish")]},
    "a union with a type": {"type": "object", "oneOf": [ref("Cat"), ref("Fish")]},
    "a union that may be null": {"anyOf": [ref("Pet"), {"type": "null"}], "default": None},
    "a list of a union": {"type": "array", "items": ref("Pet"), "maxItems": 2},
    "a union with itself in it": ref("Term"),
    "one schema with notes": {"allOf": [ref("Cat")], "description": "The cat.", "default": {"kind": "cat"}},
    "one schema, extended beside": {
        "allOf": [ref("Named")],
        "type": "object",
        "properties": {"age": INTEGER},
        "required": ["age"],
    },
    "several schemas": {"allOf": [ref("Dog"), ref("Named")]},
    "more that is required": {"allOf": [ref("Dog"), {"required": ["tricks"]}, True]},
    "the same twice": {"allOf": [ref("Cat"), ref("Cat"), {"allOf": [ref("Cat")]}]},
    "closed, and the same properties": {
        "allOf": [ref("Cat"), of_kind(DEFINITIONS["Cat"]["properties"]["kind"])]
    },
}
REFUSED: Final[dict[str, tuple[Any, str, str]]] = {
    "one value of two": ({"oneOf": [ref("Cat"), of_kind({"enum": ["cat", "lion"]})]}, "/oneOf", "`anyOf`"),
    "the same twice": ({"oneOf": [ref("Cat"), ref("Cat")]}, "/oneOf", "`anyOf`"),
    "a constant that may be missing": (
        {"oneOf": [ref("Cat"), {**of_kind({"const": "x"}), "required": []}]},
        "/oneOf",
        "`anyOf`",
    ),
    "a union that is not apart from another": ({"oneOf": [ref("Pet"), ref("Dog")]}, "/oneOf", "`anyOf`"),
    "an object that says nothing of integers": (
        {"oneOf": [{"properties": {"a": INTEGER}}, INTEGER]},
        "/oneOf",
        "`anyOf`",
    ),
    "both may be null": (
        {"oneOf": [{**INTEGER, "nullable": True}, {**STRING, "nullable": True}]},
        "/oneOf",
        "`anyOf`",
    ),
    "a number in a list": ({"oneOf": [{"const": [1]}, {"const": [1.0]}]}, "/oneOf", "`anyOf`"),
    "another type": ({"type": "string", "anyOf": [INTEGER]}, "", "a `type` beside"),
    "another type at a reference": ({"type": "array", **ref("Cat")}, "", "a `type` beside"),
    "two choices": ({"anyOf": [INTEGER], "oneOf": [STRING]}, "", "`oneOf` beside `anyOf`"),
    "a reference and a choice": ({**ref("Cat"), "anyOf": [ref("Dog")]}, "", "`anyOf` beside `$ref`"),
    "no objects": ({"allOf": [INTEGER, {"minimum": 2}]}, "/allOf/0", "plain objects"),
    "a union in it": ({"allOf": [ref("Pet"), ref("Named")]}, "/allOf/0", "plain objects"),
    "a property twice": (
        {"allOf": [ref("Cat"), {"properties": {"lives": {"const": 9}}}]},
        "/allOf/1/properties/lives",
        "`lives`",
    ),
    "1 and true": (
        {"allOf": [of_kind({"const": 1}), of_kind({"const": True})]},
        "/allOf/1/properties/kind",
        "`kind`",
    ),
    "closed, and more": (
        {"allOf": [{"additionalProperties": False, "properties": {"a": INTEGER}}, ref("Named")]},
        "/allOf/0/additionalProperties",
        "`name`",
    ),
    "others of a type, and more": (
        {"allOf": [{"type": "object", "additionalProperties": INTEGER}, ref("Named")]},
        "/allOf/0/additionalProperties",
        "`name`",
    ),
    "required and nowhere": ({"allOf": [ref("Dog"), {"required": ["size"]}]}, "/allOf", "`size`"),
    "what no grammar holds to": (
        {"allOf": [ref("Dog"), {"type": "object", "minProperties": 2}]},
        "/allOf/1/minProperties",
        "`minProperties`",
    ),
}


def tool_of(pet: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {"pet": pet, "at": INTEGER}, "required": ["pet"]}
    return {"name": "feed", "parameters": {**parameters, "$defs": DEFINITIONS}}


def is_valid(tool: dict[str, Any], arguments: Any) -> bool:
    return Draft202012Validator(tool["parameters"]).is_valid(arguments)


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("what", ACCEPTED)
def test_walks_are_read_back_and_valid(what: str, name: str, engine: Engine, count: int) -> None:
    family, tool = Family(name), tool_of(ACCEPTED[what])
    made = engine.compiled(respc.grammar(family.template, [tool], format=engine.name), VOCABULARY)
    walker = walker_of(family, VOCABULARY)
    for number in range(count):
        text = decoded(VOCABULARY, walker.walk(made, Random(SEED + number)))
        found = arguments_of(family, text, tool)
        assert found
        assert [each for each in found if not is_valid(tool, each)] == [], text


GOOD: Final[list[tuple[str, Any]]] = [
    ("a union", {"kind": "cat"}),
    ("a union", {"kind": "cat", "lives": 9}),
    ("a union", {"kind": "dog", "tricks": ["sit"]}),
    ("a union of a union", {"kind": "fish", "depth": 3}),
    ("a union of a union", {"kind": "dog"}),
    ("one of several kinds", {"kind": "dove"}),
    ("one of several kinds", {"kind": "cat", "lives": 1}),
    ("a union with itself in it", {"kind": "sum", "right": {"name": "Bo", "kind": "text"}}),
    ("one schema, extended beside", {"name": "Ada", "age": 3}),
    ("several schemas", {"kind": "dog", "tricks": [], "name": "Bo"}),
    ("more that is required", {"kind": "dog", "tricks": []}),
]
BAD: Final[list[tuple[str, Any]]] = [
    ("a union", {"kind": "cow"}),
    ("a union", {"lives": 9}),
    ("a union", {"kind": "cat", "tricks": ["sit"]}),
    ("a union", {"kind": "dog", "lives": 9}),
    ("a union", "cat"),
    ("a union of a union", {"kind": "fish", "lives": 9}),
    ("a union with itself in it", {"kind": "sum"}),
    ("a union with itself in it", {"kind": "sum", "right": {"kind": "text"}}),
    ("one schema with notes", {"kind": "dog"}),
    ("one schema, extended beside", {"name": "Ada"}),
    ("one schema, extended beside", {"age": 3}),
    ("several schemas", {"kind": "dog"}),
    ("several schemas", {"name": "Ada"}),
    ("several schemas", {"kind": "dog", "name": "Cy"}),
    ("more that is required", {"kind": "dog"}),
]


@pytest.mark.parametrize("name", FAMILIES)
def test_good_texts_are_let_through_and_bad_ones_are_not(name: str, engine: Engine) -> None:
    family = Family(name)
    for is_good, cases in ((True, GOOD), (False, BAD)):
        for what, pet in cases:
            tool = tool_of(ACCEPTED[what])
            # What is not declared is none of an object, though a schema that does not say so allows it.
            assert is_valid(tool, {"pet": pet}) or not is_good
            held = engine.compiled(respc.grammar(family.template, [tool], format=engine.name), VOCABULARY)
            text = written_by(family, ("feed", {"pet": pet}))
            assert accepts(held, VOCABULARY, text) is is_good, (what, text)


@pytest.mark.parametrize("form", ["xgrammar", "llguidance", "gbnf"])
@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("what", REFUSED)
def test_what_cannot_be_held_to_is_refused_with_its_place(what: str, name: str, form: Any) -> None:
    pet, path, reason = REFUSED[what]
    with pytest.raises(GrammarError, match=re.escape(reason)) as refused:
        respc.grammar(Family(name).template, [tool_of(pet)], format=form)
    assert refused.value.code.slug == "grammar-schema"
    assert refused.value.path == f"/0/parameters/properties/pet{path}"


def doubled(count: int, key: str, last: Any) -> dict[str, Any]:
    """Refer twice to the next definition in each: all ways through them are two to the power of their number."""
    steps = {f"d{number}": {key: [ref(f"d{number + 1}")] * 2} for number in range(count)}
    return {**steps, f"d{count}": last}


def nested(count: int, key: str, last: Any) -> dict[str, Any]:
    return {"d0": json.loads(f'{{"{key}": [' * count + json.dumps(last) + "]}" * count)}


def extended(count: int) -> dict[str, Any]:
    steps = {
        f"d{number}": {"allOf": [ref(f"d{number + 1}"), {"properties": {f"p{number}": INTEGER}}]}
        for number in range(count)
    }
    return {**steps, f"d{count}": ref("Named"), "Named": DEFINITIONS["Named"]}


def united(count: int) -> dict[str, Any]:
    return (
        {"d0": {"oneOf": [ref(f"k{number}") for number in range(count)]}}
        | {f"k{number}": of_kind(ref(f"c{number}")) for number in range(count)}
        | {f"c{number}": {"const": number} for number in range(count)}
    )


def chained(count: int) -> dict[str, Any]:
    """Describe a union in a union in a union."""
    steps: dict[str, Any] = {
        f"d{number}": {"oneOf": [of_kind({"const": number}), ref(f"d{number + 1}")]}
        for number in range(count)
    }
    return {**steps, f"d{count}": of_kind({"const": count})}


HOSTILE: Final[dict[str, Callable[[int], dict[str, Any]]]] = {
    "a choice of twice the same": lambda count: doubled(count, "anyOf", INTEGER),
    "a union of twice the same": lambda count: doubled(count, "oneOf", DEFINITIONS["Named"]),
    "the same extended twice": lambda count: doubled(count, "allOf", DEFINITIONS["Named"]),
    "one in one": lambda count: nested(count, "allOf", DEFINITIONS["Named"]),
    "one of one in one of one": lambda count: nested(count, "oneOf", DEFINITIONS["Named"]),
    "many extended": extended,
    "a union of many": lambda count: united(8 * count),
    "a union in a union": chained,
}


def test_what_many_references_lead_to_is_there_once() -> None:
    """The lists of kinds would be twice as long with each reference, which no count of calls tells."""
    whole = WholeSchema({"$defs": doubled(14, "anyOf", INTEGER)}, "")
    assert [each.kind for each in whole.alternatives(ref("d0"), "")] == ["integer"]


@pytest.mark.parametrize("form", ["xgrammar", "llguidance"])
@pytest.mark.parametrize("shape", HOSTILE)
def test_the_work_does_not_explode(shape: str, form: Any) -> None:
    def work(count: int) -> int:
        definitions = HOSTILE[shape](count)
        parameters = {"type": "object", "properties": {"p": ref("d0")}, "$defs": definitions}

        def run() -> None:
            # What is refused is refused after as little work.
            with suppress(GrammarError):
                respc.grammar("qwen3", [{"name": "t", "parameters": parameters}], format=form)

        return calls_in(run)

    work(2)
    once, twice = work(14), work(28)
    assert twice < 4.5 * once
    assert twice < 28 * 2_000
