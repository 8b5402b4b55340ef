"""Runs of characters in delimiters: what ends one, and how to go on where one led nowhere."""

from __future__ import annotations

import string
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from respc.patterns.classes import are_apart, is_any
from respc.patterns.facts import longest
from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.beginnings import until_decided
from respc.scan.language import Language, can_grow, taken_of
from respc.scan.shapes import first_characters, flat, starts_message
from respc.scan.spelling import NotSpelledError, Spelling, is_gap, written_character
from respc_runtime.searches import BLANKS_BEFORE
from respc_runtime.states import BLANKS_END, IN_BLANKS, IN_REST, NOTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.scan.beginnings import RunPlace
    from respc.scan.certain import Judged

_LONGEST_WINDOW = 200

_KINDS = {BLANKS_END: IN_BLANKS, NOTHING: IN_REST, r"[^\w]": "in_word", r"[^\d]": "in_digits"}
"""How runs are named, by what ends them; others are named after the group of the template that they are in."""

_RESERVED = frozenset({*_KINDS.values(), BLANKS_BEFORE})


@dataclass(frozen=True, slots=True)
class WakePlan:
    """What wakes text held back in a kind of run; attributes as of `respc_runtime.states.Run`, with its name."""

    group: str
    pattern: str
    width: int
    needs_regex: bool = False


def wake_of(run: RunPlace, alphabet: str, inside: list[Node], *, to_its_end: bool) -> WakePlan:
    """Tell what ends a run.

    Args:
        run: the run, and what comes after it.
        alphabet: characters that stand for all others.
        inside: what wakes as well, where it can stand whole inside the run and hides that.
        to_its_end: whether only the end of the run decides anything, not what comes after it.
    """
    spelling = Spelling()
    one = run.repeat.item
    assert isinstance(one, Text | OneOf)
    after_gap = run.rest[1:] if run.rest and is_gap(run.rest[0]) else ()
    ends = not after_gap and not (isinstance(one, OneOf) and is_any(one))
    whole = list(inside)
    to_its_end = to_its_end or _only_goes_on(run)
    if after_gap or (not to_its_end and _can_go_on(one, run.rest, alphabet)):
        whole.insert(0, Sequence(after_gap or run.rest))
    waking = dict.fromkeys(part for node in whole for part in _last_parts(_needed(node)))
    if ends:
        waking = {node: None for node in waking if not _ends_outside(node, one)}
    parts = [_others(one, spelling)] if ends else []
    parts += [spelling.write(node) for node in waking]
    width = max((_seen_before(node, alphabet) for node in waking), default=0)
    return WakePlan(run.begun.run, "|".join(parts) or NOTHING, width, spelling.needs_regex)


def name_runs(places: list[RunPlace], plans: list[WakePlan], spelling: Spelling) -> tuple[WakePlan, ...]:
    """Name runs after their kinds, which differ in what ends them, and give one plan for each kind.

    Args:
        places: the runs,
        plans: and what ends each.
        spelling: of the expression that they are in.
    """
    kinds: dict[WakePlan, WakePlan] = {}
    named: set[int] = set()
    for place, plan in zip(places, plans, strict=True):
        unnamed = replace(plan, group="")
        if unnamed not in kinds:
            name = spelling.names.take(_kind_of(plan), string.ascii_lowercase[1:])
            kinds[unnamed] = replace(plan, group=name)
            place.begun.run = name
            named.add(id(place))
    # After those of all kinds, which no number may make of another.
    for place, plan in zip(places, plans, strict=True):
        if id(place) not in named:
            place.begun.run = spelling.names.take(kinds[replace(plan, group="")].group)
    return tuple(kinds.values())


def _kind_of(plan: WakePlan) -> str:
    kind = None if plan.width else _KINDS.get(plan.pattern)
    return kind or (f"{plan.group}_run" if plan.group in _RESERVED else plan.group)


def _only_goes_on(run: RunPlace) -> bool:
    """Tell whether a delimiter is whole behind its run, and takes all that other runs take behind it.

    It never gives back what the run took, so that nothing but the end of the run decides.
    """
    return not run.repeat.lazy and all(
        isinstance(item, Repeat) and isinstance(item.item, Text | OneOf) and item.low == 0 and not item.lazy
        for item in run.rest
    )


def _ends_outside(node: Node, one: Text | OneOf) -> bool:
    """Tell whether the texts of a node end with a character that ends a run of another."""
    match node:
        case Text() | OneOf():
            return are_apart(node, one)
        case Sequence(items):
            return bool(items) and _ends_outside(items[-1], one)
        case Choice(items):
            return all(_ends_outside(item, one) for item in items)
        case Group(item) | LookAhead(item):
            return _ends_outside(item, one)
        case Repeat(item, low):
            return low > 0 and _ends_outside(item, one)
        case _:
            return False


def _seen_before(node: Node, alphabet: str) -> int:
    """Tell how many characters before a chunk it has to be looked for in: all of it where any more make it count."""
    length = longest(node, seen=True) or 0
    return length if can_grow(Language(node, alphabet)) else max(length - 1, 0)


def run_in(judged: Judged) -> bool:
    """Tell whether a delimiter that can stand whole inside itself has a run there, in which it is searched anew."""
    further = [_needed(branch) for branch in judged.alternatives if not starts_message(branch)]
    return sum(not _fits(branch) for branch in further) > 1


def _needed(branch: Node) -> Node:
    """Give what a branch has to take at least."""
    return flat(Sequence(until_decided((branch,))))


def _last_parts(node: Node) -> Iterator[Node]:
    """Give how the texts of a node end, as far as that fits: none of them is whole before its end is."""
    match node:
        case _ if _fits(node):
            yield node
        case Sequence(items):
            start = next(start for start in range(len(items) + 1) if _fits(Sequence(items[start:])))
            yield from _last_parts(items[-1] if start == len(items) else flat(Sequence(items[start:])))
        case Choice(items):
            for item in items:
                yield from _last_parts(item)
        case Group(item) | LookAhead(item) | Repeat(item):
            yield from _last_parts(item)
        case _:
            raise NotSpelledError(type(node).__name__)


def _fits(node: Node) -> bool:
    """Tell whether a text of a node is short enough to look for it in every chunk, with what came before."""
    length = longest(node, seen=True)
    return length is not None and length <= _LONGEST_WINDOW


def _others(one: Text | OneOf, spelling: Spelling) -> str:
    if isinstance(one, Text):
        return f"[^{written_character(one.character, frozenset('^]-'))}]"
    return spelling.one(OneOf(one.characters, not one.negated, one.members))


def _can_go_on(one: Text | OneOf, rest: tuple[Node, ...], alphabet: str) -> bool:
    """Tell whether what comes after a run can begin with a character of it."""
    taken = taken_of(one, alphabet)
    return any(taken & taken_of(first, alphabet) for first in first_characters(Sequence(rest)))
