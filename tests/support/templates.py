"""Loads the tests' own templates and samples, and the corpora: tests/corpus, and one beside the project if there is."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parents[1]
CORPUS = TESTS / "corpus"
CORPUS_BESIDE = TESTS.parent.parent / "shared" / "corpus"
CORPORA = (CORPUS, CORPUS_BESIDE)
"""Folders of the layout of tests/corpus/README.md. The tests run over the first, and over the second where it is."""

needs_corpus_beside = pytest.mark.skipif(
    not CORPUS_BESIDE.is_dir(), reason="about the corpus that is kept beside the project, which is not here"
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


def own_corpus_names() -> list[str]:
    """Return the names of the templates of tests/corpus."""
    return names(CORPUS / "templates")


def corpus_names() -> list[str]:
    """Return the names of the templates of the corpora."""
    return [name for folder in CORPORA for name in names(folder / "templates")]


def _in_corpora(file: str) -> Path | None:
    return next((path for folder in CORPORA if (path := folder / file).exists()), None)


@cache
def corpus_template(name: str) -> Row:
    """Return a template of a corpus."""
    path = _in_corpora(f"templates/{name}.json")
    assert path is not None, name
    template: Row = json.loads(path.read_text(encoding="utf-8"))
    return template


@cache
def corpus_cases(name: str) -> list[Row]:
    """Return the cases of a corpus template; none where it has none."""
    path = _in_corpora(f"cases/{name}.jsonl")
    return [] if path is None else read_rows(path)


@cache
def corpus_rows(file: str) -> list[Row]:
    """Return the rows of the JSON lines files of this name, those of tests/corpus first."""
    return [row for folder in CORPORA if (path := folder / file).exists() for row in read_rows(path)]


@cache
def chunking_sensitive() -> frozenset[str]:
    """Return ``template/case`` of the corpus cases whose result depends on where the chunks fall."""
    paths = [path for folder in CORPORA if (path := folder / "chunking_sensitive.tsv").exists()]
    lines = [line for path in paths for line in path.read_text(encoding="utf-8").splitlines()]
    return frozenset(line.split("\t")[0] for line in lines if line and not line.startswith("#"))
