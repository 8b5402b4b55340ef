"""What each family's parser makes of samples: at once, in any chunking, and as the interpreter does."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support.checking import check
from support.chunking import few
from support.families import KINDS, Family, families

SAMPLES = [
    pytest.param(family, sample, id=f"{family}-{sample['id']}")
    for family in families()
    for sample in family.samples
]


@pytest.mark.parametrize("family", families(), ids=str)
def test_each_kind_has_a_sample_unless_the_models_never_write_it(family: Family) -> None:
    never = family.writes.get("never", {})
    assert set(never) <= set(KINDS)
    assert all(never.values()), "each needs its reason"
    assert {sample["kind"] for sample in family.samples} == set(KINDS) - set(never)
    assert len({sample["id"] for sample in family.samples}) == len(family.samples)


@pytest.mark.parametrize(("family", "sample"), SAMPLES)
def test_message_of_a_sample_at_once_and_in_any_chunking(family: Family, sample: dict[str, Any]) -> None:
    prefix, text, tools = sample["prefix"], sample["text"], sample["tools"]
    if sample["kind"] == "cut_off" and sample["message"] is None:
        with pytest.raises(ValueError, match=r"JSON|json|call"):
            family.module.parse_response(text, prefix=prefix, tools=tools)
        return
    assert family.module.parse_response(text, prefix=prefix, tools=tools) == sample["message"]
    for _, chunks in few(text, Random(str(family) + sample["id"])):
        parser = family.module.ResponseParser(prefix=prefix, tools=tools)
        for chunk in chunks:
            parser.feed(chunk)
        assert parser.finalize()[0] == sample["message"]


@pytest.mark.parametrize(("family", "sample"), SAMPLES)
def test_events_of_a_sample_are_the_interpreter_s(family: Family, sample: dict[str, Any]) -> None:
    context = f"{family}/{sample['id']}"
    chunkings = few(sample["text"], Random(context))
    check(family.template, {None: family.module}, sample["prefix"], chunkings, sample["tools"], context)
