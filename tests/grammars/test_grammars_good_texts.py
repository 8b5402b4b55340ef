"""What a model should write is let through, whatever is asked of it: a grammar without calls would be sound as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.grammar_cases import VALID
from support.grammar_demands import DEMANDS, good_texts
from support.grammar_engines import accepts
from support.grammar_families import formats, held_format, marks_of

if TYPE_CHECKING:
    from support.families import Family
    from support.grammar_engines import Engine


@pytest.mark.parametrize("tokens", ["bytes", "marks", "trained"])
@pytest.mark.parametrize("family", formats(), ids=str)
def test_what_is_asked_for_can_be_written(family: Family, engine: Engine, tokens: str) -> None:
    if tokens == "marks" and not marks_of(family):
        pytest.skip("the format has no marks that can be special tokens")
    asked = [each for each in DEMANDS if each.is_of(family) and not each.rare]
    for demand in asked:
        made = held_format(engine, family, tokens=tokens, **demand.options)
        texts = [*good_texts(family, demand, VALID)]
        refused = [text for text in texts if not accepts(made.held, made.vocabulary, text)]
        assert not refused, demand.name
        assert texts
