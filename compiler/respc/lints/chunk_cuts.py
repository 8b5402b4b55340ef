"""Delimiters for which it matters where the chunks of a stream are cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import SetValue
from respc.lints.delimiters import Placed, nearest_beginnings, placed_delimiters
from respc.patterns import parse_pattern
from respc.patterns.places import WORD_EDGES, end_alternative, last_repeated_group, place_of_text
from respc.patterns.syntax import Assertion, Node, children
from respc.patterns.trials import BadCut, bad_cut, edge_of_empty_match, matches_everywhere

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_ENDS = ("end", "last line end")
_WITHOUT_END = (
    "a closer that a chunk cuts is found, as in the whole text; at the end the region closes by itself"
)


def check_chunk_cuts(ir: ParserIR, findings: Findings) -> None:
    """Find delimiters that are cut short, or missed, when a chunk ends inside them."""
    for placed in placed_delimiters(ir):
        pattern = placed.delimiter.pattern
        if placed.delimiter.declared is not None:
            cut = _cut_literal(placed.delimiter.declared)
        else:
            cut = None if matches_everywhere(pattern) else bad_cut(pattern)
        if cut is not None:
            _add(placed, cut, findings)


def _cut_literal(literals: tuple[str, ...]) -> BadCut | None:
    """Find a literal that another one begins, and that is cut after a character more than that."""
    for short, long in nearest_beginnings(literals):
        if len(long) > len(short) + 1:
            return BadCut(long, len(short) + 1, short)
    return None


def _add(placed: Placed, cut: BadCut, findings: Findings) -> None:
    pattern = placed.delimiter.pattern
    named = f"the {placed.kind} of {quoted(placed.region.name)}"
    place = f"{quoted(cut.text[: cut.cut])} + {quoted(cut.text[cut.cut :])}"
    if cut.short is not None:
        literals = not placed.is_pattern or placed.delimiter.facts.literals is not None
        findings.add(
            "literals-extend" if literals else "optional-tail",
            f"what {named} takes depends on where the chunks are cut",
            placed.pointer_of_literal(cut.text),
            characters=last_repeated_group(pattern) if placed.is_pattern else None,
            label=f"cut as {place}, it ends after {quoted(cut.short)}",
            help="leave the longer one to a field of its own, or to the closer of the next one"
            if literals
            else "leave the tail out, or let another delimiter take it",
        )
    elif _has(parse_pattern(pattern), _ENDS):
        fixed = _without_end(pattern)
        findings.add(
            "end-or-text",
            f"{named} is missed where a chunk ends inside it: it matches the end of what is known so far",
            placed.pointer,
            characters=end_alternative(pattern),
            label=f"cut as {place}, it goes out as text",
            help="leave the end out: a region whose closer does not come runs to the end by itself"
            if fixed is None
            else f"write {member(placed.key, fixed)}",
            fix=None if fixed is None else Fix(_WITHOUT_END, (SetValue(placed.pointer, fixed),)),
        )
    elif _has(parse_pattern(pattern), ("", "word edge")):
        findings.add(
            "word-edge",
            f"{named} is missed where a chunk ends inside it: no partial match is known at the edge of a word",
            placed.pointer,
            characters=place_of_text(pattern, WORD_EDGES),
            label=f"cut as {place}, it goes out as text",
            help=r"name the characters that may stand there, in place of \b",
        )


def _has(node: Node, kinds: tuple[str, ...]) -> bool:
    """Tell whether a pattern has an assertion of one of these kinds."""
    if isinstance(node, Assertion):
        return node.kind in kinds
    return any(_has(child, kinds) for child in children(node))


def _without_end(pattern: str) -> str | None:
    """Write a pattern without the alternative that is the end of the text; None where it is not written as one."""
    place = end_alternative(pattern)
    if place is None:
        return None
    fixed = pattern[: place[0]] + pattern[place[1] :]
    return fixed if edge_of_empty_match(fixed) is None else None
