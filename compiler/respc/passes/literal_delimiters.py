"""Search delimiters that were written as literals as plain text."""

from __future__ import annotations

from dataclasses import replace

from respc.ir import Delimiter, LiteralSearch, ParserIR


def literal_delimiters(ir: ParserIR) -> ParserIR:
    """Lower declared literals, longest first: so they are tried at one place.

    A whole literal anywhere hides the beginning of another before it, as in the interpreter, because the beginnings are
    looked for only when there is no whole one.
    """
    return ir.map_delimiters(_lower)


def _lower(delimiter: Delimiter) -> Delimiter:
    if delimiter.declared is None:
        return delimiter
    ordered = tuple(sorted(delimiter.declared, key=len, reverse=True))
    return replace(delimiter, search=LiteralSearch(ordered))
