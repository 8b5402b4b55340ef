"""Parse a whole text without a stream."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.scan.refusals import can_take_nothing
from respc.scan.states import can_meet, tree_of

if TYPE_CHECKING:
    from respc.ir import ParserIR, Region


def whole_text(ir: ParserIR, stable: bool) -> ParserIR:
    """Tell whether taking a text to its end is the same as feeding it to a stream and ending that.

    A stream looks at a text as if more could follow, and then at what it held back once more, as the end. By
    expressions it finds whole delimiters at the same places both times, and holds nothing back before one that it
    finds, so one look is enough. `regex` does not promise that; nor do delimiters that match nothing in the middle.
    """
    certain = all(state.scan is not None and state.starting is not None for state in ir.states)
    implicit = None if ir.implicit is None else ir.region(ir.implicit).closer
    return replace(
        ir,
        whole_text=certain
        and not any(map(_may_not_advance, ir.regions))
        and (implicit is None or not can_take_nothing(implicit)),
    )


def _may_not_advance(region: Region) -> bool:
    """Tell whether a region may open and close at one place."""
    if not region.may_not_advance:
        return False
    assert region.opener is not None
    assert region.closer is not None
    return can_meet(tree_of(region.opener), tree_of(region.closer))
