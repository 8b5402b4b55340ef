from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.content_parsers import process_field

from respc_runtime.transforms import captured, descend, element, is_empty, records, undefined
from support.outcomes import assert_same_outcome, outcome

values = st.recursive(
    st.sampled_from([None, True, 0, 1.5, "", "text"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=10,
)


def interpreted(value: Any, transform: Any, captures: dict[str, str], each: bool = False) -> Any:
    field = SimpleNamespace(
        name="f", content="json", content_args={}, transform=transform, transform_each=each
    )
    return process_field(json.dumps(value), field, captures)


@given(values, st.lists(st.sampled_from("abc"), min_size=1, max_size=3))
def test_dotted_placeholders_are_the_interpreters(value: Any, keys: list[str]):
    path = ".".join(["content", *keys])
    expected = outcome(interpreted, value, f"{{{path}}}", {})
    assert_same_outcome(expected, outcome(descend, value, path, *keys))


def each_record(content: Any, captures: dict[str, str]) -> list[Any]:
    """Do what a generated module does for `{"a": "{a}", "b": "{b.c}", "g": "{g}"}`."""
    return [
        {
            "a": element(record, "a"),
            "b": descend(element(record, "b"), "b.c", "c"),
            "g": record["g"] if "g" in record else captured(captures, "g"),
        }
        for record in records(content)
    ]


record_dicts = st.fixed_dictionaries(
    {"a": values, "b": st.fixed_dictionaries({"c": values}) | values}, optional={"g": values, "z": values}
)
contents = st.lists(record_dicts | record_dicts | values, max_size=4) | values


@given(contents, st.sampled_from([{}, {"g": "captured"}, {"h": "captured"}]))
def test_records_are_the_interpreters(content: Any, captures: dict[str, str]):
    transform = {"a": "{a}", "b": "{b.c}", "g": "{g}"}
    expected = outcome(interpreted, content, transform, captures, each=True)
    assert_same_outcome(expected, outcome(each_record, content, captures))


def test_records_before_the_bad_one_are_given_first():
    seen = iter(records([{"a": 1}, 2]))
    assert next(seen) == {"a": 1}
    with pytest.raises(ValueError, match="element 1 is of type int"):
        next(seen)


def test_content_without_records():
    with pytest.raises(ValueError, match="list of records, but got a value of type dict"):
        list(records({"a": 1}))


def test_captures():
    assert captured({"name": "f"}, "name") == "f"
    with pytest.raises(KeyError, match="'name' took no part in the match; captured: 'a', 'b'"):
        captured({"b": "", "a": ""}, "name")
    with pytest.raises(KeyError, match="captured: none"):
        captured({}, "name")


def test_undefined_placeholders():
    with pytest.raises(KeyError, match=r"nothing defines the placeholder {nmae}; defined: 'content', 'name'"):
        undefined("nmae", ["name", "content"])


def test_elements():
    assert element({"a": None}, "a") is None
    with pytest.raises(KeyError, match="the record has no 'b'; keys: 'a'"):
        element({"a": None}, "b")


@pytest.mark.parametrize(
    ("value", "keys", "message"),
    [
        ([1], ["a"], "{x.a} reads 'a' of a value of type list"),
        ({"a": 1}, ["a", "b"], "{x.a.b} reads 'b' of a value of type int"),
        ({"c": 1, "b": 2}, ["a"], "{x.a} finds no 'a'; keys: 'b', 'c'"),
    ],
)
def test_messages_of_dotted_placeholders(value: Any, keys: list[str], message: str):
    with pytest.raises(ValueError, match=message):
        descend(value, ".".join(["x", *keys]), *keys)


@pytest.mark.parametrize("value", [None, "", [], {}])
def test_what_a_message_leaves_out(value: Any):
    assert is_empty(value)


@pytest.mark.parametrize("value", [0, 0.0, False, " ", [None], {"a": None}, ()])
def test_what_a_message_keeps(value: Any):
    assert not is_empty(value)
