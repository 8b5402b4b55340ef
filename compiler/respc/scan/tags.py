"""Cuts the pattern of a tag into segments, between which any text may stand.

A tag is found from one segment to the next: where none is found, none comes later, so nothing is searched twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING

from respc.patterns.syntax import Choice, Group, Node, OneOf, Repeat, Sequence, Text
from respc.scan.certain import check_spelled
from respc.scan.language import Language, alphabet_of, grows_through
from respc.scan.runs import nested_runs
from respc.scan.shapes import leading_run
from respc.scan.spelling import NESTED, NotSpelledError, Spelling, is_gap

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_WAYS = 8
_LONGEST_HEAD = 100
_GROUPS = ("key", "value")


@dataclass(frozen=True, slots=True)
class TagWay:
    """One way to write a tag.

    Attributes:
        segments: the expressions of its segments; a group tells where a group of the pattern begins or ends.
        closing: the last segment, if it is one text with nothing but a trim before it,
        trim: and what it leaves out of the value before it: ``blanks``, ``newline`` or nothing.
        skips: whether the first segment also matches what is to be passed over, where it can begin inside its own run.
        needs_regex: whether only `regex` can compile the segments.
    """

    segments: tuple[str, ...]
    closing: str | None
    trim: str
    skips: bool
    needs_regex: bool


@dataclass(frozen=True, slots=True)
class TagPlan:
    """The ways to write a tag, in order of preference; ``pairs``: there is one, a key and then a value up to a text."""

    ways: tuple[TagWay, ...]
    pairs: bool


@dataclass(frozen=True, slots=True)
class _Mark:
    """Where a group begins or ends."""

    name: str
    ends: bool


def plan_tags(tree: Node) -> TagPlan | None:
    """Plan how tags are found, or give None where that is not the same as what `regex` finds."""
    try:
        ways = [_way(items) for items in _ways(tree)]
    except NotSpelledError:
        return None
    if not ways or len(ways) > _MOST_WAYS:
        return None
    pairs = len(ways) == 1 and len(ways[0].segments) == 2 and ways[0].closing is not None
    if not pairs and any(way.trim or way.skips for way in ways):
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


def _way(items: tuple[Node | _Mark, ...]) -> TagWay:
    segments: list[list[Node | _Mark]] = [[]]
    for item in items:
        if not isinstance(item, _Mark) and is_gap(item):
            assert isinstance(item, Repeat)
            if item.low:
                raise NotSpelledError("needs a character in a gap")
            segments.append([])
        else:
            segments[-1].append(item)
    spelling = Spelling()
    first = [item for item in segments[0] if not isinstance(item, _Mark)]
    if not first or not isinstance(first[0], Text):
        raise NotSpelledError("does not begin with a text")
    closing, trim, last = _closing(segments[-1]) if len(segments) > 1 else (None, "", segments[0])
    written: list[str] = []
    skip = ""
    trees = [Sequence(tuple(item for item in segment if not isinstance(item, _Mark))) for segment in segments]
    _check_ends(trees, closing)
    for number, segment in enumerate(segments):
        nodes = [*trees[number].items]
        check_spelled(trees[number])
        if (
            number
            and nodes
            and leading_run(nodes[0]) is not None
            and not (trim and number == len(segments) - 1)
        ):
            raise NotSpelledError("begins a segment with a run")
        written.append(_written(last if number == len(segments) - 1 else segment, spelling))
        if not number:
            skip = _skip(nodes, spelling)
            written[0] += skip
        if number and not written[-1].replace("(?P<value_end>)", ""):
            raise NotSpelledError("ends with a gap")
    return TagWay(tuple(written), closing, trim, bool(skip), spelling.needs_regex)


def _check_ends(segments: list[Sequence], closing: str | None) -> None:
    """Refuse a segment that may have to end earlier than it could, for the next one to be found."""
    alphabet = alphabet_of(segments)
    for number, (one, following) in enumerate(pairwise(segments), 2):
        language = Language(following, alphabet)
        firsts = closing[0] if closing and number == len(segments) else language.after(language.start)
        if grows_through(Language(one, alphabet), frozenset(firsts)):
            raise NotSpelledError("has a run that may have to give back")


def _closing(segment: list[Node | _Mark]) -> tuple[str | None, str, list[Node | _Mark]]:
    """Tell whether a last segment is the end of the value, a trim at most, and a text."""
    rest = list(segment)
    if not rest or rest.pop(0) != _Mark("value", True):
        return None, "", segment
    trim = ""
    if rest and isinstance(rest[0], Repeat):
        trim = _trim(rest[0])
        if not trim:
            return None, "", segment
        del rest[0]
    if not rest or not all(isinstance(item, Text) for item in rest):
        if trim:
            raise NotSpelledError("trims before what is no text")
        return None, "", segment
    text = "".join(item.character for item in rest if isinstance(item, Text))
    if trim and text[0].isspace():
        raise NotSpelledError("trims before a blank")
    return text, trim, [_Mark("value", True), *rest]


def _trim(run: Repeat) -> str:
    if run.lazy or run.low:
        return ""
    if isinstance(run.item, OneOf) and run.item.is_blanks and run.high is None:
        return "blanks"
    return "newline" if run.item == Text("\n") and run.high == 1 else ""


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
    nested = list(nested_runs(Sequence(tuple(nodes)), spelling))
    if not nested:
        return ""
    if len(nested) > 1 or not nested[0].length or nested[0].length > _LONGEST_HEAD:
        raise NotSpelledError(NESTED)
    return f"|{nested[0].written}"
