"""Forget consumed text that no pattern can look at any more."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Delimiter, LiteralSearch, ParserIR, PatternSearch, StepSearch


def left_context(ir: ParserIR) -> ParserIR:
    """Keep as many characters before the place reached as the patterns can see, or everything if that has no bound."""
    contexts = [
        _context(delimiter)
        for region in ir.regions
        for delimiter in (region.opener, region.closer)
        if delimiter is not None
    ]
    bounded = [context for context in contexts if context is not None]
    return replace(ir, left_context=max(bounded, default=0) if len(bounded) == len(contexts) else None)


def _context(delimiter: Delimiter) -> int | None:
    match delimiter.search:
        case LiteralSearch():
            return 0
        case StepSearch(steps):
            # One character is enough to know that a place is not the start of the whole text.
            return int(any(alternative.anchored for alternative in steps.alternatives))
        case PatternSearch():
            return delimiter.facts.left_context
