"""Search delimiters that were written as literals as plain text."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Delimiter, Edge, LiteralSearch, ParserIR


def literal_delimiters(ir: ParserIR) -> ParserIR:
    """Lower declared literals, longest first: so they are tried at one place.

    A whole literal anywhere hides the beginning of another before it, as in the interpreter, because the beginnings are
    looked for only when there is no whole one. In stable modules it does not.
    """
    return ir.map_delimiters(lambda delimiter: _lower(delimiter, ir.stable))


def _lower(delimiter: Delimiter, stable: bool) -> Delimiter:
    if delimiter.declared is None:
        return delimiter
    ordered = tuple(sorted(delimiter.declared, key=len, reverse=True))
    edge = edge_of_literals(ordered) if stable else delimiter.edge
    return replace(delimiter, search=LiteralSearch(ordered), edge=edge)


def edge_of_literals(literals: tuple[str, ...]) -> Edge:
    """Tell whether a literal that is whole may have to wait for another that has begun at or before its place.

    That is so where one stands inside another before its last character.
    """
    known = set(literals)
    lengths = {len(text) for text in literals}
    entangled = any(
        text[start : start + length] in known
        for text in literals
        for length in lengths
        for start in range(len(text) - length)
    )
    return Edge.WAITS if entangled else Edge.COMMITS
