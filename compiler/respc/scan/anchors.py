"""How the pattern of a start anchor is searched: by `re`, or by the `regex` module, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.parse import parse_pattern
from respc.scan.certain import check_spelled
from respc.scan.reasons import CAN_MATCH_NOTHING, Kept, Obstacle, kept_by, obstacle_in
from respc.scan.shapes import alternatives_of, leading_run
from respc.scan.spelling import NotSpelledError, Spelling

if TYPE_CHECKING:
    from respc.ir import Anchor


def spelled_anchor(anchor: Anchor) -> str | None:
    """Write a start anchor for `re`, or give None where only `regex` can search it.

    The prefix is known as a whole, so that less of a pattern is in doubt than of a delimiter.
    """
    tree, spelling = parse_pattern(anchor.pattern), Spelling()
    if anchor.facts.plain_texts is not None:
        # It can be written however long its texts are; `regex` would take the square of their length.
        return spelling.write(tree)
    try:
        check_spelled(tree)
        written = spelling.write(tree)
    except NotSpelledError:
        return None
    runs = any(map(leading_run, alternatives_of(tree)))
    return None if anchor.facts.can_be_empty or spelling.needs_regex or runs else written


def kept_anchor(anchor: Anchor) -> Kept | None:
    """Tell why a start anchor stays with `regex`, or give None where it does not."""
    if spelled_anchor(anchor) is not None:
        return None
    tree = parse_pattern(anchor.pattern)
    # Of a part that the compiler does not reason about, it is not known whether it matches nothing.
    obstacle = obstacle_in(tree, CAN_MATCH_NOTHING if anchor.facts.can_be_empty else "", lazy_runs=True)
    if obstacle.because == f"it {CAN_MATCH_NOTHING}":
        obstacle = Obstacle(obstacle.because, "let it take the text that stands before the message")
    return kept_by(obstacle, tree)
