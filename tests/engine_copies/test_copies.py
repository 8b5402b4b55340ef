"""Serving modules give the events of the engines' copies of the interpreter, but where these are not as 5.24.0 is."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import respc
from support.chunking import few, single_cuts
from support.engine_copies import Generation, compare
from support.families import Family, representatives
from support.templates import (
    corpus_cases,
    corpus_names,
    corpus_rows,
    corpus_template,
    own_names,
    own_samples,
    own_template,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.chunking import Chunking
    from support.engine_amendments import Copy

LONGEST_BY_EVERY_CUT = 60
LONGEST_BY_CHARACTERS = 3000


def chunkings_of(text: str, seed: str) -> Iterator[Chunking]:
    if len(text) > LONGEST_BY_CHARACTERS:
        yield "whole", [text]
        return
    yield from few(text, Random(seed), 3)
    for size in (3, 7):
        yield f"by {size}", [text[start : start + size] for start in range(0, len(text), size)]
    if len(text) <= LONGEST_BY_EVERY_CUT:
        yield from single_cuts(text)


def compared(copy: Copy, template: dict[str, Any], cases: list[dict[str, Any]], name: str) -> Counter[str]:
    module = respc.load(template, events="serving", stable=False)
    found: Counter[str] = Counter()
    for case in cases:
        generation = Generation(template, case["prefix"], case["text"], case["tools"])
        found += compare(copy, module, generation, chunkings_of(case["text"], f"{name}/{case['id']}"))
    assert found
    return found


@pytest.mark.parametrize("name", own_names())
def test_own_templates(copy: Copy, name: str) -> None:
    compared(copy, own_template(name), own_samples(name), name)


@pytest.mark.parametrize("family", representatives(), ids=str)
def test_families(copy: Copy, family: Family) -> None:
    compared(copy, family.template, family.samples, family.name)


@pytest.mark.parametrize("name", corpus_names())
def test_corpus(copy: Copy, name: str) -> None:
    compared(copy, corpus_template(name), corpus_cases(name), name)


def test_field_cases_of_the_corpus(copy: Copy) -> None:
    for row in corpus_rows("field_cases.jsonl"):
        case = {**row, "text": "".join(row["chunks"])}
        compared(copy, row["template"], [case], row["id"])
