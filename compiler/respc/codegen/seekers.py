"""How a pattern that was lowered to steps is sought, and how all tags of a body are found."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import display_tuple, literal
from respc.codegen.matchers import plan_matcher, wake_of_run, wake_of_text, write_class
from respc.codegen.tag_pairs import write_pairs
from respc.patterns.steps import Ahead, Alternative, Gap, Steps
from respc.patterns.straightness import leading_run

if TYPE_CHECKING:
    from respc.codegen.module_writer import ModuleWriter
    from respc.codegen.plan import MatcherPlan
    from respc.patterns.syntax import OneOf


def write_steps(
    own: str, steps: Steps, captures: frozenset[str], writer: ModuleWriter, *, stable: bool = False
) -> tuple[str, tuple[MatcherPlan, ...]]:
    """Write the expression that seeks a lowered pattern, and plan the matchers that it calls.

    Args:
        own: a part of an identifier.
        steps: the lowered pattern.
        captures: the groups that are used.
        writer: where constants and imports go.
        stable: whether what is not decided hides what comes after it.
    """
    matchers: list[MatcherPlan] = []
    if not steps.alternatives:
        code = f"{writer.runtime('nothing_sought')}(text)"
    elif len(steps.alternatives) == 1:
        code = _alternative(own, steps.alternatives[0], captures, matchers, writer, stable)
    else:
        code = _alternatives(own, steps.alternatives, captures, matchers, writer, stable)
    if steps.end is not None:
        or_end = writer.runtime("or_end_stably" if stable else "or_end")
        code = f"{or_end}(text, pos, at_end, {code}, {steps.end.before_newline})"
    if steps.alternatives and not stable:
        code = f"{writer.runtime('settled')}(text, at_end, {code})"
    return code, tuple(matchers)


def write_tags(
    own: str, ways: tuple[Alternative, ...], groups: frozenset[str], writer: ModuleWriter
) -> tuple[str, tuple[MatcherPlan, ...], bool]:
    """Write the expression that finds all tags of ``body``, and plan the matchers that it calls.

    Tells too whether it gives pairs of a key and a value, or matches with such groups.

    Args:
        own: a part of an identifier.
        ways: the alternatives of the pattern.
        groups: the groups that are used; a tag has them all.
        writer: where constants and imports go.
    """
    run = leading_run(ways[0].steps)
    if run is not None:
        matcher = plan_matcher(own, ways[0].steps, 0, groups, writer, "", is_tag=True)
        found = write_class(f"{own}_run", run.members, "+", writer)
        return f"{writer.runtime('found_tags_by_run')}(body, {found}, {matcher.name})", (matcher,), False
    matchers = [_matcher(own, way, groups, writer, is_tag=True) for way in ways]
    if len(ways) == 1 and ways[0].before is None:
        pairs = write_pairs(own, ways[0].steps, matchers[0].name, writer)
        if pairs is not None:
            return pairs, tuple(matchers), True
        code = f"{writer.runtime('found_tags')}(body, {literal(ways[0].head)}, {matchers[0].name})"
    else:
        search, written = _ways(own, tuple(enumerate(ways)), matchers, writer)
        code = f"{writer.runtime('found_tags_by_ways')}(body, {search}, {written})"
    return code, tuple(matchers), False


def _alternatives(
    own: str,
    alternatives: tuple[Alternative, ...],
    captures: frozenset[str],
    matchers: list[MatcherPlan],
    writer: ModuleWriter,
    stable: bool,
) -> str:
    """Write the call that seeks several alternatives, and plan their matchers."""
    ranked = tuple(enumerate(alternatives))
    others = tuple(
        f"({rank}, {_alternative(own, alternative, captures, matchers, writer, stable)})"
        for rank, alternative in ranked
        if alternative.head is None
    )
    ways = tuple((rank, alternative) for rank, alternative in ranked if alternative.head is not None)
    planned = [_matcher(own, alternative, captures, writer, stable=stable) for _, alternative in ways]
    matchers += planned
    arguments = ["text", "pos", "at_end", *_ways(own, ways, planned, writer)]
    if others:
        arguments.append(display_tuple(others))
    return f"{writer.runtime('seek_ways_stably' if stable else 'seek_ways')}({', '.join(arguments)})"


def _ways(
    own: str, ways: tuple[tuple[int, Alternative], ...], matchers: list[MatcherPlan], writer: ModuleWriter
) -> tuple[str, str]:
    """Write what finds the heads of alternatives, and the alternatives themselves with their ranks."""
    heads: list[str] = []
    written: list[str] = []
    for (rank, alternative), matcher in zip(ways, matchers, strict=True):
        head = alternative.head
        assert head is not None, "a way begins with a text"
        heads.append(head)
        members, all_but, wake = _before(own, alternative.before, writer)
        written.append(f"({rank}, {literal(head)}, {matcher.name}, {members}, {all_but}, {wake})")
    # Where one head begins with another, both are tried at each place of the shorter one.
    found = [head for head in heads if not any(head != other and head.startswith(other) for other in heads)]
    search = (
        writer.alternation(f"{own}_heads", tuple(dict.fromkeys(found)))
        if found
        else writer.runtime("NO_HEAD")
    )
    return search, display_tuple(written)


def _alternative(
    own: str,
    alternative: Alternative,
    captures: frozenset[str],
    matchers: list[MatcherPlan],
    writer: ModuleWriter,
    stable: bool,
) -> str:
    """Write the call that seeks one alternative, and plan its matcher."""
    steps = alternative.steps
    head = alternative.head
    if head is None and not alternative.anchored:
        gap = steps[1]
        assert isinstance(gap, Gap), "what is looked at begins with a text, or with a gap"
        wake = wake_of_text(own, gap.text, writer)
        return f"{writer.runtime('seek_ahead')}(text, pos, at_end, {literal(gap.text)}, {gap.low}, {wake})"
    matcher = _matcher(own, alternative, captures, writer, stable=stable)
    matchers.append(matcher)
    if head is None:
        seek = writer.runtime("seek_at_start_stably" if stable else "seek_at_start")
        return f"{seek}(text, pos, at_end, {matcher.name})"
    arguments = ["text", "pos", "at_end", literal(head), matcher.name]
    if alternative.before is not None:
        members, all_but, wake = _before(own, alternative.before, writer)
        key, value = ("before", members) if all_but == '""' else ("before_all_but", all_but)
        arguments += [f"{key}={value}", f"before_wake={wake}"]
    return f"{writer.runtime('seek_steps_stably' if stable else 'seek_steps')}({', '.join(arguments)})"


def _matcher(
    own: str,
    alternative: Alternative,
    captures: frozenset[str],
    writer: ModuleWriter,
    *,
    is_tag: bool = False,
    stable: bool = False,
) -> MatcherPlan:
    """Plan the matcher of an alternative."""
    head = alternative.head
    if head is None or isinstance(alternative.steps[0], Ahead):
        return plan_matcher(own, alternative.steps, 0, captures, writer, head, is_tag=is_tag, stable=stable)
    steps = alternative.steps[1:]
    return plan_matcher(own, steps, len(head), captures, writer, head, is_tag=is_tag, stable=stable)


def _before(own: str, before: OneOf | None, writer: ModuleWriter) -> tuple[str, str, str]:
    """Write the characters before a head that belong to it, instead those that do not, and what wakes them."""
    if before is None:
        return '""', '""', "None"
    if before.is_blanks:
        return writer.runtime("BLANKS"), '""', writer.runtime("BLANKS_END")
    assert before.characters is not None, "what stands before can be listed"
    members = literal("".join(sorted(before.characters)))
    wake = wake_of_run(own, before, writer)
    return ('""', members, wake) if before.negated else (members, '""', wake)
