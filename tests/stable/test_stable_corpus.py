"""The corpus through stable modules: every cut, the end of the prefix moved, both forms."""

from __future__ import annotations

import os
from random import Random

import pytest

from support.recutting import described, first_instability, recut
from support.stability import stable_module
from support.sweeps import templates_swept
from support.templates import corpus_cases, corpus_names, corpus_template

EVERY_CUT = "RESPC_EVERY_CUT" in os.environ
"""Whether all runs are done: they take minutes. Otherwise some of them, others for each case."""
RUNS_A_CASE = 10
SERVING_EVERY = 1 if EVERY_CUT else 3
LONGEST = 6000


UNSTABLE = {
    "atomic_and_behind": "its delimiters look behind, and repeat possessively",
    "chunk_traps": "its opener has the edge of a word",
    "line_starts": "its opener has the start of a line",
    "tied_openers": "the closer of plain text matches nothing",
    "word_edges": "its delimiters have edges of words",
}
NOT_FOUND_TO_BE_STABLE = {
    "astral_marks": "a class of line ends",
    "greedy_gap": "a run of blanks that has to be there",
    "inline_flags": "letters of both cases, and classes that are not listed",
    "marks_in_marks": "a repeat of two letters",
}
"""What could be stable, and is refused as long as the compiler does not see how."""


def test_what_cannot_be_stable_is_refused() -> None:
    refused = {name for name in corpus_names() if stable_module(corpus_template(name)) is None}
    assert refused - {*NOT_FOUND_TO_BE_STABLE} == {*UNSTABLE} & {*corpus_names()}


@pytest.mark.parametrize("name", templates_swept(name for name in corpus_names() if name not in UNSTABLE))
def test_cases(name: str) -> None:
    template = corpus_template(name)
    if stable_module(template) is None:
        assert name in NOT_FOUND_TO_BE_STABLE
        return
    for number, case in enumerate(corpus_cases(name)):
        prefix, text, tools = case["prefix"], case["text"], case["tools"]
        if len(text) > LONGEST:
            continue
        random = Random(case["id"])
        runs = list(recut(template, prefix, text, random, moved_by=1 if EVERY_CUT else 11))
        step = 1 if EVERY_CUT else max(1, len(runs) // RUNS_A_CASE)
        runs = runs[number % step :: step]
        found = first_instability(template, prefix, text, tools, runs, serving_every=SERVING_EVERY)
        assert found is None, described(template, prefix, text, tools, found)
