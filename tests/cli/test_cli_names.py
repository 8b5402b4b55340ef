"""Names of ready-made parsers in place of files, and ``respc list``."""

from __future__ import annotations

import json
from dataclasses import fields as dataclass_fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import regex
from click.testing import CliRunner, Result

from respc.cli import main
from respc.families import Family, families, family_template
from support.families import PARSERS, template_files
from support.holding import delimiter_texts

if TYPE_CHECKING:
    from collections.abc import Iterator


def strings_in(value: Any) -> Iterator[str]:
    """Yield the strings of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from strings_in(list(value.values()))
    elif isinstance(value, list):
        for inner in value:
            yield from strings_in(inner)


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, list(map(str, arguments)))


def test_plain_lists_the_names_one_a_line() -> None:
    result = run("list", "--format", "plain")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == sorted(families())
    assert {path.stem for path in template_files()} == set(families())


def test_json_has_everything_that_is_known() -> None:
    records = json.loads(run("list", "--format", "json").stdout)
    assert [record["name"] for record in records] == sorted(families())
    assert all(set(record) == {field.name for field in dataclass_fields(Family)} for record in records)


def test_table_shows_names_models_reasoning_and_tokens() -> None:
    shown = CliRunner(env={"COLUMNS": "200"}).invoke(main, ["list"]).stdout
    family = families()["smollm3"]
    for piece in (family.name, *family.models, *family.tokens, "reasoning starts", "tokens to keep"):
        assert piece in shown


def test_a_name_is_a_source_of_compile(tmp_path: Path) -> None:
    out = tmp_path / "parser.py"
    assert run("compile", "smollm3", "-o", out).exit_code == 0
    assert out.read_bytes() == (PARSERS / "smollm3.py").read_bytes()


def test_a_name_is_a_source_of_check() -> None:
    result = run("check", "smollm3", "--format", "concise", "--strict")
    assert result.exit_code == 0, result.output
    assert all(line.startswith("smollm3.json:") for line in result.stdout.splitlines())


def test_a_ready_made_template_is_not_rewritten() -> None:
    result = run("check", "smollm3", "--fix")
    assert result.exit_code == 2
    assert "ready-made" in result.stderr


def test_a_file_of_that_name_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("smollm3").write_text('{"start_anchor": "A", "fields": {"mine": {}}}', encoding="utf-8")
    assert "mine" in run("compile", "smollm3", "-o", "-").stdout


@pytest.mark.parametrize("given", ["smollm", "SmolLM3", "smol-lm3"])
def test_a_name_that_is_almost_one_is_told(given: str) -> None:
    result = run("check", given)
    assert result.exit_code == 2
    assert "`smollm3`" in result.stderr


@pytest.mark.parametrize("given", ["nothing/smollm3", "smollm.json", "./smollm"])
def test_a_path_is_no_name(given: str) -> None:
    result = run("check", given)
    assert result.exit_code == 2
    assert "ready-made" not in result.stderr


@pytest.mark.parametrize("name", sorted(families()))
def test_each_family_is_told_truly(name: str) -> None:
    family = families()[name]
    template = family_template(name).template
    assert family.title
    assert family.source
    assert family.models
    assert all(model.count("/") == 1 for model in family.models)
    assert family.reasoning in ("output", "prompt", "none")
    assert ("reasoning_content" in template["fields"]) is (family.reasoning != "none")
    assert len(set(family.tokens)) == len(family.tokens)
    # A token is named in a delimiter, perhaps with escapes, or is what one of them matches.
    written = list(strings_in(template))
    plain = "\n".join([*written, *delimiter_texts(template)]).replace("\\", "")
    fields = template["fields"].values()
    patterns = [field[key] for field in fields for key in ("open_pattern", "close_pattern") if key in field]
    unnamed = [token for token in family.tokens if token not in plain]
    assert [token for token in unnamed if not any(regex.search(pattern, token) for pattern in patterns)] == []


def test_markdown_is_the_page_of_the_documentation() -> None:
    page = PARSERS.parents[1] / "docs" / "families.md"
    assert run("list", "--format", "markdown").stdout == page.read_text(encoding="utf-8")


class TestListOfAModel:
    def test_the_row_of_its_family_and_what_it_was_checked_against(self) -> None:
        result = run("list", "--model", "somebody/Qwen3-8B-GGUF")
        assert result.exit_code == 0
        assert result.stdout.startswith("name ")
        assert "\nqwen3 " in result.stdout
        assert "\nby the row Qwen/Qwen3-*, checked against: chat template" in result.stdout

    def test_json_has_the_pattern_beside_what_is_known_of_the_family(self) -> None:
        (record,) = json.loads(run("list", "--model", "Qwen/Qwen3-8B", "--format", "json").stdout)
        assert record["name"] == "qwen3"
        assert record["pattern"] == "Qwen/Qwen3-*"
        assert record["checked"]

    def test_plain_is_the_name(self) -> None:
        assert run("list", "--model", "Qwen/Qwen3-8B", "--format", "plain").stdout == "qwen3\n"

    def test_an_unknown_one_is_a_wrong_use_that_names_what_is_near(self) -> None:
        result = run("list", "--model", "Qwen/Qwen3.7-8B\x1b[2J")
        assert result.exit_code == 2
        assert result.stdout == ""
        assert "Qwen/Qwen3.5-* (qwen3_5)" in result.stderr
        assert "\x1b" not in result.stderr

    def test_the_page_is_of_all(self) -> None:
        assert run("list", "--model", "Qwen/Qwen3-8B", "--format", "markdown").exit_code == 2
