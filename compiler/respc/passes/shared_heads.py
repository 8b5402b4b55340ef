"""Look for all delimiters of a state at once where they are no plain texts, by what they begin with."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from typing import TYPE_CHECKING

from respc.ir import Delimiter, Head, LiteralSearch, ParserIR, State, StepSearch
from respc.patterns.parse import whitespace

if TYPE_CHECKING:
    from respc.patterns.steps import Alternative

_MOST = 40
_LONGEST = 100


def shared_heads(ir: ParserIR) -> ParserIR:
    """Note the heads of the states in which one search for them finds what one for each delimiter would.

    That is so where every delimiter begins with a text (but for blanks before it), and no such text occurs inside
    another: then the first head in the text that begins a whole delimiter belongs to the first delimiter, and no other
    can begin before it but where text runs out, which the search sees on its way.
    """
    return ir.map_states(lambda state: state if state.one_search else _note(ir, state))


def _note(ir: ParserIR, state: State) -> State:
    heads: list[Head] = []
    for number, (_, delimiter) in enumerate(ir.delimiters(state)):
        found = _heads(number, delimiter, ir.stable)
        if found is None:
            return state
        heads += found
    if not 0 < len(heads) <= _MOST or any(one.text in two.text for one, two in permutations(heads, 2)):
        return state
    return replace(state, heads=tuple(heads))


def _heads(number: int, delimiter: Delimiter, stable: bool) -> list[Head] | None:
    """Give the heads of a delimiter, or None where it has something else."""
    match delimiter.search:
        case LiteralSearch(literals):
            heads = [Head(text, number) for text in literals]
        case StepSearch(steps):
            known = [_head(number, position, each) for position, each in enumerate(steps.alternatives)]
            merged = _merge([head for head in known if head is not None])
            if None in known or merged is None:
                return None
            heads = [replace(head, hidden=steps.end is not None and not stable) for head in merged]
        case _:
            return None
    if any(len(head.text) > _LONGEST or head.text[0] in whitespace() for head in heads):
        return None
    return heads


def _head(number: int, position: int, alternative: Alternative) -> Head | None:
    before = alternative.before
    if alternative.head is None or (before is not None and not before.is_blanks):
        return None
    return Head(alternative.head, number, (position,), after_blanks=before is not None)


def _merge(heads: list[Head]) -> list[Head] | None:
    """Merge the heads of alternatives that begin alike, or give None where only some of those go back over blanks."""
    merged: dict[str, Head] = {}
    for head in heads:
        other = merged.get(head.text, replace(head, alternatives=()))
        if other.after_blanks != head.after_blanks:
            return None
        merged[head.text] = replace(head, alternatives=other.alternatives + head.alternatives)
    return list(merged.values())
