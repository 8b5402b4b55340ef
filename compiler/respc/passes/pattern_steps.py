"""Search patterns by plain code where every step of a match is certain."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Anchor, Delimiter, ParserIR, PatternSearch, StepSearch
from respc.patterns import parse_pattern
from respc.patterns.lowering import lower_to_steps


def pattern_steps(ir: ParserIR) -> ParserIR:
    """Lower patterns to steps.

    A lowered pattern gives the answers of the interpreter: a match, no match, or text to hold back where `regex`
    reports a partial match. It never goes back, and knows what it waits for, so that held text is not searched again.
    The interpreter's probe with one more character is not needed: no lowered pattern can tell it from other text.
    Of stable modules, text is held back where more of it can complete a match, whatever `regex` reports.
    """
    lowered = ir.map_delimiters(lambda delimiter: _lower(delimiter, ir.stable))
    return replace(lowered, anchor=_lower_anchor(ir.anchor))


def _lower_anchor(anchor: Anchor) -> Anchor:
    """Lower the start anchor, which is searched in the prefix alone; an empty match of it moves on in its own way."""
    if not isinstance(anchor.search, PatternSearch) or anchor.facts.can_be_empty:
        return anchor
    steps = lower_to_steps(parse_pattern(anchor.pattern))
    return anchor if steps is None else replace(anchor, search=StepSearch(steps))


def _lower(delimiter: Delimiter, stable: bool) -> Delimiter:
    if not isinstance(delimiter.search, PatternSearch) or delimiter.declared is not None:
        return delimiter
    steps = lower_to_steps(parse_pattern(delimiter.pattern), stable=stable)
    return delimiter if steps is None else replace(delimiter, search=StepSearch(steps))
