"""How chat templates spell calls, against the records of ready-made parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from chat_templates.table import ROWS
from respc.chat_templates import ChatTemplate
from respc.grammars.examples import examples_of_chat_template
from support.families import Family
from support.spellings import FROM_CHAT_TEMPLATES, file_of, proof_of, record_of

if TYPE_CHECKING:
    from pathlib import Path

    from support.goldens import Goldens


@pytest.mark.parametrize("name", sorted(FROM_CHAT_TEMPLATES))
def test_the_record_is_learnt_from_the_chat_template(
    name: str, folders: dict[str, Path | str], goldens: Goldens
) -> None:
    row = next(row for row in ROWS if row["file"] == FROM_CHAT_TEMPLATES[name])
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    family = Family(name)
    source = (folder / row["file"]).read_text(encoding="utf-8")
    template = ChatTemplate({"default": source}, {"eos_token": "<|the_end|>", **row.get("given", {})})
    examples = examples_of_chat_template(template, [template.given["eos_token"]])
    goldens.check(file_of(family), record_of(proof_of(family, examples)))
