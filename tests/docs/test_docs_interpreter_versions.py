"""What the page about other versions of transformers says of 5.24.0 is so, for the interpreter and compiled."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

import respc
from support.oracle import assert_same, interpret, run_compiled
from support.templates import TESTS

PAGE: Final = TESTS.parent / "docs" / "interpreter_versions.md"
EXAMPLES: Final = [
    [cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| `{")
]


def test_there_is_an_example_of_each_difference_of_templates() -> None:
    assert len(EXAMPLES) == 8
    text = json.dumps([example[0] for example in EXAMPLES])
    for word in ("python-call-list", "unquoted_keys", "merge_duplicates", "(?P<id>", "$", "Z"):
        assert word in text


@pytest.mark.parametrize(("field", "chunks", "older", "present"), EXAMPLES)
def test_an_example(field: str, chunks: str, older: str, present: str) -> None:
    template: dict[str, Any] = {"start_anchor": "A", "fields": {"f": json.loads(field), "content": {}}}
    expected = interpret(template, "", json.loads(chunks))
    assert expected.message == json.loads(present)
    assert older != present
    assert_same(expected, run_compiled(respc.load(template), "", json.loads(chunks)))
