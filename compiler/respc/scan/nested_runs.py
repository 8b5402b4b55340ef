"""Runs in which their own delimiter can begin again, and how to go on where one led nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from respc.patterns.classes import are_apart, has, is_any
from respc.patterns.facts import longest
from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text, parts_of
from respc.scan.language import Language
from respc.scan.lazy_runs import lazy_tails
from respc.scan.once import comes_later
from respc.scan.shapes import (
    apart_by_first,
    choice_of,
    is_optional,
    leading_run,
    leading_text,
    spread,
    starts_message,
)
from respc.scan.spelling import Spelling, ends_before, is_gap, written_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.scan.certain import Judged
    from respc.scan.plans import Part


@dataclass(frozen=True, slots=True)
class SkipPlan:
    """How to go on where a run led nowhere; attributes as of `respc_runtime.states.Skip`, with what is in `ends`.

    ``length`` is None where the run goes on to the end of the text, so that ``branch`` comes nowhere later.
    """

    group: str
    branch: Node
    written: str
    length: int | None
    heads: str
    width: int


@dataclass(frozen=True)
class Nested:
    """A run in which its own delimiter can begin again.

    Attributes:
        branch: the delimiter.
        head: what comes before the run.
        run: the class of its characters.
        written: an expression for both.
    """

    branch: Node
    head: Node
    run: OneOf
    written: str

    @property
    def to_end(self) -> bool:
        """Tell whether the run goes on to the end of the text, whatever comes."""
        return is_any(self.run)


def skips_of(delimiters: list[Part], spelling: Spelling) -> tuple[list[SkipPlan], str]:
    """Plan how to go on where the run of a delimiter leads nowhere.

    Args:
        delimiters: of a state.
        spelling: writes its expressions.

    Returns:
        The plans; and the group of a delimiter for which time can grow faster than the text, empty if there is none.
    """
    plans: list[SkipPlan] = []
    slow = ""
    parts: dict[str, list[Node]] = {}
    found: list[tuple[str, Judged, Nested]] = []
    for name, judged in ((each.watched.group, each.judged) for each in delimiters):
        for part in chain.from_iterable(map(spread, judged.alternatives)):
            parts.setdefault(name, []).append(part)
            # The last run first: where text goes on to it, an earlier one is no end.
            found += ((name, judged, nested) for nested in reversed([*nested_runs(part, spelling)]))
    every = [part for own in parts.values() for part in own]
    at_newline = any(each.judged.at_newline for each in delimiters)
    for name, judged, nested in found:
        if nested.to_end:
            if len(found) == 1 and _comes_once(nested, judged):
                group = spelling.names.take("skip")
                plans.append(SkipPlan(group, nested.branch, f"{nested.written}(?P<{group}>)", None, "", 0))
            else:
                slow = name
            continue
        heads, is_slow = _way_past(nested, parts[name], every, judged.language.alphabet)
        slow = name if is_slow else slow
        if heads is not None:
            heads += ["\n"] if at_newline else []
            group = spelling.names.take("skip")
            written = f"{nested.written}(?P<{group}>)"
            pattern, width = "|".join(map(written_text, heads)), max(map(len, heads), default=0)
            length = longest(nested.head) or 0
            plans.append(SkipPlan(group, nested.branch, written, length, pattern, width))
    return plans, slow


def _way_past(
    nested: Nested, own: list[Node], every: list[Node], alphabet: str
) -> tuple[list[str] | None, bool]:
    """Tell how to go on where a run led nowhere.

    Of its branch, its delimiter or all delimiters, whatever is known not to begin in the run is passed over.

    Args:
        nested: the run.
        own: the parts of its delimiter,
        every: and of all delimiters.
        alphabet: as of `Language`.

    Returns:
        The heads of the others, None where there is no way; and whether each place at which another can begin is one
        from which all of the run is looked through again.
    """
    found = None
    for passed in ([nested.branch], own, every):
        others = [part for part in every if part not in passed]
        heads = None if any(map(leading_run, others)) else _heads(others)
        if heads is None or _one_begins_in(nested, Language(choice_of(passed), alphabet)):
            continue
        if not any(all(has(nested.run, character) for character in head) for head in heads):
            return heads, False
        found = heads if found is None else found
    return found, True


def _one_begins_in(nested: Nested, language: Language) -> bool:
    """Tell whether a delimiter can begin in a run that led nowhere, or in a head that is passed over with it."""
    if comes_later(nested.head, nested.run, language):
        return True
    if longest(nested.head) is not None:
        return False
    return any(
        not isinstance(run.item, OneOf) or comes_later(Sequence(before), run.item, language)
        for before, run, _, _ in parts_of(nested.head)
        if isinstance(run, Repeat) and run.high is None
    )


def _comes_once(nested: Nested, judged: Judged) -> bool:
    """Tell whether a delimiter is written by itself, and comes nowhere later where its run led nowhere."""
    written = [branch for together in apart_by_first(judged.alternatives) for branch in together]
    language = Language(nested.branch, judged.language.alphabet)
    return nested.branch in written and not comes_later(nested.head, nested.run, language)


def nested_runs(branch: Node, spelling: Spelling) -> Iterator[Nested]:
    """Find the runs of a branch in which it can begin again and that have to be followed by something."""
    if starts_message(branch):
        return  # it begins once
    for before, run, rest, passed in parts_of(branch):
        if not isinstance(run, Repeat) or run.high is not None or not isinstance(run.item, OneOf):
            continue
        one = run.item
        if (
            not before
            or all(map(is_optional, rest))
            or (is_gap(rest[0]) and ends_before(run, rest))
            or (not is_any(one) and any(_leaves(item, one) for item in before if not is_optional(item)))
        ):
            continue
        written = spelling.write(Sequence((*before, Repeat(one, run.low, None))))
        yield Nested(branch, Sequence(before), one, written)
        if is_any(one) and not passed:
            return


def tries_anew(branch: Node, spelling: Spelling) -> bool:
    """Tell whether what stands behind a lazy run is looked through again from many places of that run."""
    return any(
        leading_run(Sequence(rest)) is not None or any(nested_runs(Sequence(rest), spelling))
        for run, rest in lazy_tails(branch)
        if not is_gap(run)
    )


def _leaves(node: Node, one: OneOf) -> bool:
    """Tell whether a node, where it takes something, takes a character that is none of a class."""
    match node:
        case Text() | OneOf():
            return are_apart(one, node)
        case Sequence(items):
            return any(_leaves(item, one) for item in items if not is_optional(item))
        case Choice(items):
            return all(_leaves(item, one) for item in items)
        case Group(item) | LookAhead(item) | Repeat(item):
            return _leaves(item, one)
        case _:
            return False


def _heads(branches: Iterable[Node]) -> list[str] | None:
    """List the texts that branches begin with; None if one begins with anything else."""
    heads: dict[str, None] = {}
    for branch in branches:
        found = _head(branch)
        if found is None:
            return None
        heads |= dict.fromkeys(found)
    return list(heads)


def _head(branch: Node) -> list[str] | None:
    match branch:
        case Text(character):
            return [character]
        case Choice(items):
            return _heads(items)
        case Group(item) | LookAhead(item):
            return _head(item)
        case Sequence(items) if text := leading_text(items):
            return [text]
        case Sequence((Repeat() as first, *rest)) if rest and is_optional(first):
            return _heads((first.item, Sequence(tuple(rest))))
        case Sequence((first, *_)):
            return _head(first)
        case _:
            return None
