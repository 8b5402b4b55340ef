"""The corpus, where it is at hand, through stable modules: every cut, the end of the prefix moved, both forms."""

from __future__ import annotations

import os
from random import Random

import pytest

from support.recutting import described, first_instability, recut
from support.stability import stable_module
from support.templates import corpus_cases, corpus_names, corpus_template, needs_corpus

pytestmark = needs_corpus

EVERY_CUT = "RESPC_EVERY_CUT" in os.environ
"""Whether all runs are done: they take minutes. Otherwise one in some, others for each case."""
ONE_IN = 1 if EVERY_CUT else 60
SERVING_EVERY = 1 if EVERY_CUT else 3
LONGEST = 6000


UNSTABLE = {"chunk_traps"}
"""Its opener has the edge of a word."""


def test_what_cannot_be_stable_is_refused() -> None:
    refused = {name for name in corpus_names() if stable_module(corpus_template(name)) is None}
    assert refused == UNSTABLE


@pytest.mark.parametrize("name", sorted(set(corpus_names()) - UNSTABLE))
def test_cases(name: str) -> None:
    template = corpus_template(name)
    for number, case in enumerate(corpus_cases(name)):
        prefix, text, tools = case["prefix"], case["text"], case["tools"]
        if len(text) > LONGEST:
            continue
        random = Random(case["id"])
        runs = list(recut(template, prefix, text, random, moved_by=1 if EVERY_CUT else 11))
        runs = runs[number % ONE_IN :: ONE_IN]
        found = first_instability(template, prefix, text, tools, runs, serving_every=SERVING_EVERY)
        assert found is None, described(template, prefix, text, tools, found)
