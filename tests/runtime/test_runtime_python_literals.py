"""Objects and arrays written as Python writes them, as arguments in careful parsers."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respc_runtime.python_literals import LiteralReader
from runtime.test_runtime_careful_tools import assert_cast, assert_left_by_the_default, careful
from runtime.test_runtime_tools import call_with, interpreted_cast, tool_with
from support.outcomes import assert_same_outcome, outcome

LONG = 100_000


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        ("{'a': True}", "object", {"a": True}),
        ("['x', None]", "array", ["x", None]),
        (" \n{'a': {'b': [False, 1.5, -2]}}\t", "object", {"a": {"b": [False, 1.5, -2]}}),
        ("{\"a\": True, 'b': null,}", "object", {"a": True, "b": None}),
        ("[1, 2,]", "array", [1, 2]),
        ("{}", "object", {}),
        ("['it\\'s', \"it's\", '\\n\\x41\\U0001F600']", "array", ["it's", "it's", "\nA😀"]),
        (f"[{'9' * 30}, 1e5, None]", "array", [int("9" * 30), 1e5, None]),
    ],
)
def test_python_literals(text: str, kind: str, expected: Any):
    assert_cast(expected, text, {"type": [kind, "null"]})
    # The interpreter reads some of them: they are JSON.
    if outcome(interpreted_cast, call_with(text), tool_with({"type": kind})) == call_with(text):
        assert_left_by_the_default(text, {"type": kind})


@pytest.mark.parametrize(
    "text",
    [
        "['a'", "['a']]", "['a'] + ['b']", "[,]", "['a',,]", "{'a'}", "{'a': 1, 'a': 2}", "{1: 2}", "('a', 'b')", "[a]",
        "[print('x')]", "[__import__('os')]", "['a' 'b']", "[0x10]", "[1_000]", "[1j]", "[b'a']", "[inf, 'a']",
        "['\\U00110000']", "['\\xZZ']", "['\\ud800']", "['\ud800']", "[None" + ", 'a'" * 3, "{'a': 1e999}", "",
        "[" + "9" * 5000 + ", None]", "['a\nb']",
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["array", "object"])
def test_what_is_no_literal_stays_text(text: str, kind: str):
    assert_cast(text, text, {"type": kind})


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(JSON_VALUES, max_size=3) | st.dictionaries(st.text(max_size=4), JSON_VALUES, max_size=3))
def test_what_python_writes_is_read_back(value: Any):
    assert_same_outcome(value, LiteralReader(repr(value)).literal())


HOSTILE_TEXTS = [
    "[" * LONG,
    "[" * LONG + "]" * LONG,
    "{'a':" * LONG,
    "['a'," + "[" * 150 + "]" * 150 + "]",
    "['" + "\\'" * LONG,
    "['" + "\\x41" * LONG,
    "['" + "\\u0041" * LONG + "'",
    "[" + "'a'," * LONG,
    "[" + "None, " * LONG + "]]",
    "{" + "'a': 1, " * LONG + "}",
    "[None, " + "9" * LONG + "]",
    "'" * LONG,
    " " * LONG + "(",
    "[" + " " * LONG + "x",
]


@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: f"{text[:6]} {len(text)}")
def test_hostile_texts_stay_text_in_little_time(text: str):
    start = time.process_time()
    for schema in ({"type": "array"}, {"type": ["object", "array", "integer", "null"]}):
        assert careful(call_with(text), tool_with(schema)) == call_with(text)
        assert careful(call_with([text]), tool_with({"type": "array", "items": schema})) == call_with([text])
    assert time.process_time() - start < 4


def test_a_literal_may_be_long():
    value = [{"a": [True, None, "x"]}] * 20_000
    assert_cast(value, repr(value), {"type": "array"})
