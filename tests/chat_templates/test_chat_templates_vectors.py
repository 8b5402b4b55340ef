"""Parsers give the messages that llama.cpp's tests expect of what models write, but for what is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from chat_templates.vectors import cases, family_parser, judged, parser_inferred, table
from support.chat_templates import NoTemplatesError

if TYPE_CHECKING:
    from pathlib import Path

    from chat_templates.vectors import Cases

pytestmark = [
    pytest.mark.long,
    pytest.mark.xdist_group("inferred"),  # one process infers for all
]


@pytest.fixture(scope="module")
def known(kept: Path) -> Cases:
    try:
        return cases(kept)
    except NoTemplatesError as error:
        pytest.skip(str(error))


def test_all_cases_are_read(known: Cases) -> None:
    assert known.vectors.unreadable == {}
    assert len(known.vectors.read) == table()["read"]


GOALS = {"families": (family_parser, 0.95), "inferred": (parser_inferred, 0.88)}


@pytest.mark.parametrize("kind", GOALS)
def test_parsers_are_right_about_nearly_all(kind: str, known: Cases) -> None:
    parser_of, goal = GOALS[kind]
    judgement = judged(known, parser_of)
    expected = table()[kind]
    assert {vector.name for vector, _ in judgement.faults} == expected["wrong"].keys()
    assert judgement.left_out == expected["left out"]
    assert judgement.right == expected["right"]
    assert judgement.share >= goal
