from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from transformers.utils.chat_parsing.content_parsers import CONTENT_PARSERS

from respc_runtime.json_bodies import decode_json, json_or_text, parse_json
from support.outcomes import assert_same_outcome, outcome

if TYPE_CHECKING:
    from collections.abc import Callable

interpreted = CONTENT_PARSERS["json"]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
odd_texts = st.text(st.sampled_from(' \t\n{}[]",:\\01-.eENaNtrufls\ufeff'), max_size=20)
documents = values.map(json.dumps) | values.map(lambda value: f" {json.dumps(value, ensure_ascii=False)} \n")


@st.composite
def damaged(draw: st.DrawFn) -> str:
    """Draw a document of which a part became another text."""
    document = draw(documents)
    start, end = sorted((draw(st.integers(0, len(document))), draw(st.integers(0, len(document)))))
    return document[:start] + draw(odd_texts) + document[end:]


bodies = documents | odd_texts | damaged()

NOTABLE = [
    " \ufeff{}",
    "\x0b{}",
    "{}\xa0",
    '{"a": "b" \n',
    '"never closed  ',
    "1.",
    "1 \n2",
    "nul",
    '{"a": 1}}',
    '"\ud83d\ude00"',
    '"\t"',
    '{"a": 1, "a": 2, "b": NaN, "c": [Infinity, -Infinity, -0.0, 1e999]}',
    "\ufeff{}",
    '"\\ud83d\\ude00 \\ud800"',
    "123456789012345678901234567890",
    "9" * 5000,
    '{"a": 1}\x00',
    "",
    " \n",
    "\xa0 text \u2003",
    "[" * 100_000,
]


@given(bodies)
def test_json_is_the_interpreters(body: str):
    assert_same_outcome(outcome(interpreted, body, {}), outcome(parse_json, body))


@given(bodies, st.booleans())
def test_json_or_text_is_the_interpreters(body: str, strip: bool):
    expected = outcome(interpreted, body, {"allow_non_json": True, "strip": strip})
    assert_same_outcome(expected, outcome(json_or_text, body, strip=strip))


@pytest.mark.parametrize("body", [*NOTABLE, None], ids=lambda body: repr(body)[:20])
def test_notable_bodies(body: Any):
    assert_same_outcome(outcome(interpreted, body, {}), outcome(parse_json, body))
    expected = outcome(interpreted, body, {"allow_non_json": True})
    assert_same_outcome(expected, outcome(json_or_text, body))


def test_the_message_has_the_decoders_reason():
    with pytest.raises(
        ValueError, match=r"^not JSON: Expecting value: line 1 column 1 \(char 0\)$"
    ) as caught:
        parse_json("look")
    assert type(caught.value) is ValueError
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)


def reason(function: Callable[[Any], Any], body: Any) -> str | None:
    """Give the class and the message of what the function raises."""
    try:
        function(body)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


@given(bodies)
def test_failures_are_told_as_json_loads_tells_them(body: str):
    assert reason(decode_json, body) == reason(json.loads, body)


@pytest.mark.parametrize("body", [*NOTABLE, None], ids=lambda body: repr(body)[:20])
def test_notable_failures_are_told_as_json_loads_tells_them(body: Any):
    assert reason(decode_json, body) == reason(json.loads, body)


def test_too_many_digits_are_not_text():
    with pytest.raises(ValueError, match="digits"):
        json_or_text("9" * 5000)
