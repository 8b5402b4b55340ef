"""A parser that is inferred from a chat template alone agrees with the ready-made one, or the table says why not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, get_args

import pytest

from chat_templates.agreement import TABLE, Pair, Reason, disagreements, pairs

if TYPE_CHECKING:
    from pathlib import Path

KNOWN: dict[str, Any] = json.loads(TABLE.read_text(encoding="utf-8"))
GOAL = 0.5
"""The samples are there for what is hard, and most of them have what no chat template writes."""


@pytest.mark.long
@pytest.mark.xdist_group("inferred")  # one process infers for all
@pytest.mark.parametrize("pair", pairs(), ids=str)
def test_parsers_agree_but_for_what_is_known(pair: Pair, folders: dict[str, Path | str]) -> None:
    folder = folders[pair.row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    assert disagreements(pair, folder) == KNOWN[str(pair)]


def test_the_table_is_of_the_families_with_chat_templates() -> None:
    assert KNOWN.keys() == {str(pair) for pair in pairs()}
    for pair in pairs():
        reasons = {key: ids for key, ids in KNOWN[str(pair)].items() if isinstance(ids, list)}
        assert reasons.keys() <= set(get_args(Reason))
        told = [each for ids in reasons.values() for each in ids]
        assert len(set(told)) == len(told)
        assert set(told) <= {sample["id"] for sample in pair.family.samples}


def test_most_samples_are_agreed_on() -> None:
    samples = sum(len(pair.family.samples) for pair in pairs())
    assert sum(row.get("agree", 0) for row in KNOWN.values()) >= GOAL * samples
