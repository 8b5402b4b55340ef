"""From a pattern's syntax tree to steps that plain code can take.

Only patterns for which that is the same as what `regex` does are lowered: at every place there is one way to go on,
so a match, a mismatch, or running out of text is found in one pass. What cannot be shown to be so is left alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import permutations
from typing import TypeAlias

import regex

from respc.patterns.parse import escaped_member, whitespace
from respc.patterns.steps import (
    Ahead,
    AheadEnd,
    Alternative,
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
    Steps,
    Value,
)
from respc.patterns.syntax import (
    Assertion,
    Choice,
    Group,
    LookAhead,
    Node,
    OneOf,
    Reference,
    Repeat,
    Sequence,
    Text,
)

BLANK = OneOf(whitespace(), members=r"\s")
_MOST_ALTERNATIVES = 12
_MOST_STEPS = 24

_Piece: TypeAlias = Step | Repeat | AheadEnd


def lower_to_steps(tree: Node, *, whole: bool = False) -> Steps | None:
    """Lower a pattern, or give None where that is not known to be the same.

    Args:
        tree: the pattern.
        whole: whether it is for text of which no more can come.
    """
    expanded = _expand(tree)
    if expanded is None:
        return None
    last = expanded[-1]
    end = last[0] if len(last) == 1 and isinstance(last[0], AtEnd) else None
    if end is not None:
        del expanded[-1]
    alternatives: list[Alternative] = []
    for position, pieces in enumerate(expanded):
        alternative = _alternative(pieces, is_last=position == len(expanded) - 1, whole=whole)
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


def _expand(node: Node) -> list[tuple[_Piece, ...]] | None:
    """Write a pattern as a list of plain sequences, in order of preference."""
    match node:
        case Text(character):
            return [(Here(character),)]
        case OneOf():
            return [(Run(node, 1, 1),)] if node.source else None
        case Sequence(items):
            return _expand_sequence(items)
        case Choice(branches):
            parts = [_expand(branch) for branch in branches]
            return _bounded([way for part in parts for way in part or []]) if None not in parts else None
        case Repeat():
            return _expand_repeat(node)
        case Group(item, name):
            inner = _expand(item)
            if inner is None or name is None:
                return inner
            return [(GroupStart(name), *way, GroupEnd(name)) for way in inner]
        case Reference(name):
            return [(Echo(name),)]
        case LookAhead(item, negative=False):
            inner = _expand(item)
            return None if inner is None else [(Ahead(), *way, AheadEnd()) for way in inner]
        case Assertion(kind="start"):
            return [(AtStart(),)]
        case Assertion(kind="end" | "last line end" as kind):
            return [(AtEnd(before_newline=kind == "last line end"),)]
        case _:
            return None


def _expand_sequence(items: tuple[Node, ...]) -> list[tuple[_Piece, ...]] | None:
    ways: list[tuple[_Piece, ...]] = [()]
    for item in items:
        more = _expand(item)
        if more is None:
            return None
        bounded = _bounded([way + tail for way in ways for tail in more])
        if bounded is None:
            return None
        ways = bounded
    return ways


def _expand_repeat(node: Repeat) -> list[tuple[_Piece, ...]] | None:
    item = node.item
    members = item if isinstance(item, OneOf) else None
    if isinstance(item, Text):
        members = OneOf(frozenset(item.character), members=escaped_member(item.character))
    if node.low == 0 and node.high == 1 and not isinstance(item, OneOf):
        inner = _expand(item)
        if inner is None:
            return None
        return _bounded([(), *inner] if node.lazy else [*inner, ()])
    if members is None or members.source is None:
        return None
    if node.lazy and node.high is None and _is_any(members):
        return [(node,)]
    return [(Run(members, node.low, node.high, node.lazy),)]


def _bounded(ways: list[tuple[_Piece, ...]]) -> list[tuple[_Piece, ...]] | None:
    return ways if len(ways) <= _MOST_ALTERNATIVES else None


def _alternative(pieces: tuple[_Piece, ...], *, is_last: bool, whole: bool) -> Alternative | None:
    merged = _merge(pieces)
    if merged is None or len(merged) > _MOST_STEPS:
        return None
    if not is_last and _may_end_on_nul(merged):
        return None
    anchored = bool(merged) and isinstance(merged[0], AtStart)
    steps = _with_echoes(_with_certain_ends(merged[1:] if anchored else merged))
    before: OneOf | None = None
    if not anchored and steps and isinstance(steps[0], Run):
        first = steps[0]
        if repeated := _only_member(first.members):
            # Of one character, the first ones are as good as a text.
            more = None if first.high is None else first.high - first.low
            if first.low:
                steps = (Here(repeated * first.low), Run(first.members, 0, more, first.lazy), *steps[1:])
        stands_before = not first.low and first.high is None and not first.lazy
        if isinstance(steps[0], Run) and stands_before and _can_stand_before(first.members):
            before, steps = first.members, steps[1:]
    if not _is_straight(steps, anchored, before, whole=whole):
        return None
    greedy = [replace(step, lazy=False) if isinstance(step, Run) else step for step in steps]
    return Alternative(anchored, before, tuple(greedy))


def _only_member(members: OneOf) -> str | None:
    """Give the character of a class that has just one."""
    if members.negated or members.characters is None or len(members.characters) != 1:
        return None
    return min(members.characters)


def _may_end_on_nul(steps: tuple[Step, ...]) -> bool:
    """Tell whether one U+0000 after the text could complete a match, which the interpreter's probe would then see."""
    for position, step in enumerate(steps):
        if (
            isinstance(step, Run)
            and step.low
            and _is_nullable(steps[position + 1 :])
            and _has(step.members, "\0")
        ):
            return True
    return False


