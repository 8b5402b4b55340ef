"""The corpus: templates, cases, streams, refused and odd templates, against the interpreter."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from support.checking import check, could_never_end, describe, refusal_difference
from support.chunking import characters, few, single_cuts, telling_cuts, whole
from support.oracle import (
    ALLOWED_IN_PLACE_OF_A_LOOP,
    Refusal,
    Trace,
    assert_same,
    compile_or_refuse,
    compiled,
    interpret,
    refused_by_interpreter,
    run_compiled,
)
from support.strictness import first_difference
from support.sweeps import rows_swept, templates_swept
from support.templates import (
    chunking_sensitive,
    corpus_cases,
    corpus_names,
    corpus_rows,
    corpus_template,
    own_corpus_names,
)

LONGEST_BY_CHARACTERS = 6000
LONGEST_BY_EVERY_CUT = 300
ROWS = corpus_rows("invalid_templates.jsonl")
REFUSED = [row for row in ROWS if not row.get("accepted")]
ACCEPTED = [row for row in ROWS if row.get("accepted") and row["fails_at"] != "never-ends"]
ENDLESS = [row for row in ROWS if row.get("fails_at") == "never-ends"]
ENDLESS_TEXTS = [probe["text"] for row in ENDLESS for probe in row["probes"]]


def chunkings_of(text: str, seed: str) -> list[tuple[str, list[str]]]:
    if len(text) > LONGEST_BY_CHARACTERS:
        return [("whole", whole(text))]
    return list(few(text, Random(seed)))


@pytest.mark.parametrize("name", templates_swept(corpus_names()))
def test_cases(name: str) -> None:
    template = corpus_template(name)
    modules = {None: compiled(template)}
    for case in corpus_cases(name):
        assert case["template"] == name
        context = f"{name}/{case['id']}"
        chunkings = chunkings_of(case["text"], context)
        traces = check(template, modules, case["prefix"], chunkings, case["tools"], context)
        assert_as_stored(case, traces[0], context)


def assert_as_stored(row: dict[str, Any], trace: Trace, context: str) -> None:
    """Assert that the interpreter gives what a row says that it gave, if the row does."""
    if "message" in row:
        assert trace.error == row["error"], context
        assert first_difference(row["message"], trace.message, context) is None


@pytest.mark.parametrize("name", templates_swept(corpus_names()))
def test_cases_with_every_pass_off(name: str) -> None:
    template = corpus_template(name)
    modules = {(): compiled(template, ())}
    for case in corpus_cases(name):
        context = f"{name}/{case['id']}"
        chunkings = chunkings_of(case["text"], context + "/off")[-1:]
        check(template, modules, case["prefix"], chunkings, case["tools"], context)


@pytest.mark.parametrize("name", templates_swept(corpus_names()))
def test_cases_that_depend_on_the_chunking(name: str) -> None:
    """Where the interpreter's result depends on the cuts, the cuts that can matter are compared."""
    cases = [case for case in corpus_cases(name) if qualified(name, case["id"]) in chunking_sensitive()]
    template = corpus_template(name)
    modules = {None: compiled(template)}
    compared = 0
    for case in cases:
        text = case["text"]
        cuts = list(single_cuts(text) if len(text) <= LONGEST_BY_EVERY_CUT else telling_cuts(text))
        compared += len(check(template, modules, case["prefix"], cuts, case["tools"], f"{name}/{case['id']}"))
    assert compared >= len(cases)


@pytest.mark.parametrize("name", own_corpus_names())
def test_own_cases_depend_on_the_chunking_where_and_only_where_it_is_said(name: str) -> None:
    """Every cut of every case, as ``chunking_sensitive.tsv`` of tests/corpus says which of them matter."""
    template = corpus_template(name)
    modules = {None: compiled(template)}
    sensitive = set()
    for case in corpus_cases(name):
        chunkings = [("whole", whole(case["text"])), *single_cuts(case["text"])]
        first, *others = check(template, modules, case["prefix"], chunkings, case["tools"], case["id"])
        if any(first_difference(response(first), response(other)) for other in others):
            sensitive.add(case["id"])
    assert sensitive == {ident for ident in chunking_sensitive() if ident.startswith(f"{name}/")}


