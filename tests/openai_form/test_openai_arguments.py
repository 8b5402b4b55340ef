"""Arguments that go out while their call is open add up to those of the message, for every way of cutting the text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openai_form.completions_of_tests import CALL, TEMPLATE, argument_values, run, serving_parser, with_field
from respc_runtime.argument_text import JsonWalker
from respc_runtime.call_deltas import CallNumbers, CallRegion, call_head
from respc_runtime.openai import ChatCompletionParser
from respc_runtime.tools import prepare_tools
from support.chunking import characters, random_cuts, single_cuts
from support.strictness import first_difference

if TYPE_CHECKING:
    from random import Random

    from respc_runtime.forms import CallForm

TOOLS = [
    {
        "name": "f",
        "parameters": {
            "properties": {
                "whole": {"type": "integer"},
                "part": {"anyOf": [{"type": "number"}, {"type": "null"}]},
                "flag": {"type": ["boolean", "string"]},
                "text": {"type": "string"},
                "rows": {"type": "array"},
                "options": {"type": "object"},
            }
        },
    }
]
# Types that only careful parsers read.
CAREFUL_TOOLS = [
    {
        "name": "f",
        "parameters": {
            "$defs": {"Whole": {"type": "int"}, "Rows": {"type": "list", "items": {"$ref": "#/$defs/Whole"}}},
            "properties": {
                "whole": {"$ref": "#/$defs/Whole"},
                "part": {"allOf": [{"type": "float"}], "nullable": True},
                "flag": {"type": "bool"},
                "text": {"type": "str"},
                "rows": {"anyOf": [{"$ref": "#/$defs/Rows"}, {"type": "null"}]},
                "options": {"type": "dict"},
                "other": {"type": "array"},
                "name": {"type": "array", "items": {"type": ["object", "null"]}},
            },
        },
    }
]
BODY_IS_ARGUMENTS = {
    "open_pattern": r"<call (?P<name>\w+)>",
    "open": None,
    "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
}
LIST_OF_CALLS = {
    "transform_each": True,
    "repeats": None,
    "transform": {
        "type": "function",
        "id": "{id}",
        "function": {"name": "{name}", "arguments": "{arguments}"},
    },
}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def pieces(text: str, **options: Any) -> list[str]:
    """Give what goes out for each character, as text: the name in brackets, then arguments."""
    parser = ChatCompletionParser(serving_parser(TEMPLATE), "", stream_arguments=True, **options)
    found: list[str] = []
    for character in text:
        for delta in parser.feed(character):
            function = delta["tool_calls"][0]["function"]
            found.append(f"[{function['name']}]" if "name" in function else function["arguments"])
    return found


def test_arguments_go_out_as_they_are_written() -> None:
    body = '{"name": "f", "arguments": {"a": [1, "x"]}}'
    assert pieces(f"<call>{body}") == ["[f]", *'{"a": [1, "x"]}']


def test_arguments_wait_for_the_name() -> None:
    assert pieces('<call>{"arguments": {"a": 1}, "name": "f"') == ["[f]", '{"a": 1}']


def test_a_key_may_be_written_with_escapes() -> None:
    assert pieces('<call>{"\\u006eame": "f\\u00e9", "arguments": {}') == ["[fé]", "{", "}"]


def test_keys_further_in_are_no_parts_of_the_call() -> None:
    text = '<call>{"x": {"name": "no", "arguments": {"b": 2}}, "name": "f", "y": [{"name": 1}], "arguments": {"c": 3}'
    assert "".join(pieces(text)) == '[f]{"c": 3}'


def test_an_argument_that_is_cast_waits_until_it_is_whole() -> None:
    text = '<call>{"name": "f", "arguments": {"text": "a", "whole": "12", "flag": true, "part": "no"}'
    found = pieces(text, tools=TOOLS)
    assert "".join(found) == '[f]{"text": "a", "whole": 12, "flag": true, "part": "no"}'
    assert "12" in found
    assert '"no"' in found
    assert "a" in found


def test_careful_casts_wait_too_and_other_lists_do_not() -> None:
    written = (
        '{"rows": ["1", "x"], "options": "{\'a\': True}", "other": ["1", "2"], "part": "None", "name": ["None"], '
        '"whole": "7"}'
    )
    expected = (
        '{"rows": [1, "x"], "options": {"a": true}, "other": ["1", "2"], "part": null, "name": [null], '
        '"whole": 7}'
    )
    for tools in (CAREFUL_TOOLS, prepare_tools(CAREFUL_TOOLS)):
        found = pieces(f'<call>{{"name": "f", "arguments": {written}', tools=tools)
        assert "".join(found) == f"[f]{expected}"
        assert {'[1, "x"]', '{"a": true}', "null", "[null]"} <= set(found)
        assert '["1", "2"]' not in found


def test_an_instance_casts_by_its_own_tools() -> None:
    text = '<call>{"name": "f", "arguments": {"whole": "7"}}</call>'
    parser = ChatCompletionParser(serving_parser(TEMPLATE)("", tools=CAREFUL_TOOLS), stream_arguments=True)
    deltas = [delta for character in text for delta in parser.feed(character)]
    assert "".join(delta["tool_calls"][0]["function"]["arguments"] for delta in deltas) == '{"whole": 7}'
    parser.finalize(stopped=True)
    assert parser.unread == []


ODD_BODIES = [
    '{"name": "f", "arguments": {"a": NaN, "b": -Infinity, "c": 1e400}}',
    '{"name": "f", "arguments": {"a": 1, "a": "2", "whole": "1", "whole": "2"}}',
    '{"name": "f", "arguments": "{\\"a\\": 1}"}',
    '{"name": "f", "arguments": "text"}',
    '{"name": "f", "arguments": [1, {"a": 2}]}',
    '{"name": "f", "arguments": 12}',
    '{"name": "f", "arguments": null}',
    '{"arguments": {"whole": "7"}, "name": "f"}',
    ' \n{ "name" : "f" ,\t"arguments" :\r\n { "a" : [ ] , "b" : { } } }\n ',
    '{"name": "f", "arguments": {}}',
    '{"name": "f", "arguments": {"whole": ["1", 2, "x"], "rows": "[1, 2]", "options": "{\\"a\\": 1}", "rows": ["1"]}}',
    '{"name": "f", "arguments": {"whole": {"whole": "1"}, "text": "1", "unknown": "1"}}',
    '{"name": "f", "arguments": {"a\\"\\\\": "\\\\", "b": "\\"}{][,:", "\\u0061": "\\ud83d\\ude00é😀"}}',
    '{"name": "f", "arguments": {"whole": "' + "9" * 5000 + '"}}',
    '{"name": "\\"}{", "arguments": {"a": 1}}',
    '{"name": "g", "arguments": {"whole": "7"}}',
    '{"name": "f", "arguments": {"rows": ["1", null, ["2"]], "rows": "[\'1\']", "name": [{}, "{\'a\': None}"]}}',
    '{"name": "f", "arguments": {"options": "'
    + "{'a':" * 200
    + '", "rows": "'
    + "[" * 200
    + '", "part": "None"}}',
]


@pytest.mark.parametrize("body", ODD_BODIES)
@pytest.mark.parametrize("tools", [None, TOOLS, CAREFUL_TOOLS, prepare_tools(CAREFUL_TOOLS)])
def test_odd_bodies(body: str, tools: Any) -> None:
    text = f"<call>{body}</call>"
    expected = serving_parser(TEMPLATE)("", tools=tools).finish(text)["tool_calls"][0]["function"][
        "arguments"
    ]
    if expected is None:
        expected = {}
    elif isinstance(expected, str) and expected.startswith("{"):
        expected = json.loads(expected)
    cuts = (
        [characters(text), [text]]
        if len(text) > 2000
        else [characters(text), *(c for _, c in single_cuts(text))]
    )
    for chunks in cuts:
        parser, _ = run(TEMPLATE, chunks, tools=tools, stream_arguments=True)
        assert parser.unread == []
        assert parser.message is not None
        assert first_difference([expected], argument_values(parser.message)) is None


@pytest.mark.parametrize(
    "body",
    [
        '{"name": "f", "arguments": {"a": 1}, "arguments": {"a": 2}}',
        '{"name": "f", "arguments": {"a": 1}, "arguments": null}',
        '{"name": "f", "arguments": {"a": 1}, "name": "g"}',
        '{"name": "f", "arguments": {"a": 1}, "name": 5}',
    ],
)
def test_a_call_that_changes_after_it_went_out_is_unread(body: str) -> None:
    parser, _ = run(TEMPLATE, characters(f"<call>{body}</call>"), stream_arguments=True)
    assert parser.finish_reason == "stop"
    assert [region.indexes for region in parser.unread] == [(0,)]
    assert parser.message == {"role": "assistant", "content": None}


def test_the_same_twice_is_no_change() -> None:
    body = '{"name": "f", "arguments": {"a": 1}, "name": "f", "arguments": {"a": 1}}'
    parser, _ = run(TEMPLATE, characters(f"<call>{body}</call>"), stream_arguments=True)
    assert parser.finish_reason == "tool_calls"


@pytest.mark.parametrize("cut", ['{"name": "f", "arg', '{"name": "f", "arguments": {"whole": "1', '{"na'])
def test_a_call_that_breaks_off_is_unread(cut: str) -> None:
    for closer in ("", "</call>"):
        parser, _ = run(TEMPLATE, characters(f"<call>{cut}{closer}"), stream_arguments=True, tools=TOOLS)
        assert parser.finish_reason == "stop"
        assert [region.text for region in parser.unread] == [f"<call>{cut}{closer}"]


def test_no_depth_is_too_deep_for_the_walk() -> None:
    walker = JsonWalker(1)
    walker.walk("[" * 200_000 + "]" * 200_000)
    assert walker.keys == []
    body = '{"name": "f", "arguments": {"a": ' + "[" * 200_000 + "}</call>"
    parser, _ = run(TEMPLATE, [f"<call>{body}"], stream_arguments=True, tools=TOOLS)
    assert len(parser.unread) == 1


class Paths(JsonWalker):
    """Notes the places of strings, objects and lists."""

    def __init__(self) -> None:
        super().__init__(9)
        self.begun: list[tuple[tuple[str | None, ...], str]] = []
        self.ended: list[tuple[str | None, ...]] = []

    def begin(self, first: str) -> None:
        self.begun.append((tuple(self.keys), first))

    def end(self) -> None:
        self.ended.append(tuple(self.keys))


def places_in(value: Any, path: tuple[str | None, ...] = ()) -> list[tuple[tuple[str | None, ...], str]]:
    """Give the places that a walk over the value meets."""
    if isinstance(value, dict):
        inner = [place for key, each in value.items() for place in places_in(each, (*path, key))]
        return [(path, "{"), *inner]
    if isinstance(value, list):
        return [(path, "["), *(place for each in value for place in places_in(each, (*path, None)))]
    return [(path, '"')] if isinstance(value, str) else []


@settings(max_examples=150, deadline=None)
@given(JSON, st.randoms(), st.sampled_from([None, 1]))
def test_the_walk_meets_each_value_at_its_place(value: Any, random: Random, indent: int | None) -> None:
    walker = Paths()
    for chunk in random_cuts(json.dumps(value, indent=indent, ensure_ascii=False), random):
        walker.walk(chunk)
    assert walker.begun == places_in(value)
    assert sorted(walker.ended, key=repr) == sorted((path for path, _ in walker.begun), key=repr)
    assert walker.keys == []


def test_a_value_without_the_call_that_went_out_is_a_fault() -> None:
    form: CallForm = {"name": ("captures", "name"), "id": None, "arguments": None, "each": False}
    region = CallRegion(
        form, {"name": "f"}, stream_arguments=False, tools={}, numbers=CallNumbers(lambda: "made")
    )
    assert region.take("") == [call_head(0, "made", "f", "")]
    deltas, whole, fault = region.close([])
    assert (deltas, whole) == ([], [])
    assert fault is not None


def test_a_schema_that_cannot_be_read_fails_the_call_alone() -> None:
    tools = [{"name": "f", "parameters": {"properties": {"a": {"anyOf": 5}}}}]
    text = '<call>{"name": "f", "arguments": {"a": "1"}}</call>after'
    parser, _ = run(TEMPLATE, characters(text), stream_arguments=True, tools=tools)
    assert [region.indexes for region in parser.unread] == [(0,)]
    assert parser.message == {"role": "assistant", "content": "after"}


def test_a_format_whose_arguments_are_no_json_sends_them_whole() -> None:
    template = with_field("tool_calls", **BODY_IS_ARGUMENTS, content_args={"unquoted_keys": True})
    _, deltas = run(template, characters("<call f>{a: 1}</call>"), stream_arguments=True)
    assert [delta["tool_calls"][0]["function"] for delta in deltas[1:]] == [
        {"name": "f", "arguments": ""},
        {"arguments": '{"a": 1}'},
    ]


KEYS = st.sampled_from(["whole", "part", "flag", "text", "rows", "options", "other", "name", 'é"\\'])
TEXTS = st.text(max_size=6) | st.sampled_from(
    ["1", "2.0", "true", "null", "[1]", '{"a": 1}', "NaN", "", "['1', None]", "{'a': True}"]
)
ARGUMENTS = st.dictionaries(KEYS, TEXTS | st.lists(TEXTS, max_size=2) | JSON, max_size=5) | JSON
NAMES = st.sampled_from(["f", "g", "é", '"']) | st.text(min_size=1, max_size=4)


@st.composite
def calls(draw: st.DrawFn, *, with_id: bool = False) -> str:
    """Write a call with its keys in any order, among others, in any layout."""
    items: list[tuple[str, Any]] = [("name", draw(NAMES)), ("arguments", draw(ARGUMENTS))]
    if with_id:
        items.append(("id", draw(st.text(max_size=3) | st.integers())))
    if draw(st.booleans()):
        items.append((draw(st.sampled_from(["x", "function", ""])), draw(JSON)))
    if draw(st.integers(0, 4)) == 0:
        items.append(draw(st.sampled_from(items)))
    indent, ascii_only = draw(st.sampled_from([None, 1])), draw(st.booleans())
    written = [
        f"{json.dumps(key)}: {json.dumps(value, indent=indent, ensure_ascii=ascii_only)}"
        for key, value in draw(st.permutations(items))
    ]
    blank = draw(st.sampled_from(["", " ", "\n\t"]))
    return f"{{{blank}{(',' + blank).join(written)}{blank}}}"


def check_arguments(template: dict[str, Any], text: str, random: Random, tools: Any) -> None:
    """Compare what streams with what comes whole, and with the parser's own message."""
    whole, _ = run(template, [text], tools=tools)
    assert whole.message is not None
    for chunks in (characters(text), random_cuts(text, random)):
        parser, _ = run(template, chunks, tools=tools, stream_arguments=True)
        assert [str(each.error) for each in parser.unread] == [str(each.error) for each in whole.unread]
        assert parser.finish_reason == whole.finish_reason
        assert parser.message is not None
        assert first_difference(argument_values(whole.message), argument_values(parser.message)) is None
        names = [call["function"]["name"] for call in parser.message.get("tool_calls", [])]
        assert names == [call["function"]["name"] for call in whole.message.get("tool_calls", [])]


