"""Findings about patterns that do not become code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics import quoted
from respc.lints.delimiters import placed_patterns
from respc.patterns import parse_pattern
from respc.patterns.places import WORD_EDGES, place_of
from respc.patterns.samples import endless_beginning
from respc.patterns.tokens import Kind, Token
from respc.patterns.trials import matches_everywhere
from respc.scan.reasons import kept_delimiter, kept_tags
from respc.scan.refusals import blamed_delimiters

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR


def check_kept_patterns(ir: ParserIR, findings: Findings) -> None:
    """Find the patterns that stay with `regex`, and those that can be slow."""
    blamed = {each.delimiter.origin.pointer: each for each in blamed_delimiters(ir)}
    for placed in placed_patterns(ir):
        if placed.of_tag:
            kept, is_slow = kept_tags(placed.pattern, in_value=placed.in_value), False
        else:
            # Of what matches everywhere, enough was said.
            each = None if matches_everywhere(placed.pattern) else blamed.get(placed.pointer)
            kept = None if each is None else kept_delimiter(placed.pattern, each.because)
            is_slow = each is not None and each.is_slow
        if kept is None:
            continue
        stays = "this pattern" if is_slow else "this pattern stays with the module `regex`, because"
        if kept.without_bound:
            beginning = endless_beginning(parse_pattern(placed.pattern))
            text = (
                "some texts"
                if beginning is None
                else f"a long text after {quoted(beginning)} that does not end it"
            )
            findings.add(
                "slow-pattern",
                f"{stays} {kept.because}, and reads on without bound",
                placed.pointer,
                characters=place_of(placed.pattern, _is_obstacle),
                label=f"on {text}, time can grow with its square, or faster",
                help=kept.mend,
            )
        else:
            findings.add(
                "pattern-left-to-regex",
                f"{stays} {kept.because}",
                placed.pointer,
                characters=place_of(placed.pattern, _is_obstacle),
                label="slower than plain code, and the module has to be installed",
                help=kept.mend,
            )


def _is_obstacle(token: Token) -> bool:
    """Tell whether a token is for something that no lowered pattern has."""
    return (
        token.text in (*WORD_EDGES, "(?<=", "(?<!", "(?!", "(?>")
        or (token.kind is Kind.REPEAT and len(token.text) > 1 and token.text.endswith("+"))
        or token.kind in (Kind.REFERENCE, Kind.FUZZY)
    )