def _can_stand_before(members: OneOf) -> bool:
    """Tell whether the place where a run of the class began can be found by looking back."""
    return members.characters is not None


def _is_straight(steps: tuple[Step, ...], anchored: bool, before: OneOf | None, *, whole: bool) -> bool:
    """Tell whether there is never a choice to go back to."""
    if any(isinstance(step, AtStart | AtEnd) for step in steps):
        return False
    first = next(iter(steps), None)
    if first is None:
        return anchored
    if not anchored and not _can_be_sought(first, steps[1:]) and not (whole and leading_run(steps)):
        return False
    if not whole and any(isinstance(step, Run) and step.lazy and step.low != step.high for step in steps):
        return False  # `regex` reports a partial match where it looks for the text after such a run, not where it fits
    if before is not None and not (isinstance(first, Here) and not _has(before, first.text[0])):
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
                if not _is_nullable(rest):
                    return False
                if isinstance(step, Value) and step.trims and _has(BLANK, step.text[0]):
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
    if _is_nullable(rest):
        return not run.lazy
    for step in rest:
        match step:
            case Here(text):
                return not _has(run.members, text[0])
            case Echoed(members=members) if members == run.members:
                return False  # a shorter key has another mark
            case Gap(0, text) | Value(_, text) | Echoed(_, text):
                return not run.lazy and not _has(run.members, text[0])
            case Behind():
                continue
            case Run(members, low, _):
                if not _disjoint(run.members, members):
                    return False
                if low:
                    return True
            case _:
                continue
    return False


def _with_certain_ends(steps: tuple[Step, ...]) -> tuple[Step, ...]:
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
        if not ended and (run.lazy or after > position + 1 or not _is_nullable(steps[after + 1 :])):
            continue
        changed: list[Step]
        if ended:
            changed = [longer]
            changed += [replace(group_end, back=len(inside))] if isinstance(group_end, GroupEnd) else []
            changed += [Behind(inside)] + ([Here(outside)] if outside else [])
        else:
            changed = [Last(run.members, run.low, inside)]
        return (*steps[:position], *changed, *_with_certain_ends(steps[after + 1 :]))
    return tuple(written)


