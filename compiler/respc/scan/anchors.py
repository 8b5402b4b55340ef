"""Why the pattern of a start anchor stays with the `regex` module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.parse import parse_pattern
from respc.scan.reasons import CAN_MATCH_NOTHING, Kept, mended, reads_on
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
    because, mend = mended(tree, CAN_MATCH_NOTHING if can_be_empty else "", lazy_runs=True)
    if because == f"it {CAN_MATCH_NOTHING}":
        mend = "let it take the text that stands before the message"
    return Kept(because, mend, reads_on(tree))
