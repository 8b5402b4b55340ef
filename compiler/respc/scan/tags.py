"""Cuts the pattern of a tag into segments, between which any text may stand.

A tag is found from one segment to the next: where none is found, none comes later, so nothing is searched twice.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import pairwise, product
from typing import TYPE_CHECKING

from respc.patterns.classes import are_apart, takes
from respc.patterns.syntax import Choice, Group, Node, OneOf, Repeat, Sequence, Text
from respc.scan.certain import check_spelled
from respc.scan.language import Language, alphabet_of, can_grow
from respc.scan.nested_runs import nested_runs, tries_anew
from respc.scan.once import comes_later
from respc.scan.shapes import first_characters, is_optional
from respc.scan.spelling import NESTED, NotSpelledError, Spelling, is_gap, is_lazy_run
from respc.scan.tag_closings import begins_with_run, closing_of, without_options
from respc.scan.two_languages import can_overlap, holds_one_inside
from respc_runtime.beginnings import either

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_WAYS = 8
_GROUPS = ("key", "value")
_VALUE_START = "(?P<value_start>)"
_VALUE_END = "(?P<value_end>)"


@dataclass(frozen=True, slots=True)
class TagWay:
    """One way to write a tag.

    Attributes:
        segments: the expressions of its segments; a group tells where a group of the pattern begins or ends.
        skip: what else the first segment matches, to be passed over, where it can begin inside its own run.
        searched_anew: whether a segment begins with a run, which is to be searched only behind its heads.
        needs_regex: whether only `regex` can compile the segments.
        pair: whether they are one with the key, and one up to which the value goes.
        end: the expression of the last one, where a group tells where the value ends, if not right before it,
        heads: that of its heads, if it is found by these,
        closing: the text that it is, if it is one, with nothing but a trim before it,
        trim: and what it leaves out of the value before it: ``blanks``, ``newline`` or nothing.
    """

    segments: tuple[str, ...]
    skip: str
    searched_anew: bool
    needs_regex: bool
    pair: bool = False
    end: str = ""
    heads: str = ""
    closing: str | None = None
    trim: str = ""

    @property
    def first(self) -> str:
        """Give the expression of the first segment, and of what it passes over."""
        return either(self.segments[0], self.skip)

    @property
    def opening(self) -> str:
        """Give the expression of the first of two segments; a group tells where the value begins, if inside it."""
        return either(self.segments[0].removesuffix(_VALUE_START), self.skip)

    @property
    def is_plain(self) -> bool:
        """Tell whether the value is all that stands between two segments."""
        return self.segments[0].endswith(_VALUE_START) and self.segments[1].startswith(_VALUE_END)


@dataclass(frozen=True, slots=True)
class TagPlan:
    """The ways to write a tag, in order of preference; ``pairs``: each is a key, then a value up to its closing."""

    ways: tuple[TagWay, ...]
    pairs: bool


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a group begins or ends."""

    name: str
    ends: bool


@lru_cache(maxsize=32)  # a check asks, and then the compiler
def plan_tags(tree: Node) -> TagPlan | None:
    """Plan how tags are found, or give None where that is not the same as what `regex` finds."""
    return _plan(tree, between=False) or _plan(tree, between=True)


def _plan(tree: Node, *, between: bool) -> TagPlan | None:
    """Plan how tags are found; ``between``: a run up to a character that it leaves out stands between segments, too."""
    try:
        ways = [_way(items, between=between) for items in _ways(tree)]
    except NotSpelledError:
        return None
    if not ways or len(ways) > _MOST_WAYS:
        return None
    pairs = all(way.pair for way in ways)
    if not pairs and any(
        (way.skip and "(?P<key>" not in way.segments[0]) or way.searched_anew for way in ways
    ):
        return None
    return TagPlan(tuple(ways), pairs)


def _ways(node: Node) -> Iterator[tuple[Node | _Mark, ...]]:
    """Multiply out the alternatives that groups or gaps are in, and take groups apart into marks."""
    match node:
        case Sequence(items):
            for parts in product(*(tuple(_ways(item)) for item in items)):
                yield tuple(inner for part in parts for inner in part)
        case Choice(branches) if any(map(_has_group_or_gap, branches)):
            for branch in branches:
                yield from _ways(branch)
        case Group(item, name) if name in _GROUPS:
            assert name is not None
            for inner in _ways(item):
                yield (_Mark(name, False), *inner, _Mark(name, True))
        case Group(item):
            yield from _ways(item)
        case _:
            if not is_gap(node) and _has_group_or_gap(node):
                raise NotSpelledError("has a group in a part that may be missing")
            yield (node,)


def _has_group_or_gap(node: Node) -> bool:
    if isinstance(node, Group) or is_gap(node):
        return True
    match node:
        case Sequence(items) | Choice(items):
            return any(map(_has_group_or_gap, items))
        case Repeat(item):
            return _has_group_or_gap(item)
        case _:
            return False


