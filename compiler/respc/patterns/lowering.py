"""From a pattern's syntax tree to steps that plain code can take.

Only patterns for which that is the same as what `regex` does are lowered: at every place there is one way to go on,
so a match, a mismatch, or running out of text is found in one pass. What cannot be shown to be so is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from respc.patterns.classes import has, only_member
from respc.patterns.expansion import Piece, expand, has_lazy_option, merge, with_short_runs
from respc.patterns.run_ends import with_certain_ends, with_echoes
from respc.patterns.steps import (
    Alternative,
    AtEnd,
    AtStart,
    Behind,
    Echoed,
    Gap,
    GroupEnd,
    Here,
    Last,
    Run,
    Step,
    Steps,
    Value,
)
from respc.patterns.straightness import is_nullable, is_straight, leading_run

if TYPE_CHECKING:
    from respc.patterns.syntax import Node, OneOf

_MOST_STEPS = 24


def lower_to_steps(tree: Node, *, whole: bool = False, stable: bool = False) -> Steps | None:
    """Lower a pattern, or give None where that is not known to be the same.

    Args:
        tree: the pattern.
        whole: whether it is for text of which no more can come.
        stable: whether partial matches are those that more text can complete, whatever `regex` reports.
    """
    return _lower(tree, whole, stable) or _lower(with_short_runs(tree), whole, stable)


def tag_ways(tree: Node) -> tuple[Alternative, ...] | None:
    """Lower the pattern of a tag to alternatives that begin with a text, or to one that begins with a run."""
    steps = lower_to_steps(tree, whole=True)
    if steps is None or steps.end is not None:
        return None
    runs = [leading_run(each.steps) for each in steps.alternatives]
    if any(runs) and len(runs) > 1:
        return None
    sought = all(
        run or isinstance(each.steps[0], Here) for each, run in zip(steps.alternatives, runs, strict=True)
    )
    return steps.alternatives if sought and not any(each.anchored for each in steps.alternatives) else None


def _lower(tree: Node, whole: bool, stable: bool) -> Steps | None:
    if has_lazy_option(tree) and not (whole or stable):
        return None  # as of lazy runs, `regex` reports partial matches where there is none
    expanded = expand(tree)
    if expanded is None:
        return None
    last = expanded[-1]
    end = last[0] if len(last) == 1 and isinstance(last[0], AtEnd) else None
    if end is not None:
        del expanded[-1]
    alternatives: list[Alternative] = []
    for position, pieces in enumerate(expanded):
        alternative = _alternative(pieces, is_last=position == len(expanded) - 1, whole=whole, stable=stable)
        if alternative is None:
            return None
        alternatives.append(alternative)
    if _choose_after_a_gap(alternatives) or _choose_in_a_run(alternatives):
        return None
    if not whole and any(isinstance(step, Echoed) for each in alternatives for step in each.steps):
        return None
    return Steps(tuple(alternatives), end)


def _choose_after_a_gap(alternatives: list[Alternative]) -> bool:
    """Tell whether alternatives part only after a gap: then the shorter gap is preferred, whichever has it."""
    before_gaps = [
        (alternative.anchored, alternative.before, alternative.steps[:position])
        for alternative in alternatives
        for position, step in enumerate(alternative.steps)
        if isinstance(step, Gap | Value | Echoed | Last)
    ]
    return len(set(before_gaps)) < len(before_gaps)


def _choose_in_a_run(alternatives: list[Alternative]) -> bool:
    """Tell whether alternatives share a run that one of them ends before the class does: then its length decides."""
    for one, two in permutations(alternatives, 2):
        for position, run in enumerate(one.steps):
            if not (
                isinstance(run, Last) or (isinstance(run, Run) and _gives_back(one.steps[position + 1 :]))
            ):
                continue
            other = two.steps[position] if position < len(two.steps) else None
            if (
                isinstance(other, Run | Last)
                and other.members == run.members
                and (one.anchored, one.before, one.steps[:position])
                == (two.anchored, two.before, two.steps[:position])
            ):
                return True
    return False


def _gives_back(rest: tuple[Step, ...]) -> bool:
    """Tell whether a run takes a text with it that comes after it."""
    behind = next((step for step in rest if not isinstance(step, GroupEnd)), None)
    return isinstance(behind, Behind)


def _alternative(
    pieces: tuple[Piece, ...], *, is_last: bool, whole: bool, stable: bool
) -> Alternative | None:
    merged = merge(pieces)
    if merged is None or len(merged) > _MOST_STEPS:
        return None
    if not is_last and _may_end_on_nul(merged):
        return None
    anchored = bool(merged) and isinstance(merged[0], AtStart)
    steps = with_echoes(with_certain_ends(merged[1:] if anchored else merged))
    before: OneOf | None = None
    if not anchored and steps and isinstance(steps[0], Run):
        first = steps[0]
        if repeated := only_member(first.members):
            # Of one character, the first ones are as good as a text.
            more = None if first.high is None else first.high - first.low
            if first.low:
                steps = (Here(repeated * first.low), Run(first.members, 0, more, first.lazy), *steps[1:])
        stands_before = not first.low and first.high is None and not first.lazy
        if isinstance(steps[0], Run) and stands_before and _can_stand_before(first.members):
            before, steps = first.members, steps[1:]
    if not is_straight(steps, anchored, before, whole=whole, stable=stable):
        return None
    greedy = [replace(step, lazy=False) if isinstance(step, Run) else step for step in steps]
    return Alternative(anchored, before, tuple(greedy))


def _may_end_on_nul(steps: tuple[Step, ...]) -> bool:
    """Tell whether one U+0000 after the text could complete a match, which the interpreter's probe would then see."""
    for position, step in enumerate(steps):
        if (
            isinstance(step, Run)
            and step.low
            and is_nullable(steps[position + 1 :])
            and has(step.members, "\0")
        ):
            return True
    return False


def _can_stand_before(members: OneOf) -> bool:
    """Tell whether the place where a run of the class began can be found by looking back."""
    return members.characters is not None
