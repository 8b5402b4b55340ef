"""From findings to causes: one explanation for all rows that have the same fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from respc.verifying.outcomes import Cause, Finding, Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.verifying.generations import Generation

_TAIL: Final = 60
"""How much of a prompt is shown."""
_AROUND: Final = 40
"""How much of a text is shown on either side of what shows a fault."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A row, and why it is not `ok`.

    Attributes:
        row: the row.
        finding: why; None where nothing is to be said.
        generation: the text; None where there is none.
    """

    row: Row
    finding: Finding | None = None
    generation: Generation | None = None


def causes_of(occurrences: Sequence[Occurrence]) -> list[Cause]:
    """Group findings by what they are and what they are about, the faults of the response template first."""
    groups: dict[tuple[str, str], list[Occurrence]] = {}
    for each in occurrences:
        if each.finding is not None:
            groups.setdefault((each.finding.kind.value, each.finding.subject), []).append(each)
    causes = [_cause(group) for group in groups.values()]
    return sorted(causes, key=lambda cause: (not cause.counts, -cause.rows))


def _cause(group: Sequence[Occurrence]) -> Cause:
    first = min(group, key=_telling)
    found, generation = first.finding, first.generation
    assert found is not None
    text, caret = ("", None) if generation is None else _shown(generation.text, found)
    return Cause(
        kind=found.kind,
        subject=found.subject,
        detail=found.detail,
        rows=len(group),
        features=list(dict.fromkeys(each.row.feature for each in group)),
        contexts=list(dict.fromkeys(each.row.context for each in group)),
        prefix="" if generation is None else generation.cut.prefix[-_TAIL:],
        text=text,
        caret=caret,
        caret_length=found.length,
    )


def _telling(occurrence: Occurrence) -> tuple[bool, int]:
    """Order occurrences by how well they show a fault: short texts do, behind a prompt that is none of the text."""
    generation = occurrence.generation
    return (False, 0) if generation is None else (generation.case.feature.prefill, len(generation.text))


def _shown(text: str, found: Finding) -> tuple[str, int | None]:
    """Cut a text down to what is around the place of a fault; give that place in it, too."""
    if found.at is None:
        return text[: 2 * _AROUND], None
    start = max(0, found.at - _AROUND)
    return text[start : found.at + found.length + _AROUND], found.at - start
