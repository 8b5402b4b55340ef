"""Calls as JSON of models that write another key, another order of keys, or whose engine takes the last mark away."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.families import families

if TYPE_CHECKING:
    from support.families import Family

KEYS = {
    "{content.parameters}": ("parameters", "arguments"),
    "{content.arguments}": ("arguments", "parameters"),
}
CALL = {"name": "read_gauge", "arguments": {"station": "mill", "hours": [1, {"to": 2}]}}


def key_of(family: Family) -> str | None:
    """Name the key of the arguments, where a call is one object with its name and them."""
    written = json.dumps(family.template)
    return next((placeholder for placeholder in KEYS if f'"{placeholder}"' in written), None)


WITH_OBJECTS = [family for family in families() if key_of(family)]


def around_call(family: Family, sample: dict[str, Any]) -> tuple[str, str] | None:
    """Give what stands in front of a call's object and behind it."""
    start = sample["text"].find('{"name"')
    if start < 0:
        return None
    _, length = json.JSONDecoder().raw_decode(sample["text"][start:])
    return sample["text"][:start], sample["text"][start + length :]


def collected(family: Family, text: str, prefix: str) -> tuple[Any, Any]:
    parsed = family.module.parse_response(text, prefix=prefix, errors="collect")
    calls = [call["function"] for call in parsed.message.get("tool_calls", [])]
    return calls, [each.text for each in parsed.unread]


def cases(family: Family) -> tuple[str, str, str]:
    """Give a prefix, and what stands around the call of the family's first sample of one call."""
    for sample in family.samples:
        found = around_call(family, sample) if sample["kind"] == "one_call" else None
        if found is not None:
            return sample["prefix"], *found
    raise AssertionError(f"{family} has no sample of a call")


def test_there_are_such_families() -> None:
    assert {"qwen3", "internlm2"} <= {str(family) for family in WITH_OBJECTS}


@pytest.mark.parametrize("family", WITH_OBJECTS, ids=str)
def test_the_other_key_and_order_are_read_with_care(family: Family) -> None:
    prefix, before, behind = cases(family)
    own, other = KEYS[str(key_of(family))]
    # Where no mark opens a call, only an object that begins with the name is one.
    orders = [["name", other], [own, "name"], [other, "name"]][: None if before.strip() else 1]
    for pairs in orders:
        call = {key: CALL["name" if key == "name" else "arguments"] for key in pairs}
        text = before + json.dumps(call) + behind
        assert collected(family, text, prefix) == ([CALL], []), text


@pytest.mark.parametrize("family", WITH_OBJECTS, ids=str)
def test_a_call_is_read_without_what_ends_it(family: Family) -> None:
    prefix, before, _ = cases(family)
    own, _ = KEYS[str(key_of(family))]
    text = before + json.dumps({"name": CALL["name"], own: CALL["arguments"]})
    assert collected(family, text, prefix) == ([CALL], [])
