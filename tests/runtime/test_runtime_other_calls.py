"""Calls that are written in another way than the template says: which are read, and which are left alone."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from respc_runtime.call_variants import other_body
from respc_runtime.loose_calls import other_call_list
from respc_runtime.string_closers import JSON_QUOTES

if TYPE_CHECKING:
    from respc_runtime.forms import CallForm

FORM: CallForm = {
    "each": False,
    "name": ("content", "name"),
    "arguments": ("content", "arguments"),
    "id": None,
}


@pytest.mark.parametrize(
    "record",
    [
        {"name": "ping"},
        {"name": "ping", "type": "function", "id": "c1"},
        {"name": "ping", "parameters": None},
        {"type": "function", "function": {"name": "ping"}},
    ],
)
def test_a_call_can_leave_its_arguments_out(record: dict[str, object]) -> None:
    body = other_body(json.dumps(record), FORM, JSON_QUOTES)
    assert body is not None
    assert json.loads(body)["name"] == "ping"
    assert json.loads(body)["arguments"] == {}


@pytest.mark.parametrize(
    "record",
    [
        {"name": "move", "argments": {"to": "attic"}},
        {"name": "move", "to": "attic"},
        {"function": {"name": "move", "inputs": {"to": "attic"}}},
    ],
)
def test_arguments_under_an_unknown_key_are_not_dropped(record: dict[str, object]) -> None:
    assert other_body(json.dumps(record), FORM, JSON_QUOTES) is None
    assert other_call_list(json.dumps([record])) is None


def test_a_string_may_hold_its_own_quotation_marks() -> None:
    assert other_call_list('[say(text="a "b" c")]') == '[say(text="a \\"b\\" c")]'
    assert other_call_list("[run(code='f(x, sep=',')')]") == "[run(code=\"f(x, sep=',')\")]"


@pytest.mark.parametrize(
    "body",
    [
        '[move(to="attic), ring(bell="loud")]',
        '[move(to="attic", ring(bell="loud")]',
        '[move(to="attic") ring(bell="loud")]',
        '[move(to="attic"), ringbell="loud")]',
        '[move(to="attic, how="slowly")]',
    ],
)
def test_a_string_that_lost_its_end_takes_no_other_call(body: str) -> None:
    assert other_call_list(body) is None
