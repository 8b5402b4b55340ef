"""Messages that are written as a family's models do come back equal, at once and in any chunking."""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from support.chunking import few
from support.families import Family, families

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn, SearchStrategy

LARGEST = 2**53 - 1
"""The largest integer that every reader of JSON and of calls as in Python has exactly."""

CODE = (
    "def f(x):\n    return x < 1 and x > 0\n",
    "a <b> & </b>",
    "{'a': [1, 2}",
    "```json\n{}\n```",
    "x = [1, 2][0]",
    "日本語 ✓",
    '\\n\\"',
    "<",
    "</",
    "<|",
    "[/",
    "|>",
)


def texts(family: Family) -> SearchStrategy[str]:
    """Texts of a message: unicode, code, and the beginnings and ends of the family's own marks."""
    marks = [mark for mark in family.writes.get("marks", []) if len(mark) > 1]
    near_misses = (
        [mark[:-1] for mark in marks] + [mark[1:] for mark in marks] + [mark.upper() for mark in marks]
    )
    letters = st.text(st.characters(codec="utf-8", exclude_characters="\x00\x01\x02"), max_size=12)
    pieces = st.one_of(letters, st.sampled_from([*CODE, *near_misses]))
    joined = st.lists(pieces, min_size=1, max_size=4).map(lambda parts: " ".join(parts).strip())
    return joined.filter(lambda text: text != "" and family.is_clear(text))


def values(family: Family) -> SearchStrategy[Any]:
    """Values of arguments: any JSON, or strings where the format has nothing else."""
    strings = texts(family)
    if family.writes["arguments"] == "strings":
        return strings
    scalars = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-LARGEST, LARGEST),
        st.floats(allow_nan=False, allow_infinity=False, width=32),
        strings,
    )
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(keys(family), inner, max_size=3)
        ),
        max_leaves=6,
    )


def keys(family: Family) -> SearchStrategy[str]:
    """Names of arguments."""
    return st.from_regex(family.writes.get("keys", "[a-z_]{1,8}"), fullmatch=True)


@st.composite
def messages(draw: DrawFn, family: Family, opened: bool) -> dict[str, Any]:
    """Draw a message that the family's format can hold."""
    writes = family.writes
    message: dict[str, Any] = {}
    if opened or (writes["reasoning"] and draw(st.booleans())):
        message["reasoning_content"] = draw(texts(family))
    most = {"none": 0, "one": 1, "many": 3}[writes["calls"]]
    calls = []
    for _ in range(draw(st.integers(0, most))):
        name = draw(st.from_regex(writes["names"], fullmatch=True))
        arguments = draw(
            st.dictionaries(
                keys(family), values(family), min_size=writes.get("fewest_arguments", 0), max_size=3
            )
        )
        assume(family.is_clear(json.dumps(arguments, ensure_ascii=False)))
        calls.append({"type": "function", "function": {"name": name, "arguments": arguments}})
    if (not calls and writes["content"] != "never") or (
        writes["content"] == "beside calls" and draw(st.booleans())
    ):
        message["content"] = draw(texts(family))
    if calls:
        message["tool_calls"] = calls
    return message


def without_ids(message: dict[str, Any]) -> dict[str, Any]:
    """Leave the ids out that some formats give calls."""
    calls = [
        {key: value for key, value in call.items() if key != "id"} for call in message.get("tool_calls", [])
    ]
    return message | ({"tool_calls": calls} if calls else {})


@pytest.mark.parametrize("opened", [False, True], ids=["", "opened"])
@pytest.mark.parametrize("family", families(), ids=str)
def test_a_message_comes_back(family: Family, opened: bool) -> None:
    prefix = family.writes["opened_prefix" if opened else "prefix"]
    if prefix is None:
        assert opened or "prefix" in family.writes.get("never_without", {})
        return

    @settings(
        max_examples=25,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(messages(family, opened))
    def comes_back(message: dict[str, Any]) -> None:
        text = family.render(message, opened=opened)
        expected = {"role": "assistant"} | message
        assert without_ids(family.module.parse_response(text, prefix=prefix)) == expected
        for _, chunks in few(text, Random(text), 4):
            parser = family.module.ResponseParser(prefix=prefix)
            for chunk in chunks:
                parser.feed(chunk)
            assert without_ids(parser.finalize()[0]) == expected

    comes_back()