def _way(items: tuple[Node | _Mark, ...], *, between: bool) -> TagWay:
    segments: list[list[Node | _Mark]] = [[]]
    for position, item in enumerate(items):
        if isinstance(item, _Mark) or not isinstance(item, Repeat):
            segments[-1].append(item)
            continue
        following = items[position + 1 :]
        if is_gap(item):
            if item.low:
                raise NotSpelledError("needs a character in a gap")
            segments.append([])
        elif between and not item.low and _is_up_to(item, following[:1]):
            segments.append([])
        else:
            segments[-1].append(_in_one_way(item, following))
    spelling = Spelling()
    trees = [Sequence(tuple(item for item in segment if not isinstance(item, _Mark))) for segment in segments]
    if not trees[0].items or not isinstance(trees[0].items[0], Text):
        raise NotSpelledError("does not begin with a text")
    for segment, tree in zip(segments, trees, strict=True):
        marks = [item for item in segment if isinstance(item, _Mark)]
        if len(marks) > len(set(marks)):
            raise NotSpelledError("names two groups alike")
        check_spelled(tree)
        if len([*_lazy_runs(tree)]) > 1 or tries_anew(tree, spelling):
            raise NotSpelledError(NESTED)
        if not tree.items:
            raise NotSpelledError("ends with a gap")
    _check_ends(trees)
    skip = _skip([*trees[0].items], spelling)
    closing = closing_of(trees[1].items) if _is_pair(segments) else None
    written = tuple(_written(segment, spelling) for segment in segments)
    way = TagWay(written, skip, any(map(begins_with_run, trees[1:])), spelling.needs_regex)
    if closing is None:
        return way
    heads = spelling.alternatives(closing.heads) if closing.heads else ""
    if not written[1].startswith(_VALUE_END):
        return replace(way, pair=True, end=written[1], heads=heads, trim=closing.trim)
    end = spelling.alternatives(trees[1])
    return replace(way, pair=True, end=end, heads=heads, trim=closing.trim, closing=closing.text)


def _is_up_to(run: Repeat, following: tuple[Node | _Mark, ...]) -> bool:
    """Tell whether a run goes on to the next character of some kind, whatever stands before it."""
    match run.item, following:
        case OneOf(characters, negated=True), (Text(character),):
            return run.high is None and characters == frozenset(character)
        case _:
            return False


def _in_one_way(run: Repeat, following: tuple[Node | _Mark, ...]) -> Repeat:
    """Write a run so that it ends in one place alone, if that changes nothing.

    A lazy run is as well greedy where what comes behind it is not in it; a greedy one takes no more than it has to
    where a lazy one behind it takes the same characters.
    """
    if not run.lazy and run.high is None and following and not isinstance(following[0], _Mark):
        lazy = following[0]
        if is_lazy_run(lazy) and _is_within(run.item, lazy.item):
            return replace(run, high=run.low) if _is_apart(run, following[1:]) else run
    return replace(run, lazy=False) if run.lazy and _is_apart(run, following) else run


def _is_apart(run: Repeat, following: tuple[Node | _Mark, ...]) -> bool:
    """Tell whether what comes behind a run begins with what is not in it."""
    behind = Sequence(tuple(item for item in following if not isinstance(item, _Mark)))
    return not is_optional(behind) and all(are_apart(run.item, first) for first in first_characters(behind))


def _is_within(one: Node, other: Node) -> bool:
    """Tell whether all characters of a class are of another one."""
    match one, other:
        case OneOf(characters, negated=False), OneOf(source=str()) if characters is not None:
            return all(map(partial(takes, other), characters))
        case _:
            return False


def _lazy_runs(segment: Sequence) -> Iterator[int]:
    """Find the lazy runs of a segment."""
    for place, item in enumerate(segment.items):
        if is_lazy_run(item):
            yield place


def _is_pair(segments: list[list[Node | _Mark]]) -> bool:
    """Tell whether a tag is a segment with the key, and one up to which its value goes."""
    if len(segments) != 2:
        return False
    marks = [[item for item in segment if isinstance(item, _Mark)] for segment in segments]
    return marks == [
        [_Mark("key", False), _Mark("key", True), _Mark("value", False)],
        [_Mark("value", True)],
    ]


def _check_ends(segments: list[Sequence]) -> None:
    """Refuse a segment that may have to end earlier than it could, for the next one to be found.

    That one is also found without what it may begin with, so only what follows that counts.
    """
    alphabet = alphabet_of(segments)
    for one, following in pairwise(segments):
        ends = _after_lazy_run(one, alphabet)
        if can_overlap(Language(ends, alphabet), Language(without_options(following), alphabet)):
            raise NotSpelledError("has a run that may have to give back")


def _after_lazy_run(segment: Sequence, alphabet: str) -> Sequence:
    """Give what decides where a segment ends: what stands behind a lazy run, where the first such text ends first."""
    lazy = next(_lazy_runs(segment), None)
    if lazy is None:
        return segment
    before, behind = Sequence(segment.items[:lazy]), Sequence(segment.items[lazy + 1 :])
    language = Language(behind, alphabet)
    if can_grow(Language(before, alphabet)) or holds_one_inside(language, language):
        return segment
    return behind


def _written(segment: list[Node | _Mark], spelling: Spelling) -> str:
    """Write a segment; a group that begins and ends in it stands around what it takes."""
    written = ""
    opened = {item.name for item in segment if isinstance(item, _Mark) and not item.ends}
    closed = {item.name for item in segment if isinstance(item, _Mark) and item.ends}
    inside = opened & closed
    pending: list[Node] = []
    for item in segment:
        if isinstance(item, _Mark):
            written += spelling.write(Sequence(tuple(pending)))
            pending.clear()
            if item.name in inside:
                written += ")" if item.ends else f"(?P<{item.name}>"
            else:
                written += f"(?P<{item.name}_{'end' if item.ends else 'start'}>)"
        else:
            pending.append(item)
    return written + spelling.write(Sequence(tuple(pending)))


def _skip(nodes: list[Node], spelling: Spelling) -> str:
    """Write what to go past where the run of an opening led nowhere, if it can begin again inside that run."""
    tree = Sequence(tuple(nodes))
    language = Language(tree, alphabet_of((tree,)))
    nested = list(nested_runs(tree, spelling))
    if any(each.to_end or comes_later(each.head, each.run, language) for each in nested):
        raise NotSpelledError(NESTED)
    return "|".join(each.written for each in reversed(nested))
