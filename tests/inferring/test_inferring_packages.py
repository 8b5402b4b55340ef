"""The chat templates of packages: each is inferred, or it is said why it is not.

`packages.json` has a row for each that is not read back clean: `file` in `package`, and `faults`, the kinds that are
named and their cause, or `nothing`, why nothing can be inferred.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pytest

from respc.chat_templates import ChatTemplateSource
from respc.inferring import InferenceError, InferenceRequest, inferred_here
from respc.verifying import Outcome, request_for
from support.chat_templates import PACKAGES
from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

    from respc.inferring import Inference

pytestmark = pytest.mark.long

ROWS: Final[list[dict[str, Any]]] = json.loads(
    (TESTS / "inferring" / "packages.json").read_text(encoding="utf-8")
)
LEAST_CLEAN: Final = 0.9
LEAST_CLEAN_WITH_CALLS: Final = 0.85
LEAST_SILENT: Final = 0.95


@dataclass(frozen=True)
class Inferred:
    """What came of a chat template."""

    inference: Inference | None
    reason: str = ""

    @property
    def has_calls(self) -> bool:
        """Whether the chat template writes calls."""
        rows = [] if self.inference is None else self.inference.verification.rows
        return any("call" in row.feature and row.outcome is not Outcome.ABSENT for row in rows)


def inferred(file: Path) -> Inferred:
    source = ChatTemplateSource(file.name, {"default": file.read_text(encoding="utf-8")}, {}, ())
    asked = request_for({}, source)
    try:
        return Inferred(inferred_here(InferenceRequest(asked.texts, asked.name, asked.given, asked.ends)))
    except InferenceError as error:
        return Inferred(None, str(error))


@pytest.fixture(scope="session")
def found(all_files: dict[str, list[Path] | str]) -> dict[str, Inferred]:
    """What came of the chat templates, by package and name; of those that are the same, of the first."""
    seen: set[bytes] = set()
    made: dict[str, Inferred] = {}
    for title, files in all_files.items():
        if isinstance(files, str):
            pytest.skip(files)
        for file in files:
            if file.read_bytes() not in seen:
                seen.add(file.read_bytes())
                made[f"{title}/{name_in_package(file)}"] = inferred(file)
    return made


def name_in_package(file: Path) -> str:
    """Give the path of a file below the folder that its package is kept in."""
    parts = file.parts
    start = next(place for place, part in enumerate(parts) if part in KEPT_IN)
    return "/".join(parts[start + 1 :])


KEPT_IN: Final = {f"{package.name}-{package.version}" for package in PACKAGES}


def test_each_is_clean_or_its_faults_are_known(found: dict[str, Inferred]) -> None:
    known = {f"{row['package']}/{row['file']}": row for row in ROWS}
    for name, each in found.items():
        row = known.get(name, {})
        if each.inference is None:
            assert "nothing" in row, (name, each.reason)
            continue
        faults = {cause.kind.value for cause in each.inference.verification.causes if cause.counts}
        assert faults == row.get("faults", {}).keys(), name
        assert each.inference.clean == (not faults), name


def test_most_are_clean_and_silent(found: dict[str, Inferred]) -> None:
    usable = [each for each in found.values() if each.inference is not None]
    with_calls = [each for each in usable if each.has_calls]
    assert rate([each.inference.clean for each in usable if each.inference]) >= LEAST_CLEAN
    assert rate([each.inference.clean for each in with_calls if each.inference]) >= LEAST_CLEAN_WITH_CALLS
    assert rate([not each.inference.warnings for each in usable if each.inference]) >= LEAST_SILENT


def rate(told: list[bool]) -> float:
    return sum(told) / len(told)
