"""Note the characters at which a delimiter can begin, where they are few."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Delimiter, LiteralSearch, ParserIR

_FEW = 4


def first_characters(ir: ParserIR) -> ParserIR:
    """Give every delimiter that cannot be empty its first characters: no match, whole or partial, begins elsewhere."""
    return ir.map_delimiters(_note)


def _note(delimiter: Delimiter) -> Delimiter:
    if isinstance(delimiter.search, LiteralSearch):
        first: frozenset[str] | None = frozenset(text[0] for text in delimiter.search.literals)
    else:
        first = delimiter.facts.first
    if first is None or len(first) > _FEW:
        return delimiter
    return replace(delimiter, first=first)
