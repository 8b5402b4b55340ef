"""The committed parsers are what the compiler makes of the templates beside them."""

from __future__ import annotations

import ast
from itertools import takewhile
from pathlib import Path

import pytest
from click.testing import CliRunner

from respc.cli import main
from respc.driver import compile_source
from respc.options import Options
from respc.source import read_template
from respc_parsers import smollm3
from support.families import template_files

FOLDER = Path(__file__).resolve().parents[2] / "generated" / "respc_parsers"
TEMPLATES = template_files()


def test_each_template_has_a_module_and_each_module_a_template() -> None:
    modules = {path.stem for path in FOLDER.glob("*.py")} - {"__init__"}
    assert {path.stem for path in TEMPLATES} == modules
    assert modules


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_fresh_but_for_the_layout(template: Path) -> None:
    """All that a module says but for comments inside, without the formatter, which takes most of the time."""
    committed = template.with_suffix(".py").read_text(encoding="utf-8")
    made = compile_source(read_template(template), Options.of(formatted=False)).source
    assert header_of(committed) == header_of(made)
    assert ast.unparse(ast.parse(committed)).splitlines() == ast.unparse(ast.parse(made)).splitlines()


def header_of(module: str) -> list[str]:
    return list(takewhile(lambda line: line.startswith("#"), module.splitlines()))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.stem)
def test_fresh(template: Path) -> None:
    arguments = ["compile", str(template), "-o", str(template.with_suffix(".py")), "--check"]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output


def test_smollm3_loses_nothing() -> None:
    text = (FOLDER.parent / "smollm3_sample.txt").read_text(encoding="utf-8")
    message = smollm3.parse_response(text, prefix="")
    assert list(message) == ["role", "reasoning_content", "content", "tool_calls"]
    assert message["content"] == "I will look at both."
    assert [call["function"]["arguments"]["city"] for call in message["tool_calls"]] == ["Bergen", "Turin"]
