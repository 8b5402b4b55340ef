"""Orders the delimiters of a state so that of several that stand at one place the right one is tried first.

The interpreter takes the longest, of equally long ones an opener, then the one whose field comes first. One expression
tries its alternatives in their order: a delimiter that can go on while another is whole has to come before that.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise, product
from typing import TYPE_CHECKING

from respc.patterns.syntax import Sequence, Text
from respc.scan.certain import judge
from respc.scan.language import Language, TooManyPlacesError
from respc.scan.plans import Part, Refused
from respc.scan.shapes import takes_nothing
from respc.scan.two_languages import both_whole, meet, one_while_other

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_PAIRS = 2_000


def ordered_by_length(parts: list[Part], *, stable: bool) -> list[Part] | Refused:
    """Order delimiters, or tell which one keeps that from being possible.

    Args:
        parts: the delimiters, in the order that decides a tie.
        stable: whether what has begun always comes before what is whole.
    """
    before: dict[str, set[str]] = {each.name: set() for each in parts}
    at_newline = [each for each in parts if each.judged.at_newline]
    for one, other in pairwise(at_newline):
        before[other.name].add(one.name)
    for one in at_newline:
        if any(
            other.judged.language.accepts(other.judged.language.start) for other in parts if other is not one
        ):
            return Refused("can match nothing where another can", one.watched.group)
    for one, other in _pairs_that_meet(parts):
        if refused := _compare(one, other, before, stable):
            return refused
    ordered: list[Part] = []
    waiting = list(parts)
    known: set[str] = set()
    while waiting:
        ready = next((each for each in waiting if before[each.name] <= known), None)
        if ready is None:
            return Refused("can stand whole at one place with others", waiting[0].watched.group)
        ordered.append(ready)
        known.add(ready.name)
        waiting.remove(ready)
    return ordered


def _compare(one: Part, other: Part, before: dict[str, set[str]], stable: bool) -> Refused | None:
    """Note which of two delimiters, the first of which wins a tie, has to be tried before the other."""
    languages = one.judged.language, other.judged.language
    shorter, longer = one_while_other(*languages), one_while_other(*reversed(languages))
    same = both_whole(*languages)
    if not (shorter or longer or same):
        return None
    groups = one.watched.group, other.watched.group
    if shorter and longer:
        return Refused("can stand whole at one place with another", *groups)
    if stable and (apart := _only_looks(one, other)) is not None:
        looking, taking = apart
        looking.looks_over = True
        before[looking.name].add(taking.name)
        return None
    if one.judged.looks_ahead or other.judged.looks_ahead:
        return Refused("looks ahead where another can stand", *groups)
    if same and not stable and one.watched.delimiter.waits is not other.watched.delimiter.waits:
        # At the end of the text, the one that counts at once has to wait with the other.
        return Refused("can be the same text as one that does not wait", *groups)
    if same and (
        other.judged.certain or (other.judged.needs_eager and not one.judged.needs_eager and not stable)
    ):
        return Refused(
            "is tried before another that can be the same text", other.watched.group, one.watched.group
        )
    if same:
        before[other.name].add(one.name)
    for here, there, goes_on in ((one, other, shorter), (other, one, longer)):
        if not goes_on:
            continue
        if here.judged.certain or (here.judged.needs_eager and not stable):
            return Refused("can stand whole where another has begun", here.watched.group, there.watched.group)
        before[here.name].add(there.name)
    return None


def _only_looks(one: Part, other: Part) -> tuple[Part, Part] | None:
    """Give the one of two delimiters that takes nothing where it meets the other, and that, which then is longer."""
    for looking, taking in ((one, other), (other, one)):
        alphabet = looking.judged.language.alphabet
        if not looking.judged.certain or taking.judged.certain or taking.judged.looks_ahead:
            continue
        branches = [branch for branch in looking.judged.alternatives if not takes_nothing(branch)]
        if not any(meet(Language(branch, alphabet), taking.judged.language) for branch in branches):
            return looking, taking
    return None


def _pairs_that_meet(parts: list[Part]) -> Iterator[tuple[Part, Part]]:
    """Give the pairs of delimiters that can begin alike, the one that wins a tie first."""
    by_first: defaultdict[str, list[Part]] = defaultdict(list)
    pairs = [*_literals_that_meet(parts)]
    for each in parts:
        language = each.judged.language
        if language.accepts(language.start):
            pairs += ((each, other) for other in parts)
        for character in language.after(language.start):
            by_first[character].append(each)
    for alike in by_first.values():
        patterns = [each for each in alike if each.watched.delimiter.declared is None]
        if len(patterns) * len(alike) > _MOST_PAIRS:
            raise TooManyPlacesError("is one of too many that begin alike")
        pairs += product(patterns, alike)
    places = {each.name: place for place, each in enumerate(parts)}
    numbers = {tuple(sorted((places[one.name], places[other.name]))) for one, other in pairs}
    for one, other in sorted(numbers):
        if one != other:
            yield parts[one], parts[other]


def _literals_that_meet(parts: list[Part]) -> Iterator[tuple[Part, Part]]:
    """Give the pairs of which a literal of one is a literal of the other, or the beginning of one."""
    owners: defaultdict[str, list[Part]] = defaultdict(list)
    for each in parts:
        for literal in each.watched.delimiter.declared or ():
            owners[literal].append(each)
    for literal, owning in owners.items():
        beginnings = (literal[:length] for length in range(1, len(literal) + 1))
        for other in (other for beginning in beginnings for other in owners.get(beginning, ())):
            yield from ((other, each) for each in owning if other is not each)


def by_literal(part: Part, alphabet: str) -> list[Part]:
    """Take literals apart, so that those of several delimiters can be ordered by their lengths."""
    declared = part.watched.delimiter.declared
    if declared is None:
        return [part]
    trees = [Sequence(tuple(map(Text, literal))) for literal in declared]
    return [
        Part(
            part.watched,
            judge(tree, alphabet, at_end=False, at_newline=False),
            f"{part.watched.group}/{number}",
        )
        for number, tree in enumerate(trees)
    ]
