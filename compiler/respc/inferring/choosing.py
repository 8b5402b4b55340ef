"""Choosing among candidates: `check` says which may run, and `verify` which is right."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final, cast

from respc.api import check_template, load
from respc.diagnostics import Severity
from respc.errors import TemplateError
from respc.inferring.inference import TemplateWarning
from respc.verifying import Outcome, prove

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.inferring.candidates import Candidate
    from respc.verifying import Verification, Writings
    from respc.verifying.reading import Parser

_MOST_CHECKED: Final = 40
_MOST_TRIED: Final = 8
_NEVER_RUN: Final = frozenset({"RT220"})
"""Findings with which a pattern may take for ever, so that not even a trial is made."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate, and what is known of it.

    Attributes:
        candidate: the candidate.
        verification: what became of all that the chat template writes.
        warnings: what `check` says of it.
        tried: how many candidates were tried.
    """

    candidate: Candidate
    verification: Verification
    warnings: tuple[TemplateWarning, ...]
    tried: int


@dataclass(frozen=True, slots=True)
class _Checked:
    candidate: Candidate
    warnings: tuple[TemplateWarning, ...]


def choose(written: Writings, offered: Iterable[Candidate]) -> Choice | None:
    """Try candidates until one is right; else give the one that reads most. None where none can be tried.

    Args:
        written: all that the chat template writes of the usual messages.
        offered: the candidates, the likeliest first.
    """
    best: Choice | None = None
    fewest = 0
    for tried, checked in enumerate(islice(_runnable(offered), _MOST_TRIED), start=1):
        template = checked.candidate.template
        try:
            parser = cast("Parser", load(template))
        except TemplateError:
            continue
        proof = prove(written, template, parser)
        choice = Choice(checked.candidate, proof, checked.warnings, tried)
        if proof.clean and not checked.warnings:
            return choice
        faults = proof.counts()[Outcome.DIFFERS] * 10 + len(checked.warnings)
        if best is None or faults < fewest:
            best, fewest = choice, faults
    return best


def _runnable(offered: Iterable[Candidate]) -> Iterator[_Checked]:
    """Yield the candidates that may run: first those without warnings."""
    later: list[_Checked] = []
    for candidate in islice(offered, _MOST_CHECKED):
        found = [each for each in check_template(candidate.template) if each.severity is not Severity.NOTE]
        codes = {each.code.code for each in found}
        if codes & _NEVER_RUN or any(each.severity is Severity.ERROR for each in found):
            continue
        warnings = tuple(TemplateWarning(each.code.code, each.message, each.pointer) for each in found)
        checked = _Checked(candidate, warnings)
        if warnings:
            later.append(checked)
        else:
            yield checked
    yield from later
