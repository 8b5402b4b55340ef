"""Why the pattern of a start anchor stays with the `regex` module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.parse import parse_pattern
from respc.scan.reasons import CAN_MATCH_NOTHING, Kept, Obstacle, kept_by, obstacle_in
from respc.scan.states import spelled_alone

if TYPE_CHECKING:
    from respc.ir import Anchor


def kept_anchor(anchor: Anchor) -> Kept | None:
    """Tell why a start anchor stays with `regex`, or give None where it does not.

    The prefix is known as a whole, so that less of a pattern is in doubt than of a delimiter.
    """
    if anchor.facts.plain_texts is not None:
        return None
    tree = parse_pattern(anchor.pattern)
    # Of a part that the compiler does not reason about, it is not known whether it matches nothing.
    can_be_empty = anchor.facts.can_be_empty
    if not can_be_empty and spelled_alone(tree) is not None:
        return None
    obstacle = obstacle_in(tree, CAN_MATCH_NOTHING if can_be_empty else "", lazy_runs=True)
    if obstacle.because == f"it {CAN_MATCH_NOTHING}":
        obstacle = Obstacle(obstacle.because, "let it take the text that stands before the message")
    return kept_by(obstacle, tree)
