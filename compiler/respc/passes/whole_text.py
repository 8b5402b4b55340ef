"""Parse a whole text without a stream."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.ir import LiteralSearch, PatternSearch, StepSearch
from respc.patterns.steps import Here

if TYPE_CHECKING:
    from respc.ir import Delimiter, ParserIR


def whole_text(ir: ParserIR) -> ParserIR:
    """Tell whether taking a text to its end is the same as feeding it to a stream and ending that.

    A stream looks at a text as if more could follow, and then at what it held back once more, as the end. Texts and
    steps match at the same places both times, and what is held back begins before anything that only the second look
    finds, so one look is enough. `regex` does not promise that; nor do delimiters that match nothing in the middle.
    """
    certain = all(
        not isinstance(delimiter.search, PatternSearch)
        for state in ir.states
        for _, delimiter in ir.delimiters(state)
    )
    implicit = None if ir.implicit is None else ir.region(ir.implicit).closer
    return replace(
        ir,
        whole_text=certain
        and not any(region.may_not_advance for region in ir.regions)
        and (implicit is None or _takes_text(implicit)),
    )


def _takes_text(delimiter: Delimiter) -> bool:
    """Tell whether a delimiter matches some text, except at the end."""
    match delimiter.search:
        case StepSearch(steps):
            return all(
                not alternative.anchored and isinstance(alternative.steps[0], Here)
                for alternative in steps.alternatives
            )
        case LiteralSearch(literals):
            return all(literals)
        case _:
            return False
