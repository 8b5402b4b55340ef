"""Values are of the types that their module says: messages, what is in them, and the values of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict, get_args, get_type_hints, is_typeddict

import pytest

import respc
from respc.codegen.names import class_name, singular
from respc_runtime.errors import ResponseError
from support.families import families
from support.modules import module_of
from support.oracle import compiled
from support.stability import stable_module
from support.sweeps import templates_swept
from support.templates import (
    corpus_cases,
    corpus_names,
    corpus_template,
    own_names,
    own_samples,
    own_template,
)
from support.typed_values import is_of

if TYPE_CHECKING:
    from types import ModuleType

TEMPLATES: Final = {
    **{name: (own_template(name), own_samples(name)) for name in own_names()},
    **{name: (corpus_template(name), corpus_cases(name)) for name in corpus_names()},
}
FAMILIES: Final = {family.name: family for family in families()}


def serving_module(template: dict[str, Any]) -> ModuleType:
    return stable_module(template, "serving") or respc.load(template, events="serving", stable=False)


def assert_message(message: dict[str, Any], module: ModuleType) -> None:
    named = {key: value for key, value in message.items() if key}  # no TypedDict has a key without a name
    assert is_of(named, module.Message, vars(module)), named


def assert_generation(module: ModuleType, made: dict[str, Any]) -> bool:
    """Check the message and all events of a generation; tell whether it could be read."""
    names = vars(module)
    try:
        parser = module.ResponseParser(made["prefix"], tools=made["tools"])
        events = [*parser.initial_events]
        for place in range(0, len(made["text"]), 7):
            events += parser.feed(made["text"][place : place + 7])
        message, last = parser.finalize()
    except ResponseError:
        return False
    for event in [*events, *last]:
        if event["type"] == "region_malformed":
            assert set(event) == {"type", "field", "start", "end", "error"}
        else:
            assert is_of(event, module.Event, names), event
    assert_message(message, module)
    return True


@pytest.mark.parametrize("name", [*own_names(), *templates_swept(corpus_names())])
@pytest.mark.parametrize("events", ["default", "serving"])
def test_values_of_templates(name: str, events: str) -> None:
    template, generations = TEMPLATES[name]
    module = compiled(template) if events == "default" else serving_module(template)
    read = [assert_generation(module, made) for made in generations]
    assert any(read) or not generations


@pytest.mark.parametrize("name", FAMILIES)
def test_values_of_families(name: str) -> None:
    family = FAMILIES[name]
    serving = serving_module(family.template)
    for made in family.samples:
        # A call that is cut off cannot be read.
        assert assert_generation(family.module, made) or made["kind"] == "cut_off"
        assert assert_generation(serving, made)
        parsed = family.module.parse_response(
            made["text"], prefix=made["prefix"], tools=made["tools"], errors="collect"
        )
        assert_message(parsed.message, family.module)
    calls = get_type_hints(family.module.Message, vars(family.module)).get("tool_calls")
    assert calls is None or calls == list[family.module.ToolCall]


def field(transform: Any, **more: Any) -> dict[str, Any]:
    spec = {"open_pattern": r"<(?P<name>\w+)(?: (?P<id>\d+))?>", "close": ">", "transform": transform, **more}
    return {"start_anchor": "@", "fields": {"tool_calls": spec, "content": {}}}


def shape(hint: Any, names: dict[str, Any]) -> Any:
    """Return what a type says, with its objects written out."""
    if is_typeddict(hint):
        return {key: shape(item, names) for key, item in get_type_hints(hint, names).items()}
    if arguments := get_args(hint):
        return (getattr(hint, "__origin__", "union"), *(shape(each, names) for each in arguments))
    return hint


EXPECTED: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "captures": (field({"a": "{name}", "b": "{id}"}), {"a": str, "b": str}),
    "text of the body": (field({"a": "{content}"}), {"a": str}),
    "number of the body": (field({"a": "{content}"}, content="int"), {"a": int}),
    "pairs of the body": (field({"a": "{content}"}, content="kv-lines"), {"a": (dict, str, Any)}),
    "JSON is anything": (field({"a": "{content}", "b": "{content.x}"}, content="json"), {"a": Any, "b": Any}),
    "a part of a pair": (field({"a": "{content.x}"}, content="kv-lines"), {"a": Any}),
    "constants": (
        field({"a": "x", "b": True, "c": 1, "d": None, "e": 0.5, "f": "y" * 50}),
        {
            "a": (Literal, "x"),
            "b": (Literal, True),
            "c": int,
            "d": type(None),
            "e": float,
            "f": str,
        },
    ),
    "objects in objects": (field({"function": {"name": "{name}"}}), {"function": {"name": str}}),
    "lists": (
        field({"a": ["{name}", None], "b": [], "c": [{"d": "{name}"}, {"e": "{id}"}]}),
        {
            "a": (list, ("union", str, type(None))),
            "b": (list, Any),
            "c": (list, ("union", {"d": str}, {"e": str})),
        },
    ),
    # Arguments are cast to what tools declare.
    "arguments": (
        field({"function": {"name": "{name}", "arguments": {"a": "{id}"}}}),
        {"function": {"name": str, "arguments": (dict, str, Any)}},
    ),
    "a list of calls": (field([{"function": {"name": "{name}"}}]), (list, {"function": {"name": str}})),
    "each of JSON": (field({"a": "{name}"}, content="json", transform_each=True), (list, {"a": Any})),
    "each of a list of calls": (
        field(
            {"a": "{name}", "b": "{arguments}", "c": "{id}"}, content="python-call-list", transform_each=True
        ),
        (list, {"a": str, "b": (dict, str, Any), "c": Any}),
    ),
    "no object": (field("{name}"), str),
    "keys that are no names": (
        field({"a b": "{name}", "class": {"x-y": "{id}"}}),
        {"a b": str, "class": {"x-y": str}},
    ),
    "keys that types are written with": (
        field({"str": "{name}", "Literal": "x"}),
        {"str": str, "Literal": (Literal, "x")},
    ),
    "an empty key": (field({"": "{name}"}), (dict, str, Any)),
    "no keys": (field({}), (dict, str, Any)),
}  # fmt: skip


@pytest.mark.parametrize("case", EXPECTED)
def test_type_of_a_transform(case: str) -> None:
    template, expected = EXPECTED[case]
    module = compiled(template)
    names = vars(module)
    assert shape(get_type_hints(module.Message, names)["tool_calls"], names) == expected
    value = next(
        hint
        for close in (get_args(module.RegionClose) or (module.RegionClose,))
        if "tool_calls" in get_args((hints := get_type_hints(close, names))["field"])
        for hint in [hints["value"]]
    )
    assert shape(value, names) == expected


def test_arguments_are_cast_to_what_no_transform_says() -> None:
    template, _ = EXPECTED["arguments"]
    module = compiled(template)
    tool = {"name": "f", "parameters": {"properties": {"a": {"type": "integer"}}}}
    message = module.parse_response("<f 12>", prefix="", tools=[tool])
    assert message["tool_calls"]["function"]["arguments"] == {"a": 12}
    assert_message(message, module)


def test_an_empty_block_has_no_value_in_serving_events() -> None:
    spec = {"open": "<c>", "close": "</c>", "content": "json", "transform": {"name": "{content.name}"}}
    template = {"start_anchor": "@", "fields": {"tool_calls": spec}}
    module = respc.load(template, events="serving")
    parser = module.ResponseParser("")
    (closed,) = (event for event in parser.feed("<c></c>") if event["type"] == "region_close")
    assert closed["value"] is None
    assert is_of(closed, module.Event, vars(module))
    assert not is_of(closed, respc.load(template).Event, vars(module))


@pytest.mark.parametrize("standalone", [False, True])
@pytest.mark.parametrize(
    "name", ["message", "events", "fields", "state", "stream", "enum", "callable", "exception"]
)
def test_types_take_no_name_that_the_module_has(name: str, standalone: bool) -> None:
    template = field({"a": "{name}"})
    template["fields"][name] = {**template["fields"].pop("tool_calls"), "repeats": True}
    source = respc.compile_template(template, standalone=standalone, formatted=False).source
    module = module_of(source)
    message = module.parse_response("<f>x>", prefix="")
    assert message == {name: [{"a": "f"}]}
    assert_message(message, module)
    made = get_args(get_type_hints(module.Message, vars(module))[name])[0]
    assert made.__name__ == f"{class_name(singular(name))}Value"


def test_fields_with_one_name_have_types_of_their_own() -> None:
    spec = {"open": "<a>", "close": "</a>"}
    fields = {
        "calls": {**spec, "transform": {"a": "x"}},
        "call": {**spec, "open": "<b>", "transform": {"b": "{content}"}},
        "Call": {**spec, "open": "<c>", "transform": {"b": {"c": 1}}},
    }
    module = respc.load({"start_anchor": "@", "fields": fields})
    message = module.parse_response("<a>x</a><b>y</a><c>z</a>", prefix="")
    assert message == {"calls": {"a": "x"}, "call": {"b": "y"}, "Call": {"b": {"c": 1}}}
    assert_message(message, module)


def test_types_of_objects_are_bounded() -> None:
    transform = {f"k{number}": {"a": {"b": "{name}"}} for number in range(2_000)}
    source = respc.compile_template(field(transform), formatted=False).source
    assert source.count("(TypedDict)") < 100
    module = module_of(source)
    message = module.parse_response("<f>x>", prefix="")
    assert message["tool_calls"] == {key: {"a": {"b": "f"}} for key in transform}
    assert_message(message, module)


@pytest.mark.parametrize(
    ("key", "one"),
    [
        ("tool_calls", "ToolCall"),
        ("citations", "Citation"),
        ("queries", "Query"),
        ("addresses", "Address"),
        ("boxes", "Box"),
        ("status", "Status"),
        ("analysis", "Analysis"),
        ("class", "Class"),
        ("call", "Call"),
        ("toolCalls", "ToolCall"),
        ("as", "As"),
        ("2nd", "Field2nd"),
        ("字", "Field"),
    ],
)
def test_name_of_an_object(key: str, one: str) -> None:
    assert class_name(singular(key)) == one


class Pair(TypedDict, total=False):
    """An example of a message."""

    one: int
    all: list[str | None]


@pytest.mark.parametrize(
    ("value", "hint", "expected"),
    [
        (1, int, True),
        (True, int, False),
        (1, float, False),
        ("a", str | None, True),
        (None, str | None, True),
        (1, str | None, False),
        ({"one": 1, "all": ["a", None]}, Pair, True),
        ({"one": 1, "all": [1]}, Pair, False),
        ({"one": 1, "two": 2}, Pair, False),
        ({"a": 1}, dict[str, Any], True),
        ([{"a": 1}], list[dict[str, int]], True),
        ([{"a": "b"}], list[dict[str, int]], False),
        ("a", Literal["b"], False),
        (1, Literal[True], False),
    ],
)
def test_is_of(value: Any, hint: Any, expected: bool) -> None:
    assert is_of(value, hint, globals()) is expected
