"""What the compiler makes of the golden cases, to the byte below the types of a module, and that it works."""

from __future__ import annotations

import io
from random import Random
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from respc.analysis import check_source
from respc.diagnostics import Diagnostic, Severity
from respc.diagnostics.render.concise import concise_line
from respc.diagnostics.render.text import print_text
from respc.driver import compile_source
from respc.errors import TemplateError
from respc.fixing import fix_text
from support.checking import check
from support.chunking import few
from support.goldens import (
    ACCEPTED,
    CHECKED,
    FILES,
    GOLDENS,
    REFUSED,
    GoldenCase,
    Goldens,
    below_the_types,
    cases_in,
    compiled_now,
    imported,
)
from support.oracle import interpret
from support.strictness import first_difference
from support.templates import own_names

if TYPE_CHECKING:
    from pathlib import Path

    from respc.source import SourceText

CASES = cases_in(ACCEPTED)
STANDALONE = [case for case in CASES if (case.folder / "standalone.py").exists()]
SERVING = [case for case in CASES if (case.folder / "serving.py").exists()]
REFUSALS = cases_in(REFUSED)
CHECKS = cases_in(CHECKED)
MODULES = [(case, "expected.py") for case in CASES] + [(case, "standalone.py") for case in STANDALONE]


def lines_of(diagnostics: tuple[Diagnostic, ...], name: str) -> str:
    return "".join(f"{concise_line(diagnostic, name)}\n" for diagnostic in diagnostics)


def text_of(diagnostics: tuple[Diagnostic, ...], source: SourceText | None) -> str:
    file = io.StringIO()
    console = Console(file=file, width=80, no_color=True)
    print_text(console, diagnostics, "template.json", source)
    return file.getvalue()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_module_and_findings_are_the_golden_ones(case: GoldenCase, goldens: Goldens) -> None:
    compilation = compiled_now(case)
    goldens.check_module(case.folder / "expected.py", compilation.source)
    goldens.check(case.folder / "diagnostics.txt", lines_of(compilation.diagnostics, case.template_path.name))


@pytest.mark.parametrize("case", STANDALONE, ids=str)
def test_standalone_module_is_the_golden_one(case: GoldenCase, goldens: Goldens) -> None:
    goldens.check_module(case.folder / "standalone.py", compiled_now(case, "standalone.py").source)


@pytest.mark.parametrize("case", SERVING, ids=str)
def test_serving_module_is_the_golden_one(case: GoldenCase, goldens: Goldens) -> None:
    goldens.check_module(case.folder / "serving.py", compiled_now(case, "serving.py").source)


def test_only_what_stands_below_the_types_is_compared(tmp_path: Path) -> None:
    path = tmp_path / "expected.py"
    golden = "import b\n\nEvent: TypeAlias = RegionOpen | RegionClose\n\nx = 1\n"
    path.write_text(golden, encoding="utf-8")
    assert below_the_types(golden) == "\nx = 1\n"
    Goldens(update=False).check_module(path, golden.replace("import b", "import a, b"))
    with pytest.raises(AssertionError, match=r"(?s)\+x = 2"):
        Goldens(update=False).check_module(path, golden.replace("x = 1", "x = 2"))
    with pytest.raises(AssertionError, match="no type of its events"):
        below_the_types("x = 1\n")
    Goldens(update=True).check_module(path, "import a, " + golden.removeprefix("import "))
    assert path.read_text(encoding="utf-8") == "import a, " + golden.removeprefix("import ")


@pytest.mark.parametrize("case", SERVING, ids=str)
def test_golden_serving_module_gives_the_messages_of_the_interpreter(case: GoldenCase) -> None:
    module = imported(case.folder / "serving.py")
    assert case.samples
    for sample in case.samples:
        expected = interpret(case.source.template, sample["prefix"], [sample["text"]], sample["tools"])
        parser = module.ResponseParser(sample["prefix"], tools=sample["tools"])
        events = parser.feed(sample["text"])
        message, last = parser.finalize()
        if expected.error is None:
            assert first_difference(expected.message, message) is None
        else:
            assert "region_malformed" in [event["type"] for event in [*events, *last]]


@pytest.mark.parametrize(("case", "file"), MODULES, ids=str)
def test_golden_module_behaves_as_the_interpreter(case: GoldenCase, file: str) -> None:
    module = imported(case.folder / file)
    samples = case.samples
    assert samples
    for sample in samples:
        context = f"{case}/{sample['id']}"
        chunkings = few(sample["text"], Random(context))
        check(case.source.template, {None: module}, sample["prefix"], chunkings, sample["tools"], context)


@pytest.mark.parametrize("case", REFUSALS, ids=str)
def test_refusal_reads_as_the_golden_one(case: GoldenCase, goldens: Goldens) -> None:
    with pytest.raises(TemplateError) as refusal:
        compile_source(case.source)
    assert any(finding.severity is Severity.ERROR for finding in refusal.value.diagnostics)
    shown = text_of(refusal.value.diagnostics, refusal.value.text)
    goldens.check(case.folder / "diagnostics.txt", shown)


@pytest.mark.parametrize("case", CHECKS, ids=str)
def test_check_reads_as_the_golden_one(case: GoldenCase, goldens: Goldens) -> None:
    source = case.source
    goldens.check(case.folder / "diagnostics.txt", text_of(check_source(source), source.text))


@pytest.mark.parametrize("case", CHECKS, ids=str)
def test_fixed_template_is_the_golden_one(case: GoldenCase, goldens: Goldens) -> None:
    fixed = fix_text(case.source, check_source)
    goldens.check(case.folder / "fixed.json", fixed.text)
    changes = [(made.code.code, made.pointer, made.fix.changes) for made in fixed.made if made.fix]
    goldens.check(
        case.folder / "changes.txt", "".join(f"{code} {pointer}: {what}\n" for code, pointer, what in changes)
    )
    assert not [finding for finding in check_source(fixed.source) if finding.fix is not None]


def test_cases_hold_what_belongs_to_them_and_name_what_exists() -> None:
    known = {"template.json", "samples.jsonl", "diagnostics.txt"}
    for case in CASES:
        files = {path.name for path in case.folder.iterdir()}
        assert files <= known | FILES.keys()
        assert {"expected.py", "diagnostics.txt"} <= files
        assert ("template.json" in files) is ("samples.jsonl" in files)
        assert ("template.json" in files) is not (str(case) in own_names()), str(case)
    for case in REFUSALS:
        assert {path.name for path in case.folder.iterdir()} == {"template.json", "diagnostics.txt"}
    for case in CHECKS:
        files = {path.name for path in case.folder.iterdir()}
        assert files == {"template.json", "diagnostics.txt", "fixed.json", "changes.txt"}
    assert {path.name for path in GOLDENS.iterdir() if path.is_dir()} - {"__pycache__"} == {
        "accepted",
        "checked",
        "refused",
    }
    assert STANDALONE
    assert SERVING
