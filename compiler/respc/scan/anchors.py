"""Why the pattern of a start anchor stays with the `regex` module."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.patterns.parse import parse_pattern
from respc.scan.reasons import Kept, mended, reads_on
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
    if anchor.facts.can_be_empty:
        return Kept("it can match nothing", "let it take the text that begins the message", reads_on(tree))
    if spelled_alone(tree) is not None:
        return None
    return Kept(*mended(tree, "", lazy_runs=True), reads_on(tree))
