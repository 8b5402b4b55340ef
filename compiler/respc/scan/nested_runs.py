"""Runs in which their own delimiter can begin again, and how to go on where one led nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.patterns.classes import disjoint, has, is_any
from respc.patterns.facts import longest
from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.language import Language
from respc.scan.lazy_runs import lazy_tails
from respc.scan.once import comes_later
from respc.scan.shapes import (
    apart_by_first,
    is_optional,
    leading_run,
    spread,
    starts_message,
    walk,
)
from respc.scan.spelling import Spelling, ends_before, is_gap, written_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.scan.certain import Judged


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


@dataclass(frozen=True)
class _State:
    """What is searched for together.

    Attributes:
        parts: the delimiters, by their groups, each taken apart.
        alphabet: as of `Language`.
        at_newline: whether one matches nothing before a newline that ends the text.
    """

    parts: dict[str, list[Node]]
    alphabet: str
    at_newline: bool

    def skip(self, name: str, nested: Nested) -> tuple[tuple[list[str], int] | None, bool]:
        """Tell how to go on where a run led nowhere.

        Of its branch, its delimiter or all delimiters, whatever is known not to begin in the run is passed over.

        Returns:
            The heads of the others and the length to go back, None where there is no way; and whether each place at
            which another can begin is one from which all of the run is looked through again.
        """
        found = None
        every = [part for parts in self.parts.values() for part in parts]
        for passed in ([nested.branch], self.parts[name], every):
            heads = _heads([part for part in every if part not in passed])
            if heads is None or _one_begins_in(nested, Language(_choice(passed), self.alphabet)):
                continue
            is_slow = any(all(has(nested.run, character) for character in head) for head in heads)
            if self.at_newline:
                heads.append("\n")
            if not is_slow or found is None:
                found = heads, longest(nested.head) or 0
            if not is_slow:
                return found, False
        return found, True


def skips_of(delimiters: list[tuple[str, Judged]], spelling: Spelling) -> tuple[list[SkipPlan], str]:
    """Plan how to go on where the run of a delimiter leads nowhere.

    Args:
        delimiters: of a state, by their groups.
        spelling: writes its expressions.

    Returns:
        The plans; and the group of a delimiter for which time can grow faster than the text, empty if there is none.
    """
    plans: list[SkipPlan] = []
    slow = ""
    parts: dict[str, list[Node]] = {}
    for name, judged in delimiters:
        parts.setdefault(name, []).extend(part for branch in judged.alternatives for part in spread(branch))
    state = _State(
        parts,
        delimiters[0][1].language.alphabet if delimiters else "",
        any(judged.at_newline for _, judged in delimiters),
    )
    found = [
        (name, judged, nested)
        for name, judged in delimiters
        for branch in judged.alternatives
        for part in spread(branch)
        # The last run first: where text goes on to it, an earlier one is no end.
        for nested in reversed([*nested_runs(part, spelling)])
    ]
    for name, judged, nested in found:
        if nested.to_end:
            if len(found) == 1 and _comes_once(nested, judged):
                group = spelling.unique("skip")
                plans.append(SkipPlan(group, nested.branch, f"{nested.written}(?P<{group}>)", None, "", 0))
            else:
                slow = name
            continue
        way, is_slow = state.skip(name, nested)
        slow = name if is_slow else slow
        if way is not None:
            heads, length = way
            group = spelling.unique("skip")
            pattern = "|".join(map(written_text, heads))
            width = max(map(len, heads), default=0)
            written = f"{nested.written}(?P<{group}>)"
            plans.append(SkipPlan(group, nested.branch, written, length, pattern, width))
    return plans, slow


def _one_begins_in(nested: Nested, language: Language) -> bool:
    """Tell whether a delimiter can begin in a run that led nowhere, or in a head that is passed over with it."""
    if comes_later(nested.head, nested.run, language):
        return True
    if longest(nested.head) is not None:
        return False
    endless = [node for node in walk(nested.head) if isinstance(node, Repeat) and node.high is None]
    runs = [*_runs_in(nested.head, (), ())]
    return len(runs) < len(endless) or any(
        isinstance(run.item, OneOf) and comes_later(Sequence(before), run.item, language)
        for before, run, _, _ in runs
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
    for before, run, rest, passed in _runs_in(branch, (), ()):
        one = run.item
        if (
            not before
            or not isinstance(one, OneOf)
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


def _choice(branches: list[Node]) -> Node:
    return branches[0] if len(branches) == 1 else Choice(tuple(branches))


def _leaves(node: Node, one: OneOf) -> bool:
    """Tell whether a node, where it takes something, takes a character that is none of a class."""
    match node:
        case Text(character):
            return not has(one, character)
        case OneOf():
            return disjoint(one, node)
        case Sequence(items):
            return any(_leaves(item, one) for item in items if not is_optional(item))
        case Choice(items):
            return all(_leaves(item, one) for item in items)
        case Group(item) | LookAhead(item) | Repeat(item):
            return _leaves(item, one)
        case _:
            return False


def _runs_in(
    node: Node, before: tuple[Node, ...], rest: tuple[Node, ...], passed: bool = False
) -> Iterator[tuple[tuple[Node, ...], Repeat, tuple[Node, ...], bool]]:
    """Find runs, what comes before and after each, and whether there is a way past it: to end inside it, maybe."""
    match node:
        case Sequence(items):
            for position, item in enumerate(items):
                yield from _runs_in(
                    item, (*before, *items[:position]), (*items[position + 1 :], *rest), passed
                )
        case Group(item) | LookAhead(item):
            yield from _runs_in(item, before, rest, passed)
        case Choice(items):
            for item in items:
                yield from _runs_in(item, before, rest, True)
        case Repeat(OneOf(), _, None):
            yield before, node, rest, passed
        case Repeat(item, 0, 1):
            yield from _runs_in(item, before, rest, True)
        case _:
            pass


def _heads(branches: list[Node]) -> list[str] | None:
    """List the texts that branches begin with; None if one begins with anything else."""
    heads: list[str] = []
    for branch in branches:
        if leading_run(branch) is not None:
            return None
        found = _head(branch)
        if found is None:
            return None
        heads += found
    return list(dict.fromkeys(heads))


def _head(branch: Node) -> list[str] | None:
    match branch:
        case Text(character):
            return [character]
        case Choice(items):
            found = [_head(item) for item in items]
            return None if None in found else [head for heads in found for head in heads or ()]
        case Group(item) | LookAhead(item):
            return _head(item)
        case Sequence(items):
            text = ""
            for item in items:
                if not isinstance(item, Text):
                    break
                text += item.character
            if text:
                return [text]
            if not items:
                return None
            first = _head(items[0])
            if isinstance(items[0], Repeat) and is_optional(items[0]) and items[1:]:
                own, other = _head(items[0].item), _head(Sequence(items[1:]))
                return None if own is None or other is None else own + other
            return first
        case _:
            return None
