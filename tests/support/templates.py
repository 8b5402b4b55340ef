"""Loads the templates and sample outputs that the tests own, and the corpus where it is at hand."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS.parent.parent / "shared" / "corpus"

needs_corpus = pytest.mark.skipif(
    not CORPUS.is_dir(), reason="the corpus is kept beside the project, not in it, and is not here"
)

Row = dict[str, Any]


def read_rows(path: Path) -> list[Row]:
    """Return the objects of a JSON lines file."""
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def names(folder: Path) -> list[str]:
    """Return the names of the templates in a folder, sorted; none where the folder is absent."""
    return sorted(path.stem for path in folder.glob("*.json"))


def own_names() -> list[str]:
    """Return the names of the templates that belong to the tests."""
    return names(TESTS / "templates")


@cache
def own_template(name: str) -> Row:
    """Return one of the tests' own templates."""
    template: Row = json.loads((TESTS / "templates" / f"{name}.json").read_text(encoding="utf-8"))
    return template


@cache
def own_samples(name: str) -> list[Row]:
    """Return the sample outputs of one of the tests' own templates: id, prefix, text, tools."""
    return read_rows(TESTS / "samples" / f"{name}.jsonl")


def corpus_names() -> list[str]:
    """Return the names of the corpus' templates; none where the corpus is absent."""
    return names(CORPUS / "templates")


def corpus_template(name: str) -> Row:
    """Return a template of the corpus."""
    template: Row = json.loads((CORPUS / "templates" / f"{name}.json").read_text(encoding="utf-8"))
    return template


def corpus_cases(name: str) -> list[Row]:
    """Return the cases of a corpus template; none where it has none."""
    path = CORPUS / "cases" / f"{name}.jsonl"
    return read_rows(path) if path.exists() else []


@cache
def corpus_rows(file: str) -> list[Row]:
    """Return the rows of a JSON lines file of the corpus; none where the corpus is absent."""
    path = CORPUS / file
    return read_rows(path) if path.exists() else []


@cache
def chunking_sensitive() -> frozenset[str]:
    """Return ``template/case`` of the corpus cases whose result depends on where the chunks fall."""
    path = CORPUS / "chunking_sensitive.tsv"
    if not path.exists():
        return frozenset()
    lines = path.read_text(encoding="utf-8").splitlines()
    return frozenset(line.split("\t")[0] for line in lines if line and not line.startswith("#"))
