"""What the compiler has is covered: each content parser and each pass by cases, and by the documentation."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import respc
from respc.contents import CONTENT_PARSERS
from support.families import families
from support.goldens import ACCEPTED, cases_in
from support.templates import TESTS, own_names, own_samples, own_template

if TYPE_CHECKING:
    from collections.abc import Iterable

PROJECT = TESTS.parent
LANGUAGE = PROJECT / "docs" / "language.md"


def parsers_of_fields(templates: Iterable[dict[str, Any]]) -> set[str]:
    """Return the content parsers that the fields of some templates name or leave to the default."""
    return {field.get("content", "text") for template in templates for field in template["fields"].values()}


@pytest.mark.parametrize("parser", sorted(CONTENT_PARSERS))
def test_content_parser_has_a_golden_a_differential_case_and_a_line_in_the_documentation(parser: str) -> None:
    # The committed parsers of families are compared with what the compiler makes now, as goldens are.
    committed = [case.source.template for case in cases_in(ACCEPTED)] + [each.template for each in families()]
    assert parser in parsers_of_fields(committed)
    sampled = [name for name in own_names() if parser in parsers_of_fields([own_template(name)])]
    assert sampled
    assert all(own_samples(name) for name in sampled)
    assert f"`{parser}`" in LANGUAGE.read_text(encoding="utf-8")


@pytest.mark.parametrize("left_out", respc.PASSES)
def test_pass_makes_a_difference_to_a_template_that_is_tested_without_it(left_out: str) -> None:
    passes = [name for name in respc.PASSES if name != left_out]
    assert any(
        code_of(respc.compile_template(own_template(name), passes=passes, formatted=False).source)
        != code_of(respc.compile_template(own_template(name), formatted=False).source)
        for name in own_names()
    )


def code_of(module: str) -> str:
    """Give a module without its header, which names the passes that are left out."""
    return module[module.index('"""') :]


def test_import_contracts_hold() -> None:
    script = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    result = subprocess.run(
        [sys.executable, "-c", script, "--no-cache"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    assert "0 broken" in result.stdout
