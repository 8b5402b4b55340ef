"""Delimiters with any number of blanks in front: found without those, which they then take along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.parse import whitespace
from respc.patterns.syntax import Choice, Node, OneOf, Sequence
from respc.scan.beginnings import begun_of
from respc.scan.certain import are_apart
from respc.scan.language import Language
from respc.scan.shapes import first_characters, first_text, flat, leading_run, starts_message
from respc.scan.spelling import Spelling
from respc.scan.two_languages import both_whole, one_while_other
from respc_runtime.beginnings import either

if TYPE_CHECKING:
    from respc.scan.plans import Part


def has_blanks(branch: Node) -> bool:
    """Tell whether a branch begins with any number of blanks, and then a text."""
    run = leading_run(branch)
    return (
        run is not None
        and run.low == 0
        and isinstance(run.item, OneOf)
        and run.item.is_blanks
        and isinstance(branch, Sequence)
        and first_text(flat(Sequence(branch.items[1:]))) is not None
    )


def without_blanks(branch: Node) -> Node:
    """Give a branch without the blanks in front."""
    return flat(Sequence(branch.items[1:])) if has_blanks(branch) and isinstance(branch, Sequence) else branch


def takes_blanks_along(parts: list[Part], *, stable: bool) -> bool:
    """Tell whether the delimiters of a state can be searched without the blanks in front, and take those along.

    Nothing else may begin among those blanks, nor be tried before the rest.
    """
    if any(each.judged.certain or each.judged.at_newline or each.judged.needs_eager for each in parts):
        return False
    if any(len({*map(has_blanks, each.judged.alternatives)}) > 1 for each in parts):
        return False
    if not stable and any(each.judged.at_end for each in parts):
        return False  # what has begun of those is not held back
    branches = [branch for each in parts for branch in each.judged.alternatives]
    behind = tuple(without_blanks(branch) for branch in branches if has_blanks(branch))
    alone = tuple(branch for branch in branches if not has_blanks(branch))
    if not behind or _can_stand_in_place(behind, alone, parts[0].judged.language.alphabet):
        return False
    blank = OneOf(whitespace(), members=r"\s")
    return not any(
        starts_message(branch) or not all(are_apart(blank, first) for first in first_characters(branch))
        for branch in map(without_blanks, branches)
    )


def _can_stand_in_place(behind: tuple[Node, ...], alone: tuple[Node, ...], alphabet: str) -> bool:
    """Tell whether one with blanks in front, which begins earlier for those, can be whole where another begins."""
    languages = [Language(Choice(branches), alphabet) for branches in (behind, alone)]
    return one_while_other(*languages) or both_whole(*languages)


def begun_behind_blanks(parts: list[Part]) -> str:
    """Write what has begun, behind their blanks, of the delimiters that have some, or is whole."""
    branches = [without_blanks(branch) for each in parts for branch in each.judged.alternatives]
    return either(begun_of(branches), *map(Spelling().write, branches))
