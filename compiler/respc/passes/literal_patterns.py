"""Search patterns that are a choice of plain texts as plain text."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Anchor, Delimiter, LiteralSearch, ParserIR, PatternSearch
from respc.passes.literal_delimiters import edge_of_literals


def literal_patterns(ir: ParserIR) -> ParserIR:
    """Lower patterns whose every match is one of a few texts.

    What stays of the pattern: it prefers its alternatives in their order, and waits at the edge of the known text. (In
    stable modules only where another could take its place.)
    """
    ir = ir.map_delimiters(lambda delimiter: _lower(delimiter, ir.stable))
    literals = ir.anchor.facts.plain_texts
    return ir if literals is None else replace(ir, anchor=_lower_anchor(ir.anchor, literals))


def _lower(delimiter: Delimiter, stable: bool) -> Delimiter:
    literals = delimiter.facts.plain_texts
    if not isinstance(delimiter.search, PatternSearch) or delimiter.declared or literals is None:
        return delimiter
    edge = edge_of_literals(literals) if stable else delimiter.edge
    return replace(delimiter, search=LiteralSearch(literals), edge=edge)


def _lower_anchor(anchor: Anchor, literals: tuple[str, ...]) -> Anchor:
    return replace(anchor, search=LiteralSearch(literals))
