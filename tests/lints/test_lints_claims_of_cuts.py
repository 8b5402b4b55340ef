"""Where a finding says that it matters where a stream is cut, it matters in the interpreter, and else it does not."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any, Final

import pytest

from lints.building import only, plain, rows
from lints.cases_of_streams import CUTS
from lints.streaming import (
    NEUTRAL,
    Stage,
    alone,
    cuts_that_matter,
    delimiters_of,
    is_cut_apart,
    stage_of,
    texts_of,
)
from respc.lints.chunk_cuts import _cut_literal
from respc.patterns.trials import bad_cut, matched_samples, matches_everywhere
from support.choosing import RandomChooser
from support.patterns import PatternMaker, vocabulary
from support.sweeps import templates_swept
from support.templates import corpus_names, corpus_template

if TYPE_CHECKING:
    from lints.building import Template

CUT: Final = re.compile(r"cut as `(.*)` \+ `(.*)`, (?:it ends after `(.*)`|it goes out as text)")
MADE: Final = 400


@rows(CUTS)
def test_cut_of_the_label_matters(slug: str, triggering: Template, near_miss: Template, place: Any) -> None:
    finding = only(triggering, slug)
    match = CUT.fullmatch(finding.label or "")
    assert match is not None
    left, right = plain(match[1]), plain(match[2])
    stage = stage_of(triggering, finding.pointer)
    assert is_cut_apart(triggering, stage, left + right, len(left))


@rows(CUTS)
def test_no_cut_of_what_is_near_matters(
    slug: str, triggering: Template, near_miss: Template, place: Any
) -> None:
    for name, field in near_miss["fields"].items():
        for side in ("open", "close"):
            for text in texts_of(field, side):
                stage = stage_of(near_miss, f"/fields/{name}/{side}")
                assert cuts_that_matter(near_miss, stage, text) == []


@pytest.mark.parametrize("name", templates_swept(corpus_names()))
def test_cuts_of_the_corpus_matter_where_and_only_where_one_is_found(name: str) -> None:
    for side, value, is_pattern in delimiters_of(corpus_template(name)):
        literals = () if is_pattern else (value,) if isinstance(value, str) else tuple(value)
        cut = bad_cut(value) if is_pattern else _cut_literal(literals)
        template, pointer = alone(side, value, is_pattern)
        stage = stage_of(template, pointer)
        if cut is not None:
            assert is_cut_apart(template, stage, cut.text, cut.cut)
            continue
        for text in matched_samples(value) if is_pattern else literals:
            for behind in (stage.behind, ""):
                assert cuts_that_matter(template, Stage(stage.before, behind), text) == [], (value, text)


def made_pattern(seed: int) -> str:
    chooser = RandomChooser(Random(seed))
    return PatternMaker(chooser, vocabulary(chooser)).pattern()[0]


@pytest.mark.parametrize("side", ["open", "close"])
def test_cuts_that_are_found_for_made_patterns_matter(side: str) -> None:
    number = 0
    for pattern in map(made_pattern, range(MADE)):
        # A closer stands behind an opener, so that one at the start of the text is none.
        if matches_everywhere(pattern) or (side == "close" and re.search(r"\^|\\A", pattern)):
            continue
        cut = bad_cut(pattern)
        if cut is None:
            continue
        number += 1
        template, pointer = alone(side, pattern, is_pattern=True)
        stages = [stage_of(template, pointer, body, NEUTRAL) for body in ("", NEUTRAL)]
        stages += [Stage(stage.before, behind) for stage in stages for behind in ("", "tail", " ")]
        assert any(is_cut_apart(template, stage, cut.text, cut.cut) for stage in stages), (pattern, cut)
    assert number > MADE // 20
