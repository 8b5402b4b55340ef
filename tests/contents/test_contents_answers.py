"""What a content parser answers about itself, held against what the interpreter's does with bodies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.content_parsers import CONTENT_PARSERS as INTERPRETED

from respc.contents import CONTENT_PARSERS, ContentParser, parser_of
from respc.contents.arguments import Flag, PlainArgument, ValueParser
from respc.contents.model import CALL_KEYS, Calls, Wanted
from respc.frontend.lowering import read_content
from respc.ir import Content, Fault, Origin

PLACE = Origin("/fields/x/content_args")
TAGS = r"<p=(?P<key>\w+)>(?P<value>.*?)</p>"
ARGUMENTS: list[tuple[str, dict[str, Any]]] = [
    *((name, dict(next(iter(parser.examples), {}))) for name, parser in CONTENT_PARSERS.items()),
    *((name, {"strip": False}) for name in ("text", "int", "float", "bool")),
    ("json", {"unquoted_keys": True}),
    ("json", {"string_delims": [["<|", "|>"]]}),
    ("json", {"allow_non_json": True}),
    ("json", {"allow_non_json": True, "strip": False}),
    ("kv-lines", {"line_sep": ";", "kv_sep": "="}),
    ("kv-lines", {"value_parser": {"name": "json"}}),
    ("kv-lines", {"value_parser": {"name": "int"}}),
    ("kv-lines", {"value_parser": {"name": "kv-lines", "args": {"kv_sep": "="}}}),
    ("xml-inline", {"tag_pattern": TAGS}),
    ("xml-inline", {"tag_pattern": TAGS, "value_parser": {"name": "kv-lines"}, "merge_duplicates": True}),
    ("xml-inline", {"tag_pattern": r"<p=(?P<key>\w+)>(?P<value>[^<]*)</p>"}),
    ("xml-inline", {"tag_pattern": r"<p=(?P<key>\w+)>"}),
]
CASES = pytest.mark.parametrize(("name", "arguments"), ARGUMENTS)
PARSERS = pytest.mark.parametrize("parser", CONTENT_PARSERS.values(), ids=list(CONTENT_PARSERS))
WANTED = Wanted("Two boats.", {"city": "Bergen", "days": 3}, {"name": "f", "arguments": {"a": [1]}})


def content_of(name: str, arguments: object) -> Content:
    content = read_content(name, arguments, PLACE)
    assert isinstance(content, Content)
    return content


def example_of(content: Content, wanted: Wanted) -> str:
    return parser_of(content).write_example(content.arguments, wanted, example_of)


def texts_in(value: object) -> list[str]:
    """List the strings in a value, at any depth."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in texts_in(part)]


@PARSERS
def test_each_has_a_file_of_its_name(parser: ContentParser[Any]) -> None:
    assert type(parser).__module__ == f"respc.contents.{parser.name.replace('-', '_')}"


@PARSERS
def test_a_default_changes_nothing_and_another_value_does(parser: ContentParser[Any]) -> None:
    plain = dict(next(iter(parser.examples), {}))
    known = content_of(parser.name, plain)
    for argument in parser.takes:
        match argument:
            case Flag(name, _, default):
                assert content_of(parser.name, {**plain, name: default}) == known
                assert content_of(parser.name, {**plain, name: not default}) != known
            case PlainArgument(name, _, _, annotations):
                if "default" in annotations:
                    assert content_of(parser.name, {**plain, name: annotations["default"]}) == known
                assert content_of(parser.name, {**plain, name: True}) != known
            case ValueParser(name):
                inner = content_of(parser.name, {**plain, name: {"name": "int"}})
                value = parser.value_content(inner.arguments)
                assert value is not None
                assert value.parser == "int"


@CASES
def test_the_interpreter_reads_the_example(name: str, arguments: dict[str, Any]) -> None:
    body = example_of(content_of(name, arguments), WANTED)
    value = INTERPRETED[name](body, arguments)
    if name == "text":
        assert value == WANTED.prose
    elif name == "json":
        assert value == WANTED.value
    elif CONTENT_PARSERS[name].result.startswith("dict"):
        assert list(value) == list(WANTED.pairs)


