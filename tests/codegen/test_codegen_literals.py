"""Every value that JSON can hold, and tuples of them, survive being written as Python source."""

from __future__ import annotations

import ast
import math
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from respc.codegen.literals import literal
from support.strictness import first_difference

# Hypothesis leaves surrogates out of its texts unless told otherwise.
ANY_TEXT = st.text(st.characters())
NUMBERS = st.integers() | st.floats()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | ANY_TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(ANY_TEXT, inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
    ),
    max_leaves=20,
)

EDGES: list[Any] = [
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    sys.float_info.min,
    5e-324,
    1e308,
    10**4000,
    10**4000 - 1,
    -(10**4000),
    10**4299,
    -(10**4300 - 1),
    2**100_000,
    True,
    1,
    1.0,
    (),
    (1,),
    ((),),
    [],
    {},
    "",
    "\ud800",
    "\udfff\ud800",
    "\ud83d\ude00",
    "'",
    '"',
    "'\"",
    "\\",
    '\\"',
    "\\'\"",
    "a\\",
    '"""',
    "'''",
    "\x00",
    "\r\n\t\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029",
    "\u202eevil\u2066",
    "{{ x }}{% raw %}{# c #}",
    "{name}",
    "# comment",
    "\\N{BULLET}\\u0041\\x41\\101",
    "\ufeff",
]


def read_back(value: Any) -> Any:
    return eval(literal(value), {"__builtins__": {"float": float}})


@given(VALUES)
def test_any_value_is_read_back_equal_and_of_the_same_type(value: Any) -> None:
    assert first_difference(value, read_back(value)) is None


@pytest.mark.parametrize("value", EDGES, ids=lambda value: f"{type(value).__name__}")
def test_edges_are_read_back_equal_and_of_the_same_type(value: Any) -> None:
    for whole in (value, [value], (value, value), {"key": value}):
        if isinstance(value, int) and abs(value) > 10**4299:
            # too many digits for the message of a failed comparison
            assert read_back(value) == value
            assert type(read_back(value)) is type(value)
        else:
            assert first_difference(whole, read_back(whole)) is None


@given(ANY_TEXT)
def test_a_string_is_written_on_one_line_that_encodes_and_shows(text: str) -> None:
    written = literal(text)
    assert written.isprintable()
    assert written.encode("utf-8").decode("utf-8") == written
    tree = ast.parse(written, mode="eval")
    assert isinstance(tree.body, ast.Constant)
    assert tree.body.value == text


@given(VALUES)
def test_what_is_written_is_data_and_nothing_else(value: Any) -> None:
    allowed = (
        ast.Expression,
        ast.Constant,
        ast.List,
        ast.Tuple,
        ast.Dict,
        ast.Load,
        ast.UnaryOp,
        ast.USub,
    )
    for node in ast.walk(ast.parse(literal(value), mode="eval")):
        if isinstance(node, ast.Call):
            assert ast.unparse(node) in {"float('nan')", "float('inf')", "float('-inf')"}
        elif isinstance(node, ast.Name):
            assert node.id == "float"
        else:
            assert isinstance(node, allowed)


@pytest.mark.parametrize("value", [{1, 2}, b"x", ..., [b"x"], {"k": 1j}], ids=repr)
def test_what_json_cannot_hold_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="no literal"):
        literal(value)
