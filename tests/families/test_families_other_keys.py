"""Calls as JSON of models that write another key, another order of keys, or whose engine takes the last mark away."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from support.families import families

if TYPE_CHECKING:
    from support.families import Family

OTHER_KEYS = {"parameters": "arguments", "arguments": "parameters"}
CALL = {"name": "read_gauge", "arguments": {"station": "mill", "hours": [1, {"to": 2}]}}


@dataclass(frozen=True)
class Calls:
    """How a family writes a call, which is one object with its name and its arguments.

    Attributes:
        family: the family.
        key: the key of the arguments.
        prefix: the prompt.
        before: what opens the call.
        behind: what ends it, and the turn.
        beside: the message without its calls.
    """

    family: Family
    key: str
    prefix: str
    before: str
    behind: str
    beside: dict[str, Any]

    def __str__(self) -> str:
        return str(self.family)

    def text(self, *keys: str) -> str:
        """Write the call with these keys, up to what ends it."""
        return self.before + json.dumps({key: CALL["name" if key == "name" else "arguments"] for key in keys})

    def is_read(self, text: str) -> bool:
        """Tell whether the call is read, and nothing else."""
        parsed: Any = self.family.module.parse_response(text, prefix=self.prefix, errors="collect")
        calls = [call["function"] for call in parsed.message.pop("tool_calls", [])]
        return calls == [CALL] and parsed.message == self.beside and not parsed.unread


def calls_of(family: Family) -> Calls | None:
    """Find it out from the family's template and samples; None where calls are no such objects."""
    written = json.dumps(family.template)
    key = next((key for key in OTHER_KEYS if f'"{{content.{key}}}"' in written), None)
    samples = [each for each in family.samples if each["kind"] == "one_call" and '{"name"' in each["text"]]
    if key is None or not samples:
        return None
    text = samples[0]["text"]
    start = text.index('{"name"')
    _, length = json.JSONDecoder().raw_decode(text[start:])
    beside = {name: value for name, value in samples[0]["message"].items() if name != "tool_calls"}
    return Calls(family, key, samples[0]["prefix"], text[:start], text[start + length :], beside)


ALL = [calls for family in families() if (calls := calls_of(family)) is not None]
# Where no mark opens a call, only an object with these very keys is one.
MARKED = [calls for calls in ALL if calls.before.strip()]


def test_there_are_such_families() -> None:
    assert {"qwen3", "internlm2"} <= {str(calls) for calls in MARKED}
    assert {"llama3_1", "llama4_json"} <= {str(calls) for calls in ALL}


@pytest.mark.parametrize("calls", MARKED, ids=str)
def test_the_other_key_and_order_are_read_with_care(calls: Calls) -> None:
    other = OTHER_KEYS[calls.key]
    for keys in ([calls.key, "name"], ["name", other], [other, "name"]):
        text = calls.text(*keys) + calls.behind
        assert calls.is_read(text), text


@pytest.mark.parametrize("calls", ALL, ids=str)
def test_a_call_is_read_without_what_ends_it(calls: Calls) -> None:
    assert calls.is_read(calls.text("name", calls.key))