@CASES
@given(body=st.one_of(st.text(), st.sampled_from(["", "1", " true ", "{}", "x:1", "[", "<p=a></p>"])))
def test_what_cannot_fail_reads_every_body(name: str, arguments: dict[str, Any], body: str) -> None:
    if not CONTENT_PARSERS[name].can_fail(content_of(name, arguments).arguments):
        INTERPRETED[name](body, arguments)


@CASES
@pytest.mark.parametrize("body", ['{"a": 1}', " 2 ", "[]\n", "x", "{a: 1}", "<|x|>", "'x'", "", " x "])
def test_a_body_that_is_its_own_json_or_text_is_read_as_that(
    name: str, arguments: dict[str, Any], body: str
) -> None:
    parser = CONTENT_PARSERS[name]
    known = content_of(name, arguments).arguments
    if parser.is_json(known):
        try:
            expected = json.loads(body)
        except ValueError:
            with pytest.raises(ValueError, match="Expecting"):
                INTERPRETED[name](body, arguments)
        else:
            assert INTERPRETED[name](body, arguments) == expected
    trims = parser.trims_text(known)
    if trims is not None:
        assert INTERPRETED[name](body, arguments) == (body.strip() if trims else body)


def test_only_plain_json_and_text_are() -> None:
    json_like = [case for case in ARGUMENTS if CONTENT_PARSERS[case[0]].is_json(content_of(*case).arguments)]
    trims = {
        (name, arguments.get("strip", True)): answer
        for name, arguments in ARGUMENTS
        if (answer := CONTENT_PARSERS[name].trims_text(content_of(name, arguments).arguments)) is not None
    }
    assert json_like == [("json", {})]
    assert trims == {("text", True): True, ("text", False): False}


def parts_read(name: str, body: str, arguments: dict[str, Any]) -> list[str]:
    """List the strings inside the value of a body; none where it cannot be read, or is one string."""
    try:
        value = INTERPRETED[name](body, arguments)
    except ValueError:
        return []
    return [] if isinstance(value, str) else texts_in(value)


@CASES
@pytest.mark.parametrize("text", ["</x>", 'a"b', "\n", ";", "]", "</p>", "<", "ö"])
def test_what_can_hide_in_a_body_reaches_the_value(name: str, arguments: dict[str, Any], text: str) -> None:
    content = content_of(name, arguments)
    inside = f"a{text}a"
    example = example_of(content, Wanted("", {"city": inside}, {"city": inside}))
    bodies = [example, inside, f"city:{inside}", f'{{"a": "{inside}"}}', f'[f(a="{inside}")]']
    hidden = any(
        inside in body and text in part for body in bodies for part in parts_read(name, body, arguments)
    )
    can_hide = parser_of(content).can_hide(content.arguments, text)
    # What a value parser makes of the text is not asked.
    assert can_hide == hidden or (
        can_hide and parser_of(content).value_content(content.arguments) is not None
    )


@CASES
def test_patterns_are_among_the_arguments(name: str, arguments: dict[str, Any]) -> None:
    content = content_of(name, arguments)
    found = parser_of(content).patterns(content.arguments)
    assert [(pattern.argument, pattern.pattern) for pattern in found] == [
        (key, value) for key, value in arguments.items() if key.endswith("pattern")
    ]
    assert all(pattern.argument in {each.name for each in parser_of(content).takes} for pattern in found)


@PARSERS
def test_a_list_of_calls_has_their_keys(parser: ContentParser[Any]) -> None:
    if parser.calls is Calls.LIST:
        content = content_of(parser.name, {})
        assert [tuple(call) for call in INTERPRETED[parser.name](example_of(content, WANTED), {})] == [
            CALL_KEYS
        ]


@PARSERS
def test_arguments_that_cannot_work_have_answers_too(parser: ContentParser[Any]) -> None:
    content = content_of(parser.name, ["no object"])
    if isinstance(content.arguments, Fault):
        assert parser.can_fail(content.arguments)
    assert parser.value_content(content.arguments) is None
    assert parser.patterns(content.arguments) == ()
    assert parser.trims_text(content.arguments) is None
    assert not parser.is_json(content.arguments)
    assert isinstance(parser.can_hide(content.arguments, "x"), bool)
    assert example_of(content, WANTED)
