"""The page about the ready-made parsers is the present one, and says what is known of each."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from engine_templates.cases_for_engines import REFUSED
from respc import families_page
from respc.families import Family, families, family_template
from respc.families_page import docs_page
from respc_parsers import model_rows
from support.templates import TESTS

if TYPE_CHECKING:
    import pytest

    from support.goldens import Goldens

PAGE: Final = TESTS.parent / "docs" / "families.md"
INVENTED: Final = Family(
    name="two_marks",
    title="Marks | & bars",
    models=("group/model_a", "group/model_b"),
    reasoning="prompt",
    tokens=("<|end|>", "<think>"),
    source="the chat template of `group/model_a`.",
    limits="one mark a text",
)
WITHOUT: Final = {"a": "a program is in its place", "b": "none found", "c": "none found"}


def invent(monkeypatch: pytest.MonkeyPatch, *invented: Family) -> None:
    """Have the page be about these families, all with one template."""
    found = {family.name: family for family in invented}
    monkeypatch.setattr(families_page, "families", lambda: found)
    monkeypatch.setattr(families_page, "family_template", lambda name: family_template("smollm3"))


def test_other_pages_say_how_many_there_are() -> None:
    assert len(families()) == 72
    for name in ("README.md", "docs/changelog.md"):
        assert "[seventy-two families of formats]" in (PAGE.parents[1] / name).read_text(encoding="utf-8")


def test_the_page_in_the_documentation_is_the_present_one(goldens: Goldens) -> None:
    goldens.check(PAGE, docs_page())


def test_every_parser_has_a_row() -> None:
    page = docs_page()
    for name in families():
        assert page.count(f"\n| `{name}` |") == 1


def test_a_row_keeps_its_cells_whatever_the_tokens_are(monkeypatch: pytest.MonkeyPatch) -> None:
    invent(monkeypatch, INVENTED)
    page = docs_page()
    (row,) = [line for line in page.splitlines() if line.startswith("| `two_marks`")]
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "`two_marks`",
        "Marks &#124; &amp; bars",
        "`group/model_a`<br>`group/model_b`",
        "in the prompt",
        "<code>&lt;&#124;end&#124;&gt;</code> `<think>`",
    ]
    assert "\nThe tests read what chat templates write with every parser.\n" in page
    assert "\n- `two_marks`: one mark a text.\n" in page
    assert page.endswith("\n- `two_marks`: the chat template of `group/model_a`.\n")


def test_the_page_names_the_parsers_that_no_chat_template_is_read_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without = [replace(INVENTED, name=name, chat_template=why) for name, why in WITHOUT.items()]
    invent(monkeypatch, INVENTED, *without)
    assert "every parser but these: `a` (a program is in its place); `b`, `c` (none found).\n" in docs_page()


def test_every_row_of_the_table_of_models_is_in_the_page() -> None:
    page = docs_page()
    for row in model_rows():
        assert f"\n| `{row.pattern}` | `{row.family}` | {row.checked} |\n" in page


def test_the_page_says_of_each_parser_what_each_engine_takes() -> None:
    section = docs_page().split("\n## In serving engines\n")[1].split("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if "|" in line
    ]
    assert rows[0] == ["vLLM", "SGLang", "parsers"]
    taken = {name.strip("`"): row[:2] for row in rows[2:] for name in row[2].split()}
    assert sorted(taken) == sorted(families())
    assert taken["qwen3"] == ["by literals", "by literals"]
    assert taken["granite3_2"] == ["by a pattern", "by literals"]
    assert taken["qwen2_5"] == ["yes", "yes"]
    for name, fields in REFUSED.items():
        assert taken[name] == [f"no: `{fields[0]}`"] * 2
