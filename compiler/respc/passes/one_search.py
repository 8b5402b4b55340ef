"""Look for all delimiters of a state at once."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

from respc.ir import Delimiter, Edge, LiteralSearch, ParserIR, State


def one_search(ir: ParserIR) -> ParserIR:
    """Merge the searches of a state whose delimiters are literals that cannot get in each other's way.

    The interpreter searches each delimiter by itself, then lets the earliest one win unless another may still begin
    before it. One alternation finds the same when no literal of one delimiter occurs inside a literal of another: then
    an undecided beginning cannot lie over a whole one. (In stable modules that has to be so within one delimiter too.)
    """
    return ir.map_states(lambda state: _merge(ir, state))


def _merge(ir: ParserIR, state: State) -> State:
    delimiters = [delimiter for _, delimiter in ir.delimiters(state)]
    literal_sets = [_mergeable(delimiter, ir.stable) for delimiter in delimiters]
    if None in literal_sets or not delimiters:
        return state
    known = [literals for literals in literal_sets if literals is not None]
    return state if _overlap(known) else replace(state, one_search=True)


def _overlap(literal_sets: list[tuple[str, ...]]) -> bool:
    """Tell whether a literal of one set occurs inside a literal of another."""
    owners = {text: number for number, literals in enumerate(literal_sets) for text in literals}
    lengths = {len(text) for text in owners}
    if len(owners) < sum(map(len, literal_sets)):
        return True
    if len(owners) ** 2 <= sum(map(len, owners)) * len(lengths):
        return any(
            text in other for one, two in permutations(literal_sets, 2) for text in one for other in two
        )
    # Of thousands, comparing all pairs takes longer than looking up every piece.
    return any(
        owners.get(text[start : start + length], number) != number
        for text, number in owners.items()
        for length in lengths
        for start in range(len(text) - length + 1)
    )


def _mergeable(delimiter: Delimiter, stable: bool) -> tuple[str, ...] | None:
    """Give the literals of a delimiter, if trying the longest first is what it does anyway."""
    if not isinstance(delimiter.search, LiteralSearch) or (stable and delimiter.edge is Edge.WAITS):
        return None
    literals = delimiter.search.literals
    if delimiter.declared is None and any(two.startswith(one) for one, two in permutations(literals, 2)):
        return None
    return literals
