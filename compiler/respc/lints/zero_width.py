"""Delimiters that match without taking text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics import quoted
from respc.lints.delimiters import Placed, placed_delimiters
from respc.patterns.trials import bad_cut, edge_of_empty_match, empty_match_before, matches_everywhere

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR


def check_zero_width(ir: ParserIR, findings: Findings) -> None:
    """Find delimiters that can match the empty text, worst first; each is spoken of once."""
    for placed in placed_delimiters(ir):
        # Of what never ends, enough was said.
        if placed.is_pattern and not findings.has("never-ending", placed.region.origin.pointer):
            _check(placed, findings)


def _check(placed: Placed, findings: Findings) -> None:
    pattern = placed.delimiter.pattern
    if matches_everywhere(pattern):
        if placed.opens:
            findings.add(
                "opener-always-matches",
                f"the opener of {quoted(placed.region.name)} matches at every place, whatever stands there",
                placed.pointer,
                label="opens at once, so that no other field gets text",
                help="let it match at least one character that marks the region",
            )
        else:
            findings.add(
                "closer-always-empty",
                f"the closer of {quoted(placed.region.name)} matches at every place, whatever stands there",
                placed.pointer,
                label="parsing stops at it, and all text is lost"
                if placed.ends_implicit
                else "closes at once, so that no text gets in",
                help="let it match at least one character that ends the region",
            )
        return
    before = empty_match_before(pattern)
    if before is not None and placed.ends_implicit:
        findings.add(
            "implicit-closer-empty",
            f"the closer of the implicit field {quoted(placed.region.name)} can match without taking text",
            placed.pointer,
            label=f"parsing stops before {quoted(before)}: what follows is lost"
            if before
            else "parsing stops there: what follows is lost",
            help="let it take the text that it looks for",
        )
    elif where := _place_of_empty_match(pattern, before):
        findings.add(
            "zero-width-delimiter",
            f"the {placed.kind} of {quoted(placed.region.name)} can match without taking text, {where}",
            placed.pointer,
            label="takes no text where it matches so",
        )


def _place_of_empty_match(pattern: str, before: str | None) -> str | None:
    """Say where a pattern matches the empty text; None where it does not, or where chunk cuts are the trouble."""
    if before is not None:
        return f"before {quoted(before)}" if before else "between other text"
    return edge_of_empty_match(pattern) if bad_cut(pattern) is None else None
