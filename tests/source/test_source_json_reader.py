"""The JSON reader: the values of ``json.loads``, and what only this reader refuses."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from respc.source import MAX_DEPTH, JsonDocument, JsonError, SourceText, Span, read_json
from respc.source.json_reader import MAX_DUPLICATES

CHARACTERS = st.characters(codec=None)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**30, max_value=10**60),
    st.floats(),
    st.text(CHARACTERS, max_size=8),
    st.sampled_from(["\ud800", "\udc00\ud800", "\U0001f600", "/", "~", "\x00", "\u2028", "\ufeff"]),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.text(CHARACTERS, max_size=4), st.sampled_from("ab/~")), inner, max_size=4
        ),
    ),
    max_leaves=12,
)
BLANKS = st.text(" \t\r\n", max_size=3)
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^{}\[\],:"\s]+', re.DOTALL)
INSERTED = [
    *"{}[],:\"\\/'",
    "0",
    "1",
    ".",
    "-",
    "+",
    "e",
    "E",
    "u",
    "\\u12",
    "NaN",
    "-Infinity",
    "true",
    "nul",
]
INSERTED += [
    "\x00",
    "\x1f",
    "\x7f",
    "\n",
    "\r",
    "\t",
    " ",
    "\xa0",
    "\u2028",
    "\ufeff",
    "٣",
    '"a":1,',
    "\\ud83d",
    "//",
]

TRAILING = "a trailing comma, which JSON does not have"
COMMENT = "a comment, which JSON does not have"


@st.composite
def json_texts(draw: st.DrawFn) -> str:
    dumped = json.dumps(draw(VALUES), ensure_ascii=draw(st.booleans()))
    return "".join(draw(BLANKS) + token + draw(BLANKS) for token in TOKEN.findall(dumped))


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    text = draw(json_texts())
    for _ in range(draw(st.integers(1, 3))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(start + 3, len(text))))
        text = text[:start] + draw(st.sampled_from(["", *INSERTED])) + text[end:]
    return text


def read(text: str) -> JsonDocument:
    return read_json(SourceText("t.json", text))


def described(value: Any) -> Any:
    """A value that compares equal only to one of the same types, bits and order of keys."""
    if isinstance(value, dict):
        return ("dict", [(key, described(member)) for key, member in value.items()])
    if isinstance(value, list):
        return ("list", [described(element) for element in value])
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else value.hex())
    return (type(value).__name__, value)


def outcome_of_loads(text: str) -> Any:
    try:
        return described(json.loads(text))
    except ValueError:
        return "refused"


def outcome_of_reader(text: str) -> Any:
    try:
        return described(read(text).value)
    except JsonError:
        return "refused"


@settings(deadline=None)
@given(json_texts())
def test_a_document_gives_the_value_that_json_gives(text: str) -> None:
    assert described(read(text).value) == described(json.loads(text))


@settings(deadline=None)
@given(mutated_texts())
def test_a_damaged_document_is_taken_or_refused_as_json_does(text: str) -> None:
    assert outcome_of_reader(text) == outcome_of_loads(text)


@settings(deadline=None)
@given(mutated_texts())
def test_a_refusal_has_a_place_on_one_line_of_the_text(text: str) -> None:
    source = SourceText("t.json", text)
    try:
        read_json(source)
    except JsonError as error:
        span = error.span
        assert span.line == span.end_line
        assert 1 <= span.column <= span.end_column
        assert span.column <= len(source.line(span.line)) + 1


@pytest.mark.parametrize(
    "text",
    [
        *["", " ", "-", "01", "1.", ".5", "1e", "1e+", "+1", "0x1", "--1", "1_0", "NaN", "-NaN", "Infinity"],
        *["-Infinity", "1e999", "-0", "-0.0", "1E5", "9" * 400, "9" * 5000, "nan", "True", "nulll", "[1 2]"],
        *["[1,]", "[,1]", '{"a":1,}', "{,}", "{a:1}", '{"a"}', '{"a":}', '{"a":1 "b":2}', "{1:2}", "]", "}"],
        *[
            '"',
            '"\\',
            '"\\"',
            '"\\u',
            '"\\u12',
            '"\\u12g4"',
            '"\\x"',
            '"\n"',
            '"\t"',
            '"\x7f"',
            '"\\ud83d\\ude00"',
        ],
        *[
            '"\\ud83d\\u0041"',
            '"\ud83d\\ude00"',
            "\ufeff1",
            "1\ufeff",
            "\x0c1",
            "1\xa0",
            "[1]\x00",
            "'a'",
            "1 1",
        ],
        *['{"a":1,"b":2,"a":{"c":3}}', "[" * 64 + "]" * 64, "[", "[1", '{"a":1', "[1}", '{"a":[}', "// x\n1"],
    ],
)
def test_corners_agree_with_json(text: str) -> None:
    assert outcome_of_reader(text) == outcome_of_loads(text)


@pytest.mark.parametrize(
    ("text", "message", "span", "hint"),
    [
        ("", "the document is empty", Span(1, 1, 1, 1), None),
        (" \n ", "the document is empty", Span(2, 2, 2, 2), None),
        ('{\n  "a": 1,\n}', f"{TRAILING}: `}}` follows", Span(2, 9, 2, 10), "take it out"),
        ("[1, ]", f"{TRAILING}: `]` follows", Span(1, 3, 1, 4), "take it out"),
        ('{"a": 1, /* b\n*/ }', COMMENT, Span(1, 10, 1, 14), "take it out"),
        ('{"a" # x\n: 1}', COMMENT, Span(1, 6, 1, 9), "take it out"),
        ('{"a" 1}', "expected `:` after the key, found `1`", Span(1, 6, 1, 7), None),
        ("{a: 1}", "expected a key or `}`, found `a`", Span(1, 2, 1, 3), "double quotes"),
        ("{", "expected a key or `}`, found the end of the document", Span(1, 2, 1, 2), None),
        ("[1 2]", "expected `,` or `]`, found `2`", Span(1, 4, 1, 5), None),
        ("[01]", "expected `,` or `]`, found `1`", Span(1, 3, 1, 4), "leading zeros"),
        ("[1.]", "expected `,` or `]`, found `.`", Span(1, 3, 1, 4), "after its point"),
        ("[True]", "expected a value, found `True`", Span(1, 2, 1, 6), "`true`"),
        ("['a']", "expected a value, found `'`", Span(1, 2, 1, 3), "double quotes"),
        ("// x", COMMENT, Span(1, 1, 1, 5), "take it out"),
        ("[1]\n\n x", "expected the end of the document, found `x`", Span(3, 2, 3, 3), None),
        ('["ab', "the string that starts here is never closed", Span(1, 2, 1, 3), None),
        ('["ab\ncd"]', "line break inside a string", Span(1, 5, 1, 6), "`\\n`"),
        ('["a\\d"]', "no such escape in JSON: `\\d`", Span(1, 4, 1, 6), "two of them"),
        ('["\\u12G4"]', "no such escape in JSON: `\\u12G4`", Span(1, 3, 1, 9), "two of them"),
        ('"\\u12\n"', "no such escape in JSON: `\\u12`", Span(1, 2, 1, 6), "two of them"),
        ('["\x01"]', "control character U+0001 inside a string", Span(1, 3, 1, 4), "`\\u0001`"),
    ],
)
def test_refusals_say_what_was_expected_and_where(
    text: str, message: str, span: Span, hint: str | None
) -> None:
    with pytest.raises(JsonError) as caught:
        read(text)
    assert caught.value.slug == "invalid-json"
    assert caught.value.message == message
    assert caught.value.span == span
    if hint is not None:
        assert hint in (caught.value.hint or "")


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"b":'])
def test_nesting_is_refused_past_the_limit_and_never_by_recursion(opening: str) -> None:
    with pytest.raises(JsonError, match=f"nested {MAX_DEPTH} deep") as caught:
        read(opening * 100_000)
    assert caught.value.slug == "nesting-too-deep"


def test_nesting_at_the_limit_is_read_and_one_deeper_is_not() -> None:
    deepest = "[" * MAX_DEPTH + "]" * MAX_DEPTH
    assert read(deepest).value == json.loads(deepest)
    with pytest.raises(JsonError) as caught:
        read(f"[{deepest}]")
    assert caught.value.span == Span(1, MAX_DEPTH + 1, 1, MAX_DEPTH + 2)


def test_an_integer_too_long_for_python_is_refused_with_its_place() -> None:
    with pytest.raises(JsonError) as caught:
        read("[1, -" + "9" * 100_000 + "]")
    assert caught.value.slug == "integer-too-long"
    assert caught.value.span == Span(1, 5, 1, 5 + 100_001)


def test_a_later_duplicate_key_is_recorded_with_its_pointer_and_place() -> None:
    document = read('{"a": [{"x": 1,\n"x": {"y": 2}}], "b": 3, "\\u0061": 4}')
    assert document.duplicates == (("/a/0/x", Span(2, 1, 2, 4)), ("/a", Span(2, 26, 2, 34)))
    assert document.value == {"a": 4, "b": 3}
    assert list(document.places) == ["", "/a", "/b"]


def test_not_more_than_so_many_duplicates_are_recorded() -> None:
    document = read("{" + ",".join(['"k": 1'] * (MAX_DUPLICATES + 50)) + "}")
    assert len(document.duplicates) == MAX_DUPLICATES
