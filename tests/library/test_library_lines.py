"""Bodies of lines are read by generated code alone: here each shape of it meets the interpreter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import respc
from support.oracle import assert_same, interpret, run_compiled

SEPARATORS = [":", "=>", " ", ": ", " :", "\t", "\n", "a", "::"]
SHAPES = [(separator, strip) for separator in SEPARATORS for strip in (True, False)]


def template_of(separator: str, strip: bool) -> dict[str, Any]:
    arguments = {"kv_sep": separator, "strip": strip}
    field = {"open": "<x>", "close": "</x>", "content": "kv-lines", "content_args": arguments}
    return {"start_anchor": "<A>", "fields": {"x": field}}


MODULES = {shape: respc.load(template_of(*shape)) for shape in SHAPES}
bodies = st.lists(st.sampled_from(["a", "b", ":", "::", "=>", " ", "\t", "\n", "\x1c", "\xa0"]), max_size=12)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: f"{shape[0]!a}-{shape[1]}")
@given(pieces=bodies)
def test_lines_are_the_interpreters(shape: tuple[str, bool], pieces: list[str]) -> None:
    text = f"<x>{''.join(pieces)}</x>"
    expected = interpret(template_of(*shape), "", [text])
    assert_same(expected, run_compiled(MODULES[shape], "", [text]))
