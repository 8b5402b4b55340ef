"""Delimiters with any number of blanks in front: found without those, which they then take along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.classes import are_apart
from respc.patterns.parse import whitespace
from respc.patterns.syntax import Choice, Node, OneOf, Repeat, Sequence
from respc.scan.beginnings import begun_of
from respc.scan.language import Language
from respc.scan.shapes import first_characters, first_text, flat, starts_message
from respc.scan.spelling import Spelling
from respc.scan.two_languages import stands_where_begun
from respc_runtime.beginnings import either

if TYPE_CHECKING:
    from respc.scan.plans import Part


def behind_blanks(branch: Node) -> Node | None:
    """Give what comes behind any number of blanks that a branch begins with; None unless that begins with a text."""
    match branch:
        case Sequence((Repeat(OneOf() as one, 0, None, False), *rest)) if one.is_blanks:
            behind = flat(Sequence(tuple(rest)))
            return None if first_text(behind) is None else behind
        case _:
            return None


def has_blanks(branch: Node) -> bool:
    """Tell whether a branch begins with any number of blanks, and then a text."""
    return behind_blanks(branch) is not None


def without_blanks(branch: Node) -> Node:
    """Give a branch without the blanks in front."""
    return behind_blanks(branch) or branch


def takes_blanks_along(parts: list[Part], alphabet: str, *, stable: bool) -> bool:
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
    behind = Choice(tuple(node for branch in branches if (node := behind_blanks(branch)) is not None))
    alone = Choice(tuple(branch for branch in branches if not has_blanks(branch)))
    # One with blanks in front begins earlier for those than another that begins where it is whole.
    if not behind.branches or stands_where_begun(Language(behind, alphabet), Language(alone, alphabet)):
        return False
    blank = OneOf(whitespace(), members=r"\s")
    return not any(
        starts_message(branch) or not all(are_apart(blank, first) for first in first_characters(branch))
        for branch in map(without_blanks, branches)
    )


def begun_behind_blanks(parts: list[Part]) -> str:
    """Write what has begun, behind their blanks, of the delimiters that have some, or is whole."""
    branches = [without_blanks(branch) for each in parts for branch in each.judged.alternatives]
    return either(begun_of(branches), *map(Spelling().write, branches))
