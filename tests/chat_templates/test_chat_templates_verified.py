"""`respc verify` on real chat templates: the families are clean but for what is known, and faults put in are seen."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest

from chat_templates.table import ROWS, family_of, name_of
from respc.chat_templates import ChatTemplateSource
from respc.families import family_template
from respc.verifying import Kind, prove, request_for

if TYPE_CHECKING:
    from pathlib import Path

    from respc.verifying import Writings

pytestmark = pytest.mark.long


def writings_of(row: dict[str, Any], folders: dict[str, Path | str]) -> Writings:
    folder = folders[row["package"]]
    if isinstance(folder, str):
        pytest.skip(folder)
    text = (folder / row["file"]).read_text(encoding="utf-8")
    source = ChatTemplateSource(name_of(row), {"default": text}, {}, ())
    return request_for({}, source, row.get("given")).writings()


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_a_family_reads_what_the_chat_template_writes(
    row: dict[str, Any], folders: dict[str, Path | str]
) -> None:
    written = writings_of(row, folders)
    family = family_of(row)
    parser: Any = import_module(f"respc_parsers.{family}")
    verification = prove(written, family_template(family).template, parser)
    found = {cause.kind.value: cause for cause in verification.causes if cause.counts}
    assert found.keys() == row.get("faults", {}).keys(), list(found.values())
    assert verification.clean == (not found)


def test_the_kinds_of_known_faults_are_kinds() -> None:
    kinds = {kind for row in ROWS for kind in row.get("faults", {})}
    assert kinds <= {kind.value for kind in Kind}
