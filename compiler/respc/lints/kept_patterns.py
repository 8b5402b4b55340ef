"""Findings about patterns that stay with `regex`, or can be slow without that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics import quoted
from respc.lints.delimiters import placed_patterns
from respc.patterns import parse_pattern
from respc.patterns.places import WORD_EDGES, place_of
from respc.patterns.samples import endless_beginning
from respc.patterns.tokens import Kind, Token
from respc.patterns.trials import matches_everywhere
from respc.scan.anchors import kept_anchor
from respc.scan.reasons import kept_delimiter, kept_tags
from respc.scan.refusals import BESIDE_ANOTHER, blamed_delimiters, left_beside_others

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR
    from respc.lints.delimiters import PlacedPattern
    from respc.scan.reasons import Kept
    from respc.scan.refusals import Blamed


def check_kept_patterns(ir: ParserIR, findings: Findings) -> None:
    """Find the patterns that stay with `regex`, and those that can be slow."""
    blamed = {each.delimiter.origin.pointer: each for each in blamed_delimiters(ir)}
    beside = left_beside_others(ir)
    for placed in placed_patterns(ir):
        each = blamed.get(placed.pointer)
        kept = _kept(placed, each, beside, ir)
        if kept is None:
            continue
        if each is not None and each.is_slow:
            said = f"this pattern {each.because}"
        else:
            said = f"this pattern stays with the module `regex`, because {kept.because}"
        if kept.without_bound:
            beginning = endless_beginning(parse_pattern(placed.pattern))
            text = (
                "some texts"
                if beginning is None
                else f"a long text after {quoted(beginning)} that does not end it"
            )
            findings.add(
                "slow-pattern",
                f"{said}, and reads on without bound",
                placed.pointer,
                characters=place_of(placed.pattern, _is_obstacle),
                label=f"on {text}, time can grow with its square, or faster",
                help=kept.instead,
            )
        else:
            findings.add(
                "pattern-left-to-regex",
                said,
                placed.pointer,
                characters=place_of(placed.pattern, _is_obstacle),
                label="slower than an expression of `re`, and the module has to be installed",
                help=kept.instead,
            )


def _kept(placed: PlacedPattern, blamed: Blamed | None, beside: set[str], ir: ParserIR) -> Kept | None:
    if placed.of_tag:
        return kept_tags(placed.pattern, in_value=placed.in_value)
    if placed.region is None:
        return kept_anchor(ir.anchor)
    # Of what matches everywhere, enough was said.
    if matches_everywhere(placed.pattern):
        return None
    if blamed is None:
        kept = kept_delimiter(placed.pattern, BESIDE_ANOTHER)
        return kept if placed.pointer in beside and kept.without_bound else None
    return kept_delimiter(placed.pattern, blamed.because)


def _is_obstacle(token: Token) -> bool:
    """Tell whether a token is for something that no expression of a state has."""
    return (
        token.text in (*WORD_EDGES, "(?<=", "(?<!", "(?!", "(?>")
        or (token.kind is Kind.REPEAT and len(token.text) > 1 and token.text.endswith("+"))
        or token.kind in (Kind.REFERENCE, Kind.FUZZY)
    )
