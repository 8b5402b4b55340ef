"""How the steps of a lowered pattern are written: a matcher for each of its alternatives."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING

import regex

from respc.codegen.literals import display_dict, literal, pattern_literal
from respc.codegen.names import Names, identifier_part
from respc.codegen.plan import MatcherPlan, StepPlan
from respc.patterns.classes import only_member
from respc.patterns.parse import escaped_member, whitespace
from respc.patterns.steps import (
    Ahead,
    Behind,
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
from respc.patterns.straightness import needs_memo
from respc.patterns.syntax import OneOf

if TYPE_CHECKING:
    from collections.abc import Iterable

    from respc.codegen.module_writer import ModuleWriter

_TAKING = (Here, Behind, Last, Gap, Value, Echoed, Run)


def plan_matcher(
    own: str,
    steps: tuple[Step, ...],
    head_length: int,
    captures: frozenset[str],
    writer: ModuleWriter,
    head: str | None,
    *,
    is_tag: bool = False,
    stable: bool = False,
) -> MatcherPlan:
    """Plan the function that matches an alternative where its head stands.

    Args:
        own: a part of an identifier.
        steps: what comes after the head.
        head_length: the length of the head; 0 if the steps begin with it.
        captures: the groups that are used.
        writer: where constants and imports go.
        head: the text that an attempt begins with, "" where that is no text; None where there is only one attempt.
        is_tag: whether all tags of a text are matched, and each has all groups that are used.
        stable: whether it tells a match that more text could still make longer.
    """
    plans: list[StepPlan] = []
    wakes: list[tuple[str, str]] = []
    trailing = _trailing_runs(steps)
    memo_numbers = _memo_numbers(steps, head, writer, is_tag=is_tag)
    variables = _variables(steps, captures)
    growing = _growing(steps) if stable else {}
    outcome = (
        f"{writer.runtime('GROWING')} if {' or '.join(growing.values())} else MATCH" if growing else "MATCH"
    )
    for position, step in enumerate(steps):
        rest = steps[position + 1 :]
        if isinstance(step, GroupStart | GroupEnd) and step.name not in variables:
            continue
        plan = _step(own, step, rest, plans, head_length, variables, stable, writer)
        if isinstance(step, Run):
            writer.runtime("skip_known_run" if position in memo_numbers else "skip_run")
        if position in growing:
            plan = replace(plan, notes_growth=isinstance(step, Last) or plan.bounded)
        if position in memo_numbers:
            if isinstance(step, Gap | Value):
                writer.runtime("find_known")
            plan = replace(plan, memo_number=memo_numbers[position])
        if position in trailing:
            if position != trailing[-1]:
                plan = replace(plan, end_name=f"run_end_{len(wakes) + 1}")
            wakes.append((plan.wake_code, f"{plan.end_name or 'place'} == len(text)"))
        elif isinstance(step, Last) and stable:
            wakes.append((plan.wake_code, "ran_out"))
        plans.append(plan)
    for name in ("MATCH", "Matched", "Memo"):
        writer.runtime(name)
    groups = [name for name in variables if name in captures]
    values = [(literal(name), f"text[{variables[name]}_start:{variables[name]}_end]") for name in groups]
    if is_tag:
        values += [(literal(name), "None") for name in sorted(captures - variables.keys())]
    looks_ahead = any(isinstance(step, Ahead) for step in steps)
    return MatcherPlan(
        name=writer.names.take(f"_match_{own}"),
        head_length=head_length,
        steps=tuple(plans),
        outcome_code=outcome,
        end_code="end" if looks_ahead else "place",
        groups_code=display_dict(values) if values else "None",
        # A run that is only looked at makes no match longer: any text settles it.
        wake_code="None" if looks_ahead else _first_wake(wakes),
    )


def _trailing_runs(steps: tuple[Step, ...]) -> list[int]:
    """Find the runs that a match ends with, each of which can be the one that reaches the end of the text."""
    found: list[int] = []
    for position in reversed(range(len(steps))):
        step = steps[position]
        if isinstance(step, Run):
            found.append(position)
        if isinstance(step, _TAKING) and not (isinstance(step, Run) and step.low == 0):
            break
    return found[::-1]


def _first_wake(wakes: list[tuple[str, str]]) -> str:
    """Write what wakes the text: the first run that reached its end goes on, and those behind it have nothing yet.

    Args:
        wakes: of each run that can, what wakes it, and whether it reached the end.
    """
    if not wakes:
        return "None"
    *others, (last, _) = wakes
    return "".join(f"{wake} if {test} else " for wake, test in others) + last


def _growing(steps: tuple[Step, ...]) -> dict[int, str]:
    """Write for the steps that could make a whole match longer, if more text came, when that is so."""
    if any(isinstance(step, Ahead) for step in steps):
        return {}
    moves = [(place, step) for place, step in enumerate(steps) if not isinstance(step, GroupStart | GroupEnd)]
    tests = {place: "ran_out" for place, step in moves if isinstance(step, Last)}
    place, last = moves[-1] if moves else (0, None)
    if isinstance(last, Run) and last.low != last.high:
        tests[place] = "place == len(text)"
        # A full run is done: one before it has ended, or this one would be empty.
        if last.high is not None:
            tests[place] += f" and place < begin + {last.high}"
    return tests


def _memo_numbers(
    steps: tuple[Step, ...], head: str | None, writer: ModuleWriter, *, is_tag: bool
) -> dict[int, int]:
    """Number the steps that attempts from several places would take over the same text.

    Those are the runs in which heads can stand, so that a later attempt comes to them again, and gaps behind such runs;
    of tags all gaps, since the text is searched for more of them behind each.
    """
    numbers: dict[int, int] = {}
    for position, step in enumerate(steps):
        rest = steps[position + 1 :]
        if (
            isinstance(step, Last | Echoed)
            or (isinstance(step, Gap | Value) and (is_tag or numbers))
            or (isinstance(step, Run) and head is not None and needs_memo(step, head, rest))
        ):
            numbers[position] = writer.memo_numbers(2 if isinstance(step, Last) else 1)
    return numbers


def _variables(steps: tuple[Step, ...], captures: frozenset[str]) -> dict[str, str]:
    """Name the variables of the groups that are used."""
    names = Names()
    used = captures | {step.key for step in steps if isinstance(step, Echoed)}
    groups = dict.fromkeys(
        step.name for step in steps if isinstance(step, GroupStart | Value | Echoed) and step.name in used
    )
    return {group: names.take(identifier_part(group)) for group in groups}


def _step(
    own: str,
    step: Step,
    rest: tuple[Step, ...],
    before: list[StepPlan],
    head_length: int,
    variables: dict[str, str],
    stable: bool,
    writer: ModuleWriter,
) -> StepPlan:
    match step:
        case Here(text):
            writer.runtime("unfinished")
            return StepPlan("here", literal(text), len(text), retry_code=_retry(before, head_length))
        case Run(members, low, high):
            needs_more = any(
                other.low > 0 if isinstance(other, Run) else isinstance(other, _TAKING) for other in rest
            )
            if needs_more or low:
                writer.runtime("PENDING")
            if low:
                writer.runtime("MISMATCH")
            return StepPlan(
                "run",
                low=low,
                run_code=_run(own, members, high, writer),
                wake_code=wake_of_run(own, members, writer) if high is None else "None",
                may_run_out=needs_more,
                bounded=high is not None,
                retry_code=_retry(before, head_length),
            )
        case Gap(low, text):
            writer.runtime("PENDING")
            return StepPlan("gap", literal(text), len(text), low, wake_code=wake_of_text(own, text, writer))
        case Value(name, text, trims):
            writer.runtime("PENDING")
            return StepPlan(
                "value",
                literal(text),
                len(text),
                wake_code=wake_of_text(own, text, writer),
                variable=variables.get(name, ""),
                value_end_code=_value_end(trims, writer),
            )
        case Behind(text):
            writer.runtime("MISMATCH")
            return StepPlan("behind", literal(text), len(text), retry_code=_retry(before, head_length))
        case Last(members, low, text):
            for name in ("MISMATCH", "PENDING", "find_last_known", "skip_known_run"):
                writer.runtime(name)
            return StepPlan(
                "last",
                literal(text),
                len(text),
                low,
                run_code=_run(own, members, None, writer),
                # Where the last text of a run stands is known when the run ends, and not before.
                wake_code=wake_of_run(own, members, writer)
                if stable
                else _wake_of_last(own, members, text, writer),
                retry_code=_retry(before, head_length),
            )
        case Echoed(name, mark, key, members, end, trims):
            writer.runtime("MISMATCH")
            writer.runtime("find_echo")
            marks = f"{regex.escape(mark)}({members.source}*){regex.escape(end)}"
            return StepPlan(
                "echoed",
                length=len(mark) + len(end),
                variable=variables.get(name, ""),
                value_end_code=_value_end(trims, writer),
                key_variable=variables[key],
                marks_code=writer.pattern(f"{own}_marks", marks),
            )
        case GroupStart(name):
            return StepPlan("group_start", variable=variables[name])
        case GroupEnd(name, back):
            return StepPlan("group_end", variable=variables[name], back=back)
        case Ahead():
            return StepPlan("ahead")
        case _:
            raise AssertionError(f"{step} is no step of a matcher")


def _value_end(trims: Run | None, writer: ModuleWriter) -> str:
    """Write where a value ends, less what stands before the text that was ``found``."""
    if trims is None:
        return "found"
    if trims.high is None:
        return f'{writer.runtime("run_before")}(text, place, found, {writer.runtime("BLANKS")}, "")'
    character = only_member(trims.members)
    assert character is not None, "what is trimmed is one character, if it is not blanks"
    return f"found - text.endswith({literal(character)}, place, found)"


def _retry(before: list[StepPlan], head_length: int) -> str:
    """Write where to go on after a mismatch.

    After a run right behind the head, every attempt that begins inside the run fails at the same place.
    """
    moves = [plan for plan in before if plan.kind not in ("group_start", "group_end")]
    if head_length and len(moves) == 1 and moves[0].kind == "run" and not moves[0].bounded:
        return f"place - {head_length - 1}" if head_length > 1 else "place"
    return "start + 1"


def _run(own: str, members: OneOf, high: int | None, writer: ModuleWriter) -> str:
    """Give the name of what matches as long a run of a class as there is."""
    if members.is_blanks and high is None:
        return writer.runtime("BLANK_RUN")
    repeat = "*" if high is None else f"{{0,{high}}}"
    return write_class(f"{own}_run", members, repeat, writer)


def wake_of_run(own: str, members: OneOf, writer: ModuleWriter) -> str:
    """Give the name of what ends a run."""
    if members.is_blanks:
        return writer.runtime("BLANKS_END")
    if members.negated and not members.members:
        return writer.runtime("NEVER")
    opposite = OneOf(members.characters, not members.negated, members.members)
    search = write_class(f"{own}_run_end", opposite, "", writer)
    return writer.constant(f"{own}_wake", f"({search}.search, 0)", writer.runtime("Wake"))


def wake_of_text(own: str, text: str, writer: ModuleWriter) -> str:
    """Give the name of what finds a text."""
    search = writer.alternation(f"{own}_gap_end", (text,))
    return writer.constant(f"{own}_wake", f"({search}.search, {len(text) - 1})", writer.runtime("Wake"))


def _wake_of_last(own: str, members: OneOf, text: str, writer: ModuleWriter) -> str:
    """Give the name of what ends a run, or the text that is looked for in it."""
    ends = OneOf(members.characters, not members.negated, members.members)
    source = regex.escape(text) if ends.source is None else f"{regex.escape(text)}|{ends.source}"
    search = writer.pattern(f"{own}_last_end", source)
    return writer.constant(f"{own}_wake", f"({search}.search, {len(text) - 1})", writer.runtime("Wake"))


def write_class(name: str, members: OneOf, repeat: str, writer: ModuleWriter) -> str:
    """Add a compiled class: of `re` where its characters are listed, since both modules agree on those."""
    if members.characters is None:
        assert members.source is not None, "a class that cannot be written is not lowered"
        return writer.pattern(name, members.source + repeat)
    if not members.characters:  # all characters, since a class of none cannot be written
        return writer.constant(name, compiled([rf"[\s\S]{repeat}"], writer))
    return writer.constant(name, compiled([*listed_class(members), repeat], writer))


def listed_class(members: OneOf) -> list[str | None]:
    """Write a class whose characters are listed, in pieces for `compiled`."""
    assert members.characters, "the characters of the class are listed"
    blanks = members.characters >= whitespace()
    others = sorted(members.characters - whitespace() if blanks else members.characters)
    start = f"[{'^' if members.negated else ''}" + "".join(map(escaped_member, others))
    return [start, None, "]"] if blanks else [f"{start}]"]


def compiled(pieces: Iterable[str | None], writer: ModuleWriter) -> str:
    """Write a pattern of `re`, of pieces of which None stands for all blanks, which the runtime lists."""
    writer.standard_imports.add("import re")
    codes: list[str] = []
    for blank, run in groupby(pieces, lambda piece: piece is None):
        codes.append(writer.runtime("BLANKS") if blank else pattern_literal("".join(filter(None, run))))
    return f"re.compile({' + '.join(codes)})"
