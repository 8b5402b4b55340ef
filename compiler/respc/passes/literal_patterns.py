"""Search patterns that are a choice of plain texts as plain text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.ir import Anchor, Delimiter, LiteralSearch, ParserIR, PatternSearch

if TYPE_CHECKING:
    from respc.patterns import PatternFacts


def literal_patterns(ir: ParserIR) -> ParserIR:
    """Lower patterns whose every match is one of a few texts.

    What stays of the pattern: it prefers its alternatives in their order, and waits at the edge of the known text.
    """
    ir = ir.map_delimiters(_lower)
    literals = _plain_texts(ir.anchor.facts)
    return ir if literals is None else replace(ir, anchor=_lower_anchor(ir.anchor, literals))


def _lower(delimiter: Delimiter) -> Delimiter:
    literals = _plain_texts(delimiter.facts)
    if not isinstance(delimiter.search, PatternSearch) or delimiter.declared or literals is None:
        return delimiter
    return replace(delimiter, search=LiteralSearch(literals))


def _lower_anchor(anchor: Anchor, literals: tuple[str, ...]) -> Anchor:
    return replace(anchor, search=LiteralSearch(literals))


def _plain_texts(facts: PatternFacts) -> tuple[str, ...] | None:
    """Give the texts, if none is empty and none holds U+0000, with which the interpreter probes matches."""
    literals = facts.literals
    if literals is None or any(not text or "\0" in text for text in literals):
        return None
    return literals
