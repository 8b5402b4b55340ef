"""Runs that can leave text to a later one: where nothing follows both, every way to cut that text is tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.classes import are_apart
from respc.patterns.syntax import Choice, Group, LookAhead, OneOf, Repeat, Sequence, Text, parts_of
from respc.scan.shapes import is_optional

if TYPE_CHECKING:
    from respc.patterns.syntax import Node


def hands_over(branch: Node) -> bool:
    """Tell whether a run can leave text to a later one, behind which something has to come."""
    return any(
        isinstance(run, Repeat)
        and run.high is None
        and isinstance(run.item, Text | OneOf)
        and _takes_over(run.item, rest, ())
        for _, run, rest, _ in parts_of(branch)
    )


def _takes_over(one: Text | OneOf, items: tuple[Node, ...], behind: tuple[Node, ...]) -> bool:
    """Tell whether a run can begin where another of such characters ends or has given some back."""
    for position, item in enumerate(items):
        after = (*items[position + 1 :], *behind)
        match item:
            case Repeat(Text() | OneOf() as other, _, None) if not are_apart(one, other):
                return not all(map(is_optional, after))
            case Sequence(inner) if _takes_over(one, inner, after):
                return True
            case Group(inner) | LookAhead(inner, False) | Repeat(inner) if _takes_over(one, (inner,), after):
                return True
            case Choice(branches) if any(_takes_over(one, (branch,), after) for branch in branches):
                return True
            case Text() | OneOf() if not are_apart(one, item):
                continue
            case _ if not is_optional(item):
                return False
            case _:
                pass
    return False
