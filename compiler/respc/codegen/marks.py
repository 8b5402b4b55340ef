"""What a serving module says of its delimiters: what openers begin with, what ends a turn, where strings are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.forms import calls_of
from respc.codegen.literals import display_dict, literal
from respc.contents import parser_of
from respc.patterns import parse_pattern
from respc.patterns.beginnings import Beginnings, texts_before_all
from respc_runtime.string_closers import JSON_QUOTES

if TYPE_CHECKING:
    from respc.ir import ParserIR


def marks_code(ir: ParserIR) -> str:
    """Write what the openers of each field begin with."""
    marks = {
        region.name: Beginnings().then(parse_pattern(region.opener.pattern)).texts
        for region in ir.regions
        if region.opener is not None
    }
    return literal({field: texts for field, texts in marks.items() if texts})


def quotes_code(ir: ParserIR) -> str:
    """Write which fields' bodies have strings, and what stands around these."""
    quotes = {
        region.name: parser_of(region.content).quotes(region.content.arguments) for region in ir.regions
    }
    return display_dict(
        (literal(field), "JSON_QUOTES" if pairs == JSON_QUOTES else literal(pairs))
        for field, pairs in quotes.items()
        if pairs and ir.region(field).opener is not None and ir.region(field).closer is not None
    )


def open_ended_code(ir: ParserIR) -> str:
    """Write the fields of calls whose bodies can be read though they are cut off."""
    fields = calls_of(ir)
    return literal(tuple(region.name for region in fields if not parser_of(region.content).shows_end))


def ends_of_turn_code(ir: ParserIR) -> str:
    r"""Write the texts behind which the message is over: in closers they stand before ``[\s\S]*``."""
    ends: set[str] = set()
    for region in ir.regions:
        if region.closer is not None:
            ends.update(texts_before_all(parse_pattern(region.closer.pattern)))
    return literal(tuple(sorted(ends)))
