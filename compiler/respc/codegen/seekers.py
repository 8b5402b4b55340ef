"""How a pattern that was lowered to steps is written: a seeker, and a matcher for each of its alternatives."""

from __future__ import annotations

import re
from dataclasses import dataclass

from respc.codegen.literals import literal
from respc.codegen.module_writer import ModuleWriter
from respc.patterns.steps import Ahead, Alternative, Gap, GroupEnd, GroupStart, Here, Run, Step, Steps
from respc.patterns.syntax import OneOf


@dataclass(frozen=True, slots=True)
class StepPlan:
    """One step of a matcher.

    Attributes:
        kind: ``here``, ``run``, ``gap``, ``group_start``, ``group_end`` or ``ahead``: which part of the template prints it.
        text_code: the text of ``here`` and ``gap``.
        length: its length.
        low: how many characters a ``run`` or a ``gap`` must have.
        run_name: what matches a run.
        wake_code: when text that ran out in this step has to be looked at again.
        may_run_out: whether a run that reaches the end of the text has to wait for what follows it.
        name: of a group.
        retry_code: where the next attempt begins after a mismatch here.
    """

    kind: str
    text_code: str = ""
    length: int = 0
    low: int = 0
    run_name: str = ""
    wake_code: str = "None"
    may_run_out: bool = False
    name: str = ""
    retry_code: str = ""


@dataclass(frozen=True, slots=True)
class MatcherPlan:
    """A function that matches one alternative at a place.

    Attributes:
        head_length: how much of it stands there already.
        groups: the names of its groups, as literals and as parts of variables.
        looks_ahead: whether the match ends before what its last steps look at.
        last_wake_code: when a match that ends with the text has to be looked at again.
    """

    name: str
    head_length: int
    steps: tuple[StepPlan, ...]
    groups: tuple[tuple[str, str], ...]
    looks_ahead: bool
    last_wake_code: str


@dataclass(frozen=True, slots=True)
class SeekerPlan:
    """A function that seeks one delimiter."""

    name: str
    comment: str
    code: str
    matchers: tuple[MatcherPlan, ...] = ()


def plan_steps(own: str, comment: str, steps: Steps, captures: frozenset[str], writer: ModuleWriter) -> SeekerPlan:
    """Plan the seeker of a lowered pattern.

    Args:
        own: a part of an identifier.
        comment: what the delimiter is, in words.
        steps: the lowered pattern.
        captures: the groups that are used.
        writer: where constants and imports go.
    """
    name = writer.names.take(f"_seek_{own}")
    matchers: list[MatcherPlan] = []
    found = [_alternative(own, each, captures, matchers, writer) for each in steps.alternatives]
    if not found:
        code = f"(NOWHERE, len(text), None, len(text), None)"
        writer.runtime("NOWHERE")
    elif len(found) == 1:
        code = found[0]
    else:
        code = f"{writer.runtime('first_sought')}(({', '.join(found)}))"
    if steps.end is not None:
        code = f"{writer.runtime('or_end')}(text, pos, at_end, {code}, {steps.end.before_newline})"
    if found:
        code = f"{writer.runtime('settled')}(text, at_end, {code})"
    return SeekerPlan(name, comment, code, tuple(matchers))


def _alternative(
    own: str,
    alternative: Alternative,
    captures: frozenset[str],
    matchers: list[MatcherPlan],
    writer: ModuleWriter,
) -> str:
    """Write the call that seeks an alternative, and plan its matcher."""
    steps = alternative.steps
    if not alternative.anchored and isinstance(steps[0], Ahead) and isinstance(steps[1], Gap):
        text = literal(steps[1].text)
        return f"{writer.runtime('seek_ahead')}(text, pos, at_end, {text}, {_wake_of_text(own, steps[1].text, writer)})"
    if alternative.anchored:
        matcher = _matcher(own, steps, 0, captures, writer)
        matchers.append(matcher)
        return f"{writer.runtime('seek_at_start')}(text, pos, at_end, {matcher.name})"
    head = steps[1] if isinstance(steps[0], Ahead) else steps[0]
    assert isinstance(head, Here), "an alternative begins with a text"
    rest = steps if isinstance(steps[0], Ahead) else steps[1:]
    matcher = _matcher(own, rest, 0 if isinstance(steps[0], Ahead) else len(head.text), captures, writer)
    matchers.append(matcher)
    prefixes = writer.prefixes(f"{own}_prefixes", (head.text,))
    arguments = ["text", "pos", "at_end", literal(head.text), prefixes, matcher.name]
    arguments += _before(own, alternative.before, writer)
    return f"{writer.runtime('seek_steps')}({', '.join(arguments)})"