def is_clear(text: str) -> bool:
    return "<" not in text


@settings(max_examples=150, deadline=None)
@given(calls().filter(is_clear), st.randoms(), st.sampled_from([None, TOOLS, CAREFUL_TOOLS]))
def test_any_call(body: str, random: Random, tools: Any) -> None:
    check_arguments(TEMPLATE, f"<call>{body}</call>", random, tools)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(calls(with_id=True).filter(is_clear), max_size=3),
    st.randoms(),
    st.sampled_from([None, TOOLS, CAREFUL_TOOLS]),
)
def test_any_list_of_calls(bodies: list[str], random: Random, tools: Any) -> None:
    template = with_field("tool_calls", **LIST_OF_CALLS)
    check_arguments(template, f"<call>[{', '.join(bodies)}]</call>", random, tools)


@settings(max_examples=100, deadline=None)
@given(ARGUMENTS, st.randoms(), st.sampled_from([None, TOOLS, CAREFUL_TOOLS]))
def test_any_body_of_arguments(arguments: Any, random: Random, tools: Any) -> None:
    text = json.dumps(arguments, ensure_ascii=False)
    if is_clear(text):
        template = with_field("tool_calls", **BODY_IS_ARGUMENTS)
        check_arguments(template, f"<call f>{text}</call>", random, tools)


@settings(max_examples=150, deadline=None)
@given(st.text('{}[]":,\\ aname1', max_size=30), st.randoms())
def test_any_text_as_a_body(body: str, random: Random) -> None:
    for template, opener in (
        (TEMPLATE, "<call>"),
        (with_field("tool_calls", **BODY_IS_ARGUMENTS), "<call f>"),
    ):
        check_arguments(template, f"{opener}{body}</call>", random, TOOLS)


def test_the_call_of_the_template_is_what_the_tests_think() -> None:
    assert TEMPLATE["fields"]["tool_calls"]["transform"] == CALL
    assert serving_parser(TEMPLATE).calls["tool_calls"]["arguments"] == ("content", "arguments")
    assert serving_parser(with_field("tool_calls", **LIST_OF_CALLS)).calls["tool_calls"]["each"] is True