def response(trace: Trace) -> tuple[Any, ...]:
    return trace.error, trace.message


def qualified(name: str, ident: str) -> str:
    return ident if ident.startswith(f"{name}/") else f"{name}/{ident}"


@pytest.mark.parametrize(
    "name", templates_swept(dict.fromkeys(row["template"] for row in corpus_rows("events.jsonl")))
)
def test_streams(name: str) -> None:
    template = corpus_template(name)
    modules = {None: compiled(template), (): compiled(template, ())}
    for row in corpus_rows("events.jsonl"):
        if row["template"] != name:
            continue
        chunking = ("stored chunks", row["chunks"])
        trace = check(template, modules, row["prefix"], [chunking], row["tools"], row["id"])[0]
        if "feeds" in row:
            assert_same(stored(row), trace, f"the corpus' own data: {row['id']}")


def stored(row: dict[str, Any]) -> Trace:
    """Return the trace that a row says that the interpreter gave."""
    error = row["error"] or {"type": None, "at": None}
    return Trace(
        row["initial_events"], row["feeds"], row["final_events"], row["message"], error["type"], error["at"]
    )


@pytest.mark.parametrize("row", rows_swept("field_cases.jsonl", corpus_rows("field_cases.jsonl")))
def test_field_cases(row: dict[str, Any]) -> None:
    template = row["template"]
    text = "".join(row["chunks"])
    chunkings = [("stored chunks", row["chunks"]), *chunkings_of(text, row["id"])]
    module = compiled(template)
    check(template, {None: module}, row["prefix"], chunkings, row["tools"], row["id"])


@pytest.mark.parametrize("row", rows_swept("invalid_templates.jsonl", REFUSED))
def test_refused_templates(row: dict[str, Any]) -> None:
    expected = refused_by_interpreter(row["template"])
    assert expected is not None
    assert expected.error == row.get("error_type", expected.error)
    result = compile_or_refuse(row["template"])
    assert refusal_difference(row["template"], result) is None


@pytest.mark.parametrize("row", rows_swept("invalid_templates.jsonl", ACCEPTED))
def test_accepted_templates(row: dict[str, Any]) -> None:
    template = row["template"]
    modules: dict[tuple[str, ...] | None, Any] = {}
    for passes in (None, ()):
        result = compile_or_refuse(template, passes)
        if isinstance(result, Refusal):
            # One row shows where a template works that on other texts never ends.
            assert could_never_end(template, ENDLESS_TEXTS), result
            return
        modules[passes] = result
    errors = []
    for probe in row["probes"]:
        chunkings = [("whole", whole(probe["text"])), ("characters", characters(probe["text"]))]
        traces = check(template, modules, probe["prefix"], chunkings, probe["tools"], row["id"])
        errors.append(traces[0].error)
    assert errors
    assert any(errors) is (row["fails_at"] == "parse")


@pytest.mark.parametrize("row", rows_swept("invalid_templates.jsonl", ENDLESS))
def test_templates_that_never_end(row: dict[str, Any]) -> None:
    """The compiler refuses them, or the compiled parser raises; it never loops."""
    template = row["template"]
    assert could_never_end(template, [probe["text"] for probe in row["probes"]])
    result = compile_or_refuse(template)
    for probe in row["probes"]:
        chunks = whole(probe["text"])
        assert interpret(template, probe["prefix"], chunks).never_ends
        if isinstance(result, Refusal):
            assert result.error == "ValueError"
        else:
            trace = run_compiled(result, probe["prefix"], chunks)
            assert trace.error in ALLOWED_IN_PLACE_OF_A_LOOP, describe(
                template, probe["prefix"], chunks, None
            )
