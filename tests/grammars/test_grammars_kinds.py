"""Arguments of each kind: written as the models of a family write them, read back, or refused."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest
from jsonschema import Draft202012Validator

import respc
from grammars.test_grammars_walks import SEED
from respc.grammars import GrammarError
from respc.grammars.learning import Example
from respc.grammars.locating import locate
from respc.grammars.spelling import KINDS, styles_of
from respc_runtime.openai import ChatCompletionParser
from support.grammar_engines import decoded
from support.grammar_families import formats, kinds_of, spelling_of, walker_of
from support.grammar_vocabularies import ByteVocabulary

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine

FEW, MANY = 3, 300
ANY: Final = {"type": ["string", "integer", "number", "boolean", "null"]}
NESTED: Final = {"type": "object", "properties": {"a": ANY, "b": {"type": "array", "items": ANY}}}
SCHEMAS: Final[dict[str, dict[str, Any]]] = {
    **{kind: {"type": kind} for kind in KINDS},
    "object": {**NESTED, "required": ["b"], "additionalProperties": False},
    "array": {"type": "array", "items": {"anyOf": [ANY, {**NESTED, "additionalProperties": False}]}},
}
VOCABULARY: Final = ByteVocabulary()


def tool_of(kind: str) -> dict[str, Any]:
    """Make a tool with an argument of a kind, which has values of all kinds in it if it can."""
    parameters = {"type": "object", "properties": {"level": SCHEMAS[kind]}, "required": ["level"]}
    return {"type": "function", "function": {"name": "set_lamp", "parameters": parameters}}


def arguments_of(family: Family, text: str, tool: dict[str, Any]) -> list[Any]:
    """Give the arguments of the calls in a text, as an engine has them."""
    chat = ChatCompletionParser(family.module.ServingParser, spelling_of(family).prefix, tools=[tool])
    chat.feed(text)
    chat.finalize(stopped=True)
    assert not chat.unread, text
    return [json.loads(call["function"]["arguments"]) for call in (chat.message or {})["tool_calls"]]


@pytest.mark.parametrize("kind", [*KINDS])
def test_a_kind_that_no_text_shows_is_refused_with_its_place(kind: str) -> None:
    refused = {family.name: refusal_of(family, kind) for family in formats()}
    told = {name: (error.code.slug, error.path) for name, error in refused.items() if error is not None}
    place = "/0/function/parameters/properties/level"
    assert told == {
        family.name: ("grammar-argument", place) for family in formats() if kind not in kinds_of(family)
    }


def refusal_of(family: Family, kind: str) -> GrammarError | None:
    """Say why there is no grammar for arguments of a kind; None if there is one."""
    try:
        respc.grammar(family.template, [tool_of(kind)], format="gbnf")
    except GrammarError as error:
        return error
    return None


def test_nearly_all_kinds_are_known() -> None:
    unknown = {
        family.name: sorted({*KINDS} - {*kinds_of(family)})
        for family in formats()
        if {*KINDS} - {*kinds_of(family)}
    }
    assert unknown == {
        "longcat_xml": ["array", "boolean", "null", "object"],
        "mimo": ["array", "boolean", "null", "object"],
        "minimax_m3": ["array", "null", "object"],
    }


@pytest.mark.long
@pytest.mark.parametrize("family", formats(), ids=str)
def test_arguments_of_each_kind_are_read_back(family: Family, engine: Engine) -> None:
    check_kinds(family, engine, MANY)


@pytest.mark.parametrize(
    "family", [each for each in formats() if len(styles_of(spelling_of(each).calls.arguments)) > 1], ids=str
)
def test_arguments_in_several_styles_are_read_back(family: Family, engine: Engine) -> None:
    check_kinds(family, engine, FEW)


def check_kinds(family: Family, engine: Engine, count: int) -> None:
    """Walk the grammars of tools with an argument of each kind."""
    walker = walker_of(family, VOCABULARY)
    for kind in kinds_of(family):
        tool = tool_of(kind)
        validator = Draft202012Validator(tool["function"]["parameters"])
        held = engine.compiled(
            respc.grammar(family.template, [tool], format=engine.name, parallel=False), VOCABULARY
        )
        for number in range(count):
            text = decoded(VOCABULARY, walker.walk(held, Random(SEED + number)))
            (arguments,) = arguments_of(family, text, tool)
            assert [*validator.iter_errors(arguments)] == [], text


def test_strings_in_python_are_found_in_either_quotes() -> None:
    arguments = spelling_of(next(each for each in formats() if each.name == "llama4")).calls.arguments
    values = ["it's", 'say "x"', "plain", True, None, {"a": [2.5]}]
    for other in ([], values):
        message = {"tool_calls": [{"function": {"name": "ping", "arguments": {"list": other}}}]}
        assert locate(Example(f"[ping(list={other!r})]", "", message), arguments) is not None
        assert (locate(Example(f"[ping(list={json.dumps(other)})]", "", message), arguments) is None) is bool(
            other
        )
