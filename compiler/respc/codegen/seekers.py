"""How a pattern that was lowered to steps is written: a seeker, and a matcher for each of its alternatives."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import regex

from respc.codegen.literals import display_dict, literal, pattern_literal
from respc.codegen.names import Names, identifier_part
from respc.codegen.plan import MatcherPlan, StepPlan
from respc.patterns.lowering import needs_memo
from respc.patterns.parse import escaped_member, whitespace
from respc.patterns.steps import (
    Ahead,
    Alternative,
    Behind,
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
from respc.patterns.syntax import OneOf

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter


_MOST_STEPS = 100
_TAKING = (Here, Behind, Last, Gap, Value, Echoed, Run)


def write_steps(
    own: str, steps: Steps, captures: frozenset[str], writer: ModuleWriter
) -> tuple[str, tuple[MatcherPlan, ...]]:
    """Write the expression that seeks a lowered pattern, and plan the matchers that it calls.

    Args:
        own: a part of an identifier.
        steps: the lowered pattern.
        captures: the groups that are used.
        writer: where constants and imports go.
    """
    matchers: list[MatcherPlan] = []
    if not steps.alternatives:
        code = f"{writer.runtime('nothing_sought')}(text)"
    elif len(steps.alternatives) == 1:
        code = _alternative(own, steps.alternatives[0], captures, matchers, writer)
    else:
        code = _alternatives(own, steps.alternatives, captures, matchers, writer)
    if steps.end is not None:
        code = f"{writer.runtime('or_end')}(text, pos, at_end, {code}, {steps.end.before_newline})"
    if steps.alternatives:
        code = f"{writer.runtime('settled')}(text, at_end, {code})"
    return code, tuple(matchers)


def _alternatives(
    own: str,
    alternatives: tuple[Alternative, ...],
    captures: frozenset[str],
    matchers: list[MatcherPlan],
    writer: ModuleWriter,
) -> str:
    """Write the call that seeks several alternatives, and plan their matchers."""
    heads: list[str] = []
    ways: list[str] = []
    others: list[str] = []
    for rank, alternative in enumerate(alternatives):
        head = _head(alternative)
        if head is None:
            others.append(f"({rank}, {_alternative(own, alternative, captures, matchers, writer)})")
            continue
        heads.append(head)
        matchers.append(_matcher(own, alternative, captures, rank, writer))
        members, all_but, wake = _before(own, alternative.before, writer)
        ways.append(f"({rank}, {literal(head)}, {matchers[-1].name}, {members}, {all_but}, {wake})")
    # Where one head begins with another, both are tried at each place of the shorter one.
    found = [head for head in heads if not any(head != other and head.startswith(other) for other in heads)]
    search = (
        writer.alternation(f"{own}_heads", tuple(dict.fromkeys(found)))
        if found
        else writer.runtime("NO_HEAD")
    )
    arguments = ["text", "pos", "at_end", search, f"({''.join(f'{way}, ' for way in ways)})"]
    if others:
        arguments.append(f"({''.join(f'{other}, ' for other in others)})")
    return f"{writer.runtime('seek_ways')}({', '.join(arguments)})"


def _head(alternative: Alternative) -> str | None:
    """Give the text that an alternative begins with, if it can begin at more than one place."""
    steps = alternative.steps
    if alternative.anchored:
        return None
    head = steps[1] if isinstance(steps[0], Ahead) else steps[0]
    return head.text if isinstance(head, Here) else None


def _alternative(
    own: str,
    alternative: Alternative,
    captures: frozenset[str],
    matchers: list[MatcherPlan],
    writer: ModuleWriter,
) -> str:
    """Write the call that seeks one alternative, and plan its matcher."""
    steps = alternative.steps
    head = _head(alternative)
    if head is None and not alternative.anchored:
        gap = steps[1]
        assert isinstance(gap, Gap), "what is looked at begins with a text, or with a gap"
        wake = _wake_of_text(own, gap.text, writer)
        return f"{writer.runtime('seek_ahead')}(text, pos, at_end, {literal(gap.text)}, {gap.low}, {wake})"
    matcher = _matcher(own, alternative, captures, len(matchers), writer)
    matchers.append(matcher)
    if head is None:
        return f"{writer.runtime('seek_at_start')}(text, pos, at_end, {matcher.name})"
    arguments = ["text", "pos", "at_end", literal(head), matcher.name]
    if alternative.before is not None:
        members, all_but, wake = _before(own, alternative.before, writer)
        key, value = ("before", members) if all_but == '""' else ("before_all_but", all_but)
        arguments += [f"{key}={value}", f"before_wake={wake}"]
    return f"{writer.runtime('seek_steps')}({', '.join(arguments)})"


def _matcher(
    own: str, alternative: Alternative, captures: frozenset[str], number: int, writer: ModuleWriter
) -> MatcherPlan:
    """Plan the matcher of an alternative."""
    head = _head(alternative)
    if head is None or isinstance(alternative.steps[0], Ahead):
        return plan_matcher(own, alternative.steps, 0, captures, writer, head, number)
    return plan_matcher(own, alternative.steps[1:], len(head), captures, writer, head, number)


def _before(own: str, before: OneOf | None, writer: ModuleWriter) -> tuple[str, str, str]:
    """Write the characters before a head that belong to it, instead those that do not, and what wakes them."""
    if before is None:
        return '""', '""', "None"
    if before.members == r"\s" and not before.negated:
        return writer.runtime("BLANKS"), '""', writer.runtime("BLANKS_END")
    assert before.characters is not None, "what stands before can be listed"
    members = literal("".join(sorted(before.characters)))
    wake = _wake_of_run(own, before, writer)
    return ('""', members, wake) if before.negated else (members, '""', wake)


def plan_matcher(
    own: str,
    steps: tuple[Step, ...],
    head_length: int,
    captures: frozenset[str],
    writer: ModuleWriter,
    head: str | None,
    number: int = 0,
) -> MatcherPlan:
    """Plan the function that matches an alternative where its head stands.

    Args:
        own: a part of an identifier.
        steps: what comes after the head.
        head_length: the length of the head; 0 if the steps begin with it.
        captures: the groups that are used.
        writer: where constants and imports go.
        head: the text that an attempt begins with, "" where that is no text; None where there is only one attempt.
        number: tells the matcher from others that share a memo.
    """
    plans: list[StepPlan] = []
    last_wake = "None"
    memo_numbers = _memo_numbers(steps, head, number * _MOST_STEPS)
    variables = _variables(steps, captures)
    for position, step in enumerate(steps):
        rest = steps[position + 1 :]
        if isinstance(step, GroupStart | GroupEnd) and step.name not in variables:
            continue
        plan = _step(own, step, rest, plans, head_length, variables, writer)
        if position in memo_numbers:
            if isinstance(step, Run | Gap | Value):
                writer.runtime("skip_known_run" if isinstance(step, Run) else "find_known")
            plan = replace(plan, memo_number=memo_numbers[position])
        plans.append(plan)
        if isinstance(step, Run) and not any(isinstance(other, _TAKING) for other in rest):
            last_wake = plan.wake_code
    for name in ("MATCH", "Matched", "Memo"):
        writer.runtime(name)
    groups = display_dict(
        (literal(name), f"text[{variable}_start:{variable}_end]")
        for name, variable in variables.items()
        if name in captures
    )
    looks_ahead = any(isinstance(step, Ahead) for step in steps)
    return MatcherPlan(
        name=writer.names.take(f"_match_{own}"),
        head_length=head_length,
        steps=tuple(plans),
        end_code="end" if looks_ahead else "place",
        groups_code=groups if captures & variables.keys() else "None",
        # A run that is only looked at makes no match longer: any text settles it.
        wake_code="None" if looks_ahead else last_wake,
    )


def _memo_numbers(steps: tuple[Step, ...], head: str | None, first: int) -> dict[int, int]:
    """Number the steps that attempts from several places would take over the same text.

    Those are the runs in which heads can stand, so that a later attempt comes to them again, and gaps behind such runs.
    """
    numbers: dict[int, int] = {}
    for position, step in enumerate(steps):
        rest = steps[position + 1 :]
        if (
            isinstance(step, Last | Echoed)
            or (isinstance(step, Gap | Value) and numbers)
            or (isinstance(step, Run) and head is not None and needs_memo(step, head, rest))
        ):
            numbers[position] = first + 2 * position
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
    writer: ModuleWriter,
) -> StepPlan:
    match step:
        case Here(text):
            writer.runtime("unfinished")
            return StepPlan("here", literal(text), len(text), retry_code=_retry(before, head_length))
        case Run(members, low, high):
            writer.runtime("skip_run")
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
                wake_code=_wake_of_run(own, members, writer) if high is None else "None",
                may_run_out=needs_more,
                bounded=high is not None,
                retry_code=_retry(before, head_length),
            )
        case Gap(low, text):
            writer.runtime("PENDING")
            return StepPlan("gap", literal(text), len(text), low, wake_code=_wake_of_text(own, text, writer))
        case Value(name, text, trims):
            writer.runtime("PENDING")
            if trims:
                writer.runtime("run_before")
                writer.runtime("BLANKS")
            return StepPlan(
                "value",
                literal(text),
                len(text),
                wake_code=_wake_of_text(own, text, writer),
                variable=variables.get(name, ""),
                trims=trims,
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
                wake_code=_wake_of_last(own, members, text, writer),
                retry_code=_retry(before, head_length),
            )
        case Echoed(name, mark, key, members, end, trims):
            for used in ("MISMATCH", "find_echo", *(("run_before", "BLANKS") if trims else ())):
                writer.runtime(used)
            marks = f"{regex.escape(mark)}({members.source}*){regex.escape(end)}"
            return StepPlan(
                "echoed",
                length=len(mark) + len(end),
                variable=variables.get(name, ""),
                trims=trims,
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


def _retry(before: list[StepPlan], head_length: int) -> str:
    """Write where to go on after a mismatch.

    After a run right behind the head, every attempt that begins inside the run fails at the same place.
    """
    moves = [plan for plan in before if plan.kind not in ("group_start", "group_end")]
    if head_length and len(moves) == 1 and moves[0].kind == "run" and not moves[0].bounded:
        return f"place - {head_length - 1}" if head_length > 1 else "place"
    return "start + 1"


def write_run(own: str, run: Run, writer: ModuleWriter) -> str:
    """Give the name of what finds the next run of a class that is not empty."""
    return _class(f"{own}_run", run.members, "+", writer)


def _run(own: str, members: OneOf, high: int | None, writer: ModuleWriter) -> str:
    """Give the name of what matches as long a run of a class as there is."""
    if members.members == r"\s" and not members.negated and high is None:
        return writer.runtime("BLANK_RUN")
    repeat = "*" if high is None else f"{{0,{high}}}"
    return _class(f"{own}_run", members, repeat, writer)


def _wake_of_run(own: str, members: OneOf, writer: ModuleWriter) -> str:
    """Give the name of what ends a run."""
    if members.members == r"\s" and not members.negated:
        return writer.runtime("BLANKS_END")
    if members.negated and not members.members:
        return "None"
    opposite = OneOf(members.characters, not members.negated, members.members)
    search = _class(f"{own}_run_end", opposite, "", writer)
    return writer.constant(f"{own}_wake", f"({search}.search, 0)", writer.runtime("Wake"))


def _wake_of_text(own: str, text: str, writer: ModuleWriter) -> str:
    search = writer.alternation(f"{own}_gap_end", (text,))
    return writer.constant(f"{own}_wake", f"({search}.search, {len(text) - 1})", writer.runtime("Wake"))


def _wake_of_last(own: str, members: OneOf, text: str, writer: ModuleWriter) -> str:
    """Give the name of what ends a run, or the text that is looked for in it."""
    ends = OneOf(members.characters, not members.negated, members.members)
    source = regex.escape(text) if ends.source is None else f"{regex.escape(text)}|{ends.source}"
    search = writer.pattern(f"{own}_last_end", source)
    return writer.constant(f"{own}_wake", f"({search}.search, {len(text) - 1})", writer.runtime("Wake"))


def _class(name: str, members: OneOf, repeat: str, writer: ModuleWriter) -> str:
    """Add a compiled class: of `re` where its characters are listed, since both modules agree on those."""
    if members.characters is None:
        assert members.source is not None, "a class that cannot be written is not lowered"
        return writer.pattern(name, members.source + repeat)
    writer.standard_imports.add("import re")
    if not members.characters:  # all characters, since a class of none cannot be written
        anything = rf"[\s\S]{repeat}"
        return writer.constant(name, f"re.compile({pattern_literal(anything)})")
    blanks = members.characters >= whitespace()
    others = sorted(members.characters - whitespace() if blanks else members.characters)
    start = f"[{'^' if members.negated else ''}" + "".join(map(escaped_member, others))
    if not blanks:
        return writer.constant(name, f"re.compile({pattern_literal(f'{start}]{repeat}')})")
    parts = (pattern_literal(start), writer.runtime("BLANKS"), pattern_literal(f"]{repeat}"))
    return writer.constant(name, f"re.compile({' + '.join(parts)})")