def _before(own: str, before: OneOf | None, writer: ModuleWriter) -> list[str]:
    if before is None:
        return []
    if before.members == r"\s":
        return [f"before={writer.runtime('BLANKS')}", f"before_wake={writer.runtime('BLANKS_END')}"]
    assert before.characters is not None, "what stands before can be listed"
    members = literal("".join(sorted(before.characters)))
    key = "before_all_but" if before.negated else "before"
    return [f"{key}={members}", f"before_wake={_wake_of_run(own, before, writer)}"]


def _matcher(
    own: str, steps: tuple[Step, ...], head_length: int, captures: frozenset[str], writer: ModuleWriter
) -> MatcherPlan:
    plans: list[StepPlan] = []
    last_wake = "None"
    for position, step in enumerate(steps):
        rest = steps[position + 1 :]
        if isinstance(step, GroupStart | GroupEnd) and step.name not in captures:
            continue
        plan = _step(own, step, rest, plans, head_length, writer)
        plans.append(plan)
        if isinstance(step, Run) and not any(isinstance(other, Here | Gap | Run) for other in rest):
            last_wake = plan.wake_code
    for name in ("MATCH", "Matched"):
        writer.runtime(name)
    groups = dict.fromkeys(step.name for step in steps if isinstance(step, GroupStart) and step.name in captures)
    return MatcherPlan(
        name=writer.names.take(f"_match_{own}"),
        head_length=head_length,
        steps=tuple(plans),
        groups=tuple((literal(name), f"group_{number}") for number, name in enumerate(groups)),
        looks_ahead=any(isinstance(step, Ahead) for step in steps),
        last_wake_code=last_wake,
    )


def _step(
    own: str, step: Step, rest: tuple[Step, ...], before: list[StepPlan], head_length: int, writer: ModuleWriter
) -> StepPlan:
    match step:
        case Here(text):
            writer.runtime("unfinished")
            return StepPlan("here", literal(text), len(text), retry_code=_retry(before, head_length))
        case Run(members, low, high):
            needs_more = any(isinstance(other, Here | Gap) or (isinstance(other, Run) and other.low) for other in rest)
            if needs_more or low:
                writer.runtime("PENDING")
            if low:
                writer.runtime("MISMATCH")
            return StepPlan(
                "run",
                low=low,
                run_name=_run(own, members, high, writer),
                wake_code=_wake_of_run(own, members, writer) if high is None else "None",
                may_run_out=needs_more,
                retry_code=_retry(before, head_length),
            )
        case Gap(low, text):
            writer.runtime("PENDING")
            return StepPlan("gap", literal(text), len(text), low, wake_code=_wake_of_text(own, text, writer))
        case GroupStart(name) | GroupEnd(name):
            kind = "group_start" if isinstance(step, GroupStart) else "group_end"
            return StepPlan(kind, name=name)
        case Ahead():
            return StepPlan("ahead")
        case _:
            raise AssertionError(f"{step} is no step of a matcher")


def _retry(before: list[StepPlan], head_length: int) -> str:
    """Write where to go on after a mismatch.

    After a run right behind the head, every attempt that begins inside the run fails at the same place.
    """
    moves = [plan for plan in before if plan.kind in ("here", "run", "gap", "ahead")]
    if head_length and len(moves) == 1 and moves[0].kind == "run":
        return f"place - {head_length - 1}" if head_length > 1 else "place"
    return "start + 1"


def _run(own: str, members: OneOf, high: int | None, writer: ModuleWriter) -> str:
    """Give the name of what matches as long a run of a class as there is."""
    if members.members == r"\s" and not members.negated and high is None:
        return f"{writer.runtime('BLANK_RUN')}.match"
    repeat = "*" if high is None else f"{{0,{high}}}"
    return f"{_class(f'{own}_run', members, repeat, writer)}.match"


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


def _class(name: str, members: OneOf, repeat: str, writer: ModuleWriter) -> str:
    """Add a compiled class: of `re` where its characters are listed, since both modules agree on those."""
    if members.characters is not None:
        listed = "".join(map(re.escape, sorted(members.characters)))
        source = f"[{'^' if members.negated else ''}{listed}]" if listed else r"[\s\S]"
        writer.standard_imports.add("import re")
        return writer.constant(name, f"re.compile({literal(source + repeat)})")
    assert members.source is not None, "a class that cannot be written is not lowered"
    return writer.pattern(name, members.source + repeat)
