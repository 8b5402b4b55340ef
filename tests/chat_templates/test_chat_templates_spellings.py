"""How chat templates spell calls, against the records of ready-made parsers.

The table of chat templates says of each what it spells in another way, and why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from chat_templates.table import ROWS, WRITING_CALLS, family_of, name_of
from respc.chat_templates import ChatTemplate
from respc.grammars.examples import examples_of_chat_template
from respc.grammars.formats import family_spelling, learn_spelling
from respc.grammars.learning import NotLearnedError
from respc.grammars.proving import NotProvedError, proved
from support.families import Family
from support.spelling_cases import differing_cases
from support.spellings import FROM_CHAT_TEMPLATES, file_of, ir_of, proof_of, record_of

if TYPE_CHECKING:
    from pathlib import Path

    from respc.grammars.learning import Example
    from support.goldens import Goldens


def examples_of(row: dict[str, Any], folders: dict[str, Path | str]) -> list[Example]:
    """Write the messages that show a spelling by a chat template of the table."""
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    source = (folder / row["file"]).read_text(encoding="utf-8")
    template = ChatTemplate(
        {"default": source},
        {"bos_token": "<|the_beginning|>", "eos_token": "<|the_end|>", **row.get("given", {})},
    )
    return examples_of_chat_template(template, [template.given["eos_token"]])


@pytest.mark.parametrize("name", sorted(FROM_CHAT_TEMPLATES))
def test_the_record_is_learnt_from_the_chat_template(
    name: str, folders: dict[str, Path | str], goldens: Goldens
) -> None:
    row = next(row for row in ROWS if row["file"] == FROM_CHAT_TEMPLATES[name])
    family = Family(name)
    goldens.check(file_of(family), record_of(proof_of(family, examples_of(row, folders))))


@pytest.mark.long
@pytest.mark.parametrize("row", WRITING_CALLS, ids=name_of)
def test_a_record_spells_as_chat_templates_do(row: dict[str, Any], folders: dict[str, Path | str]) -> None:
    family = Family(family_of(row))
    record = family_spelling(family.name)
    parser: Any = family.module
    assert record is not None
    try:
        learnt = proved(learn_spelling(examples_of(row, folders), ir_of(family)), parser).spelling
    except (NotLearnedError, NotProvedError):
        assert "calls" in row["grammars"]
        return
    assert differing_cases(record, learnt).keys() == row.get("spelled", {}).keys()
