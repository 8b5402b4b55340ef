"""Runs and values whose end is certain though what comes after them seems to leave a choice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.patterns.classes import disjoint, has
from respc.patterns.steps import Behind, Echo, Echoed, GroupEnd, GroupStart, Here, Last, Run, Step, Value
from respc.patterns.straightness import is_nullable

if TYPE_CHECKING:
    from respc.patterns.syntax import OneOf


def with_certain_ends(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Rewrite runs followed by a text of their own class, where that text can stand at one place only.

    If what comes after the text is of another class, that place is the end of the run. If nothing has to come after it,
    a greedy run goes on to the last such text in it.
    """
    written = list(steps)
    for position, run in enumerate(steps):
        after = position + 1
        group_end = steps[after] if after < len(steps) else None
        if isinstance(group_end, GroupEnd):
            after += 1
        following = steps[after] if after < len(steps) else None
        if not isinstance(run, Run) or run.high is not None or not isinstance(following, Here):
            continue
        inside, outside = _split(following.text, run.members)
        if not inside:
            continue
        longer = replace(run, low=run.low + len(inside))
        ended = bool(outside) or _begins_elsewhere(steps[after + 1 :], run.members)
        if not ended and (run.lazy or after > position + 1 or not is_nullable(steps[after + 1 :])):
            continue
        changed: list[Step]
        if ended:
            changed = [longer]
            changed += [replace(group_end, back=len(inside))] if isinstance(group_end, GroupEnd) else []
            changed += [Behind(inside)] + ([Here(outside)] if outside else [])
        else:
            changed = [Last(run.members, run.low, inside)]
        return (*steps[:position], *changed, *with_certain_ends(steps[after + 1 :]))
    return tuple(written)


def _split(text: str, members: OneOf) -> tuple[str, str]:
    """Split a text before its first character that is not of a class."""
    length = next((place for place, character in enumerate(text) if not has(members, character)), len(text))
    return text[:length], text[length:]


def _begins_elsewhere(steps: tuple[Step, ...], members: OneOf) -> bool:
    """Tell whether steps begin with at least one character that is not of a class."""
    for step in steps:
        match step:
            case GroupStart() | GroupEnd():
                continue
            case Run(others, low, _):
                return low > 0 and disjoint(members, others)
            case _:
                return False
    return False


def with_echoes(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Rewrite values that end where a group that a run filled stands again between two texts.

    Whatever run of that class stands between the two texts anywhere is then a whole mark, and no mark lies in another.
    """
    for position, (value, echo, end) in enumerate(zip(steps, steps[1:], steps[2:], strict=False)):
        if not (isinstance(value, Value) and isinstance(echo, Echo) and isinstance(end, Here)):
            continue
        members = _run_of_group(echo.name, steps[:position])
        start = value.text
        if (
            members is None
            or has(members, end.text[0])
            or has(members, start[0])
            or start[0] in start[1:] + end.text
            or (value.trims is not None and has(value.trims.members, start[0]))
        ):
            continue
        echoed = Echoed(value.name, start, echo.name, members, end.text, value.trims)
        return (*steps[:position], echoed, *steps[position + 3 :])
    return steps


def _run_of_group(name: str, steps: tuple[Step, ...]) -> OneOf | None:
    """Give the class of a run that is all of a group."""
    for start, run, end in zip(steps, steps[1:], steps[2:], strict=False):
        if start == GroupStart(name) and isinstance(run, Run) and end == GroupEnd(name):
            return run.members if run.high is None else None
    return None
