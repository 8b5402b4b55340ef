"""Which delimiters expressions cannot find as the interpreter does, or not independently of chunks, and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from respc.scan.certain import resolved
from respc.scan.plans import Refused
from respc.scan.reasons import CAN_MATCH_NOTHING
from respc.scan.shapes import alternatives_of, may_take_nothing
from respc.scan.states import plan_state, tree_of, watched_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir import Delimiter, ParserIR

BESIDE_ANOTHER = "is looked for together with one that stays there"


@dataclass(frozen=True, slots=True)
class Blamed:
    """A delimiter because of which a state stays with `regex`, or could take longer than the text is long.

    Attributes:
        because: what it is, as a sentence goes on after "it".
        is_slow: whether the state has its expressions nevertheless.
    """

    delimiter: Delimiter
    because: str
    is_slow: bool = False


def blamed_delimiters(ir: ParserIR, *, stable: bool = False) -> Iterator[Blamed]:
    """Find the delimiters that keep states from their expressions, each once.

    Args:
        ir: the template.
        stable: whether the outcome may not depend on how the text is cut.
    """
    told: set[str] = set()
    for state in ir.states:
        watched = watched_of(ir, state)
        for at_start in (False, True):
            plan = plan_state(ir, state, at_start=at_start and state.region is None, stable=stable)
            if isinstance(plan, Refused):
                each = next((each for each in watched if each.group == plan.group), watched[0])
                blamed = Blamed(each.delimiter, plan.because)
            elif plan.slow:
                each = next(each for each in watched if each.group == plan.slow)
                blamed = Blamed(each.delimiter, plan.slow_because, is_slow=True)
            else:
                continue
            if blamed.delimiter.origin.pointer not in told:
                told.add(blamed.delimiter.origin.pointer)
                yield blamed


def left_beside_others(ir: ParserIR) -> set[str]:
    """Give the places of all delimiters of the states that stay with `regex`."""
    places: set[str] = set()
    for state in ir.states:
        if isinstance(plan_state(ir, state), Refused):
            places |= {delimiter.origin.pointer for _, delimiter in ir.delimiters(state)}
    return places


def unstable_delimiters(ir: ParserIR) -> Iterator[tuple[Delimiter, str]]:
    """Find the delimiters whose outcome depends on how a text is cut, each with the reason.

    Args:
        ir: the template, after the passes; where a state has no expressions, all of its delimiters are among them,
            without a reason.
    """
    for state in ir.states:
        for _, delimiter in ir.delimiters(state):
            for scan in dict.fromkeys([state.scan, state.starting]):
                if scan is None:
                    yield delimiter, ""
                elif scan.unstable:
                    yield delimiter, scan.unstable
    for region in ir.regions:
        if region.opener is None and region.closer is not None and can_take_nothing(region.closer):
            yield region.closer, CAN_MATCH_NOTHING


def can_take_nothing(delimiter: Delimiter) -> bool:
    """Tell whether a delimiter can match nothing, other than at the end of the text."""
    if not delimiter.facts.can_be_empty:
        return False
    tree, _, _ = resolved(tree_of(delimiter), at_start=True)
    return tree is not None and any(map(may_take_nothing, alternatives_of(tree)))
