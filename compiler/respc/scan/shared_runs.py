"""Runs that delimiters begin with, and in which others can stand: in `\\s*</a>|\\n`, blanks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.patterns.syntax import OneOf, Repeat, Text
from respc.scan.beginnings import begun_of
from respc.scan.language import Language, fits_in_run
from respc.scan.shapes import leading_run, starts_message
from respc.scan.spelling import Spelling
from respc_runtime.beginnings import either
from respc_runtime.searches import LeadingRun

if TYPE_CHECKING:
    from respc.patterns.syntax import Node
    from respc.scan.plans import Part


@dataclass(frozen=True, slots=True)
class SharedRun:
    """A run that others share.

    Attributes:
        group: the delimiter that begins with it.
        leading: how it is looked at once where it leads nowhere; None where it is not the only run of its kind.
        is_slow: whether the rest of it is looked through after each of the others all the same.
    """

    group: str
    leading: LeadingRun | None
    is_slow: bool


def shared_run(
    parts: list[Part], branches: list[tuple[str, Node]], alphabet: str, *, hides: bool
) -> SharedRun | None:
    """Find a run that a delimiter begins with and in which another can stand.

    Args:
        parts: the delimiters of a state,
        branches: and their branches as they are searched, each with the group of its delimiter.
        alphabet: as of `Language`.
        hides: as of the state's expressions.
    """
    found = [
        (group, one)
        for group, branch in branches
        if (one := _repeated(branch)) is not None
        and any(
            fits_in_run(Language(other, alphabet), one)
            for _, other in branches
            if other is not branch and not starts_message(other)
        )
    ]
    if not found:
        return None
    group, one = found[0]
    leading = _leading(branches, one)
    is_eager = not hides and any(each.judged.needs_eager for each in parts)
    return SharedRun(group, leading, leading is None or is_eager or _others_count_first(parts, one))


def _repeated(branch: Node) -> Text | OneOf | None:
    """Give what the run that a branch begins with is made of."""
    run = leading_run(branch)
    return run.item if run is not None and isinstance(run.item, Text | OneOf) else None


def _leading(branches: list[tuple[str, Node]], one: Text | OneOf) -> LeadingRun | None:
    """Write a run, if all delimiters that begin with one begin with this."""
    from_run = [branch for _, branch in branches if leading_run(branch) is not None]
    if any(_repeated(branch) != one for branch in from_run):
        return None
    spelling = Spelling()
    run = spelling.write(Repeat(one, 0, None))
    return LeadingRun(run, either(*map(spelling.write, from_run)), begun_of(from_run))


def _others_count_first(parts: list[Part], one: Text | OneOf) -> bool:
    """Tell whether what can stand in a run may be taken though what begins with the run is whole, or has begun."""
    for each in parts:
        stands_before = bool(each.judged.certain)
        for branch in each.judged.alternatives:
            if stands_before and leading_run(branch) is not None:
                return True
            stands_before |= fits_in_run(Language(branch, each.judged.language.alphabet), one)
    return False
