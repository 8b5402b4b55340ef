"""Runs in which their own delimiter can begin again, and how to go on where one led nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.patterns.classes import disjoint, has, is_any
from respc.patterns.syntax import Choice, Group, LookAhead, Node, OneOf, Repeat, Sequence, Text
from respc.scan.language import Language
from respc.scan.once import comes_later
from respc.scan.shapes import (
    apart_by_first,
    is_optional,
    leading_run,
    spread,
    starts_message,
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
        length: that of the head; None where that varies, or there is a way past the run.
        to_end: whether the run goes on to the end of the text, whatever comes.
    """

    branch: Node
    head: Node
    run: OneOf
    written: str
    length: int | None
    to_end: bool


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
    found = [
        (name, judged, parts, [each for part in parts for each in nested_runs(part, spelling)])
        for name, judged, parts in (
            (name, judged, [part for branch in judged.alternatives for part in spread(branch)])
            for name, judged in delimiters
        )
    ]
    alone = sum(len(nested) for *_, nested in found) == 1
    all_parts = [part for _, _, parts, _ in found for part in parts]
    at_newline = any(judged.at_newline for _, judged in delimiters)
    for name, judged, _, nested in found:
        if len(nested) > 1:
            slow = name
            continue
        for each in nested:
            if each.to_end:
                if alone and _comes_once(each, judged):
                    group = spelling.unique("skip")
                    written = f"{each.written}(?P<{group}>)"
                    plans.append(SkipPlan(group, each.branch, written, None, "", 0))
                else:
                    slow = name
                continue
            heads = _heads([part for part in all_parts if part != each.branch])
            if heads is None or each.length is None:
                slow = name
                continue
            if any(all(has(each.run, character) for character in head) for head in heads):
                # What another one begins with can stand in the run: after each, all of it is tried again.
                slow = name
            if at_newline:
                heads.append("\n")
            group = spelling.unique("skip")
            written, width = f"{each.written}(?P<{group}>)", max(map(len, heads), default=0)
            pattern = "|".join(map(written_text, heads))
            plans.append(SkipPlan(group, each.branch, written, each.length, pattern, width))
    return plans, slow


def _comes_once(nested: Nested, judged: Judged) -> bool:
    """Tell whether a delimiter is written by itself, and comes nowhere later where its run led nowhere."""
    written = [branch for together in apart_by_first(judged.alternatives) for branch in together]
    return nested.branch in written and not comes_later(
        nested.head, Language(nested.branch, judged.language.alphabet)
    )


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
        ):
            continue
        head = Sequence(before)
        if is_any(one):
            yield Nested(
                branch, head, one, spelling.write(Sequence((*before, Repeat(one, run.low, None)))), 0, True
            )
            if not passed:
                return
            continue
        needed = [item for item in before if not is_optional(item)]
        if any(_leaves(item, one) for item in needed):
            continue
        written = spelling.write(Sequence((*before, Repeat(one, run.low, None))))
        texts = [text for item in needed for text in _texts(item)]
        apart = all(_leaves(item, one) for item in before if is_optional(item))
        yield Nested(
            branch,
            head,
            one,
            written,
            len(texts) if not passed and apart and all(isinstance(text, Text) for text in texts) else None,
            False,
        )


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


def _texts(node: Node) -> list[Node]:
    """List the characters of a node one by one; what is no plain sequence of them as it is."""
    match node:
        case Sequence(items):
            return [text for item in items for text in _texts(item)]
        case Group(item) | LookAhead(item) | Repeat(item, 0, 1):
            return _texts(item)
        case _:
            return [node]


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
