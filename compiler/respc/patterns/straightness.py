"""Whether steps leave no choice to go back to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.classes import disjoint, has
from respc.patterns.steps import (
    Ahead,
    AtEnd,
    AtStart,
    Behind,
    Echo,
    Echoed,
    Gap,
    GroupEnd,
    GroupStart,
    Here,
    Last,
    Run,
    Step,
    Value,
)

if TYPE_CHECKING:
    from respc.patterns.syntax import OneOf


def is_straight(
    steps: tuple[Step, ...], anchored: bool, before: OneOf | None, *, whole: bool, stable: bool
) -> bool:
    """Tell whether there is never a choice to go back to."""
    if any(isinstance(step, AtStart | AtEnd) for step in steps):
        return False
    first = next(iter(steps), None)
    if first is None:
        return anchored
    if not anchored and not _can_be_sought(first, steps[1:]) and not (whole and leading_run(steps)):
        return False
    is_lazy = any(isinstance(step, Run) and step.lazy and step.low != step.high for step in steps)
    if is_lazy and not (whole or stable):
        return False  # `regex` reports a partial match where it looks for the text after such a run, not where it fits
    if before is not None and not (isinstance(first, Here) and not has(before, first.text[0])):
        return False
    if any(isinstance(step, Here | Gap | Value | Behind | Last) and "\0" in step.text for step in steps):
        return False
    for position, step in enumerate(steps):
        rest = steps[position + 1 :]
        match step:
            case Run():
                if not _run_is_straight(step, rest):
                    return False
            case Gap() | Value() | Echoed() | Last():
                if not is_nullable(rest):
                    return False
                if isinstance(step, Value) and step.trims and has(step.trims.members, step.text[0]):
                    return False
            case Echo():
                return False
            case Ahead():
                if any(isinstance(other, GroupStart | GroupEnd | Ahead) for other in rest) or not rest:
                    return False
            case _:
                pass
    return True


def _can_be_sought(first: Step, rest: tuple[Step, ...]) -> bool:
    """Tell whether a pattern begins with a text, matched or only looked at, or with a look at a text further on."""
    if isinstance(first, Ahead):
        return isinstance(next(iter(rest), None), Here | Gap)
    return isinstance(first, Here)


def leading_run(steps: tuple[Step, ...]) -> Run | None:
    """Give the run that steps begin with, if it takes something and where it begins makes no difference."""
    if any(isinstance(step, Echoed) for step in steps):
        return None
    first = next((step for step in steps if not isinstance(step, GroupStart)), None)
    return first if isinstance(first, Run) and first.low and first.high is None else None


def _run_is_straight(run: Run, rest: tuple[Step, ...]) -> bool:
    """Tell whether ending a run elsewhere than as late as it can could never help what follows.

    A lazy run has to end as early as it can: that is the same where what follows fits nowhere else.
    """
    if run.low == run.high:
        return True
    if is_nullable(rest):
        return not run.lazy
    for step in rest:
        match step:
            case Here(text):
                return not has(run.members, text[0])
            case Echoed(members=members) if members == run.members:
                return False  # a shorter key has another mark
            case Gap(0, text) | Value(_, text) | Echoed(_, text):
                return not run.lazy and not has(run.members, text[0])
            case Behind():
                continue
            case Run(members, low, _):
                if not disjoint(run.members, members):
                    return False
                if low:
                    return True
            case _:
                continue
    return False


def needs_memo(run: Run, head: str, rest: tuple[Step, ...]) -> bool:
    """Tell whether the heads of other attempts can stand in a run that more has to follow."""
    return run.high is None and not is_nullable(rest) and (not head or has(run.members, head[0]))


def is_nullable(steps: tuple[Step, ...]) -> bool:
    """Tell whether steps always succeed at once, at worst without taking anything."""
    return all(
        (isinstance(step, Run) and step.low == 0) or isinstance(step, GroupStart | GroupEnd) for step in steps
    )
