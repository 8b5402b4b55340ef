from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.content_parsers import CONTENT_PARSERS

from respc_runtime.call_lists import parse_call_list
from support.outcomes import Raised, assert_same_outcome, outcome

NAMES = ["f", "get_weather", "a.b", "a-b.c", "_1", "True", "null", "f1-2"]
ODD_NAMES = ["1f", "a..b", "a-", "é", "", "f g"]
NUMBERS = [
    "0",
    "-0",
    "7",
    "-12",
    "1.5",
    "-0.0",
    "1e3",
    "2E-7",
    "9007199254740991",
    "-9007199254740991",
    "1.0e0",
]
ODD_NUMBERS = [
    "9007199254740992",
    "01",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e999",
    "--1",
    "1_0",
    "0x1",
    "NaN",
    "9" * 400,
]
CONSTANTS = ["True", "true", "False", "false", "None", "null"]
STRINGS = [
    '"a"',
    "'b'",
    '""',
    "'\"'",
    '"\\n\\t\\/\\\\\\\'\\""',
    '"\\u00e9\\ud83d\\ude00"',
    "'é😀\x0b'",
    "'\\b\\f\\r'",
    "'\\udbff\\udfff\\ud83d\\udc00'",
    "'it\\'s \\\\ \"all\" {a: [1]},'",
    '"\\\\n\\\\\\n\'"',
    '"\\n\\u0041\\t"',
]
ODD_STRINGS = [
    '"',
    "'a",
    '"\n"',
    "'\\x41'",
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\u12"',
    '"\\\n"',
    "'\ud800'",
    '"\\',
    "'\r'",
]
BLANKS = st.sampled_from(["", "", "", " ", "\n", "\t\r", "\x0b", "\xa0"])
ODD_CALLS = [
    "f(1)",
    "f",
    "f(a=1,)",
    "f(a=1 b=2)",
    "f(a=1, a=2)",
    "f(a:1)",
    "f(=1)",
    "f((a=1))",
    "()",
    "f(a=b)",
]


def mostly(usual: list[str], odd: list[str]) -> st.SearchStrategy[str]:
    return st.integers(0, 19).flatmap(lambda roll: st.sampled_from(usual if roll else odd))


@st.composite
def joined(draw: st.DrawFn, items: st.SearchStrategy[str], opening: str, closing: str) -> str:
    listed = draw(st.lists(items, max_size=3))
    blank = draw(BLANKS)
    separator = draw(mostly([",", ", ", " ,\n"], ["", ",,", ";"]))
    return f"{opening}{blank}{separator.join(listed)}{draw(BLANKS)}{closing}"


strings = mostly(STRINGS, ODD_STRINGS)
values = st.recursive(
    strings | mostly(NUMBERS, ODD_NUMBERS) | mostly(CONSTANTS, ["TRUE", "nil", "Nones", "True.x", ""]),
    lambda inner: joined(inner, "[", "]") | joined(st.builds("{}:{}".format, strings, inner), "{", "}"),
    max_leaves=6,
)
arguments = st.builds("{}{}={}{}".format, mostly(NAMES, ODD_NAMES), BLANKS, BLANKS, values)
calls = st.builds("{}{}".format, mostly(NAMES, ODD_NAMES), joined(arguments, "(", ")"))
call_lists = joined(calls | mostly(["f()"], ODD_CALLS), "[", "]")


def interpreted(body: Any) -> Any:
    return CONTENT_PARSERS["python-call-list"](body, {})


def agree(body: Any) -> Any:
    expected = outcome(interpreted, body)
    assert_same_outcome(expected, outcome(parse_call_list, body))
    return expected


@given(call_lists)
def test_grown_lists_are_the_interpreters(body: str):
    agree(body)


@given(st.tuples(call_lists, st.integers(0, 200), st.sampled_from("[](){},=:'\"\\u0e-. \ud800x")))
def test_damaged_lists_are_the_interpreters(damage: tuple[str, int, str]):
    body, place, character = damage
    for damaged in (
        body[:place] + character + body[place:],
        body[:place] + character + body[place + 1 :],
        body[:place] + body[place + 1 :],
        body[:place],
    ):
        agree(damaged)


@given(st.text(st.sampled_from("[](){}f=a,1'\": \\"), max_size=14).map(lambda text: f"[f({text})]"))
def test_short_texts_are_the_interpreters(body: str):
    agree(body)


def single(value: str) -> str:
    return f"[f(a={value})]"


@pytest.mark.parametrize(
    "literal", [*NUMBERS, *STRINGS, *CONSTANTS, "[ ]", "{ }", '{"a": [1, {}]}', '"\\uD83D\\uDE00"']
)
def test_literals_that_are_accepted(literal: str):
    assert not isinstance(agree(single(literal)), Raised)


@pytest.mark.parametrize(
    "literal",
    [
        *ODD_NUMBERS,
        *ODD_STRINGS,
        "f()",
        "[1,]",
        "{1: 2}",
        '{"a": 1, "a": 2}',
        "(1,)",
        "nil",
        "-",
        '"\\ud800\\u0041"',
    ],
)
def test_literals_that_are_refused(literal: str):
    assert agree(single(literal)) == Raised("ValueError")


@pytest.mark.parametrize("brackets", ["[]", ["{'a':", "}"]])
@pytest.mark.parametrize(("depth", "accepted"), [(100, True), (101, False)])
def test_the_limit_of_depth(brackets: str, depth: int, accepted: bool):
    opening, closing = brackets
    body = single(opening * depth + ("" if brackets == "[]" else "1") + closing * depth)
    assert isinstance(agree(body), Raised) is not accepted


@pytest.mark.parametrize("name", [*NAMES, *ODD_NAMES])
def test_names(name: str):
    accepted = not isinstance(agree(f"[{name}({name}=1)]"), Raised)
    assert accepted is (name in NAMES)


def test_a_list_of_two_calls():
    assert parse_call_list(' [f(), g.h(a = 1, b="x", c=[True, {"k": None}]) ]\n') == [
        {"name": "f", "arguments": {}},
        {"name": "g.h", "arguments": {"a": 1, "b": "x", "c": [True, {"k": None}]}},
    ]


@pytest.mark.parametrize(
    "body", ["", "[", "[]", " [ ] ", "[] x", "[f()", "[f(),]", "[,]", "f()", None, "[f ( a = 1 )]"]
)
def test_the_list_around(body: Any):
    agree(body)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("[f(1)]", "expected the name of an argument at character 3"),
        ("[f(a)]", r"expected '=' \(arguments are given by name\) at character 4"),
        ("[f(a=1, b=2, a=3)]", "second 'a' at character 13"),
        ("[f(a={'k': 1, 'k': 2})]", "second 'k' at character 14"),
        ("[f(a='abc)]", "string without an end at character 5"),
        ("[f(a='b\\x')]", "unknown escape at character 7"),
        ("[f(a='b\\ud800')]", "lone surrogate at character 7"),
        ("[f()] x", "unexpected text after the list at character 6"),
        ("[f(a=b)]", "expected a value at character 5"),
        ("[f(a={1:2})]", "expected a string as key at character 6"),
        ("[f(a=9007199254740993)]", r"integer beyond 2\*\*53 - 1 at character 5"),
        ("[f(a=1 b=2)]", r"expected ',' or '\)' at character 7"),
    ],
)
def test_messages_have_the_place(body: str, message: str):
    with pytest.raises(ValueError, match=f"^not a list of calls: {message} of the body$"):
        parse_call_list(body)
