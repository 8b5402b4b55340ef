"""How each family spells calls: the records beside the parsers are what its samples are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from respc.grammars import Spelling
from respc.grammars.formats import family_spelling
from respc.grammars.proving import proved
from support.spellings import (
    FROM_CHAT_TEMPLATES,
    SPELLINGS,
    examples_of_samples,
    families_with_calls,
    file_of,
    proof_of,
    record_of,
)

if TYPE_CHECKING:
    from support.families import Family
    from support.goldens import Goldens

FAMILIES = families_with_calls()


def test_every_family_with_calls_has_a_spelling_and_no_other() -> None:
    assert {file.stem for file in SPELLINGS.glob("*.json")} == {family.name for family in FAMILIES}


@pytest.mark.parametrize(
    "family", [family for family in FAMILIES if family.name not in FROM_CHAT_TEMPLATES], ids=str
)
def test_the_record_is_learnt_from_the_samples(family: Family, goldens: Goldens) -> None:
    goldens.check(file_of(family), record_of(proof_of(family, examples_of_samples(family))))


@pytest.mark.parametrize("family", FAMILIES, ids=str)
def test_what_a_record_spells_is_read_back(family: Family) -> None:
    spelling = family_spelling(family.name)
    assert spelling is not None
    # Nothing of it has to be left out.
    parser: Any = family.module
    assert proved(spelling, parser).spelling == spelling
    assert Spelling.from_json(spelling.as_json()) == spelling