def _with_echoes(steps: tuple[Step, ...]) -> tuple[Step, ...]:
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
            or _has(members, end.text[0])
            or _has(members, start[0])
            or start[0] in start[1:] + end.text
            or (value.trims and _has(BLANK, start[0]))
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


def _split(text: str, members: OneOf) -> tuple[str, str]:
    """Split a text before its first character that is not of a class."""
    length = next((place for place, character in enumerate(text) if not _has(members, character)), len(text))
    return text[:length], text[length:]


def _begins_elsewhere(steps: tuple[Step, ...], members: OneOf) -> bool:
    """Tell whether steps begin with at least one character that is not of a class."""
    for step in steps:
        match step:
            case GroupStart() | GroupEnd():
                continue
            case Run(others, low, _):
                return low > 0 and _disjoint(members, others)
            case _:
                return False
    return False


def needs_memo(run: Run, head: str, rest: tuple[Step, ...]) -> bool:
    """Tell whether the heads of other attempts can stand in a run that more has to follow."""
    return run.high is None and not _is_nullable(rest) and (not head or _has(run.members, head[0]))


def _is_nullable(steps: tuple[Step, ...]) -> bool:
    """Tell whether steps always succeed at once, at worst without taking anything."""
    return all(
        (isinstance(step, Run) and step.low == 0) or isinstance(step, GroupStart | GroupEnd) for step in steps
    )


def _merge(pieces: tuple[_Piece, ...]) -> tuple[Step, ...] | None:
    """Join single characters to texts, and lazy gaps to the text that ends them."""
    steps: list[Step] = []
    waiting: list[_Piece] = []  # a lazy gap, and what came after it until a text ends it
    for position, piece in enumerate(pieces):
        last = steps[-1] if steps else None
        if isinstance(piece, AheadEnd):
            if position != len(pieces) - 1:
                return None
        elif isinstance(piece, Repeat) or (waiting and not isinstance(piece, Here)):
            waiting.append(piece)
        elif isinstance(piece, Here) and waiting:
            ended = _ended_gap(waiting, piece.text, last)
            if ended is None:
                return None
            if isinstance(ended, Value):
                steps.pop()
            steps.append(ended)
            waiting = []
        elif isinstance(piece, Here) and isinstance(last, Here | Gap | Value):
            steps[-1] = replace(last, text=last.text + piece.text)
        else:
            steps.append(piece)
    return None if waiting else tuple(steps)


def _ended_gap(waiting: list[_Piece], text: str, last: Step | None) -> Gap | Value | None:
    """Make a step of a lazy gap and the text that ends it; None for one that is more than that."""
    match waiting:
        case [Repeat(low=low)]:
            return Gap(low, text)
        case [Repeat(low=0), GroupEnd(name), *blanks] if last == GroupStart(name) and blanks in (
            [],
            [Run(BLANK, 0, None)],
        ):
            return Value(name, text, trims=bool(blanks))
        case _:
            return None


@cache
def _matcher(source: str) -> regex.Pattern[str]:
    return regex.compile(source, regex.DOTALL)


def _has(members: OneOf, character: str) -> bool:
    """Ask `regex` itself whether a character is of a class."""
    assert members.source is not None
    return _matcher(members.source).match(character) is not None


def _disjoint(one: OneOf, two: OneOf) -> bool:
    """Tell whether two classes share no character, where one of them can be listed."""
    for listed, other in ((one, two), (two, one)):
        if listed.characters is not None and not listed.negated:
            return not any(_has(other, character) for character in listed.characters)
    return False


def _is_any(members: OneOf) -> bool:
    return members.source in (r"[\s\S]", r"[\S\s]", r"[\w\W]", r"[\W\w]", r"[\d\D]", r"[\D\d]")
