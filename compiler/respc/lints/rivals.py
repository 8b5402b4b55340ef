"""Delimiters that stand in each other's way, where more than one is looked for at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.contents.model import is_list
from respc.diagnostics import Fix, quoted
from respc.diagnostics.fixes import Remove
from respc.frontend.findings import listed
from respc.lints.delimiters import Placed, placed_delimiters
from respc.lints.trials import compiled
from respc.source import child_pointer

if TYPE_CHECKING:
    from respc.frontend.findings import Findings
    from respc.ir import ParserIR


def check_rivals(ir: ParserIR, findings: Findings) -> None:
    """Find delimiters that always lose to another, are the same twice, or begin another."""
    placed = list(placed_delimiters(ir))
    outside = [each for each in placed if each.opens or each.ends_implicit]
    for each in placed:
        _check_twice(each, findings)
    for loser in outside:
        if not _check_equal(loser, outside, findings):
            _check_reachable(loser, outside, findings)
    _check_beginnings(outside, findings)


def _texts(placed: Placed) -> tuple[str, ...]:
    """List the texts that a delimiter is, if it is nothing else."""
    return placed.delimiter.facts.plain_texts or ()


def _wins_ties(one: Placed, two: Placed) -> bool:
    """Tell whether the first delimiter wins where both match the same text."""
    if one.opens is not two.opens:
        return one.opens
    return one.region.name < two.region.name


def _check_twice(placed: Placed, findings: Findings) -> None:
    literals = findings.source.template["fields"][placed.region.name]
    literals = literals.get("open" if placed.opens else "close")
    for number, literal in enumerate(literals if is_list(literals) else ()):
        if literal in literals[:number]:
            pointer = child_pointer(placed.pointer, number)
            findings.add(
                "duplicate-literal",
                f"the literal {quoted(literal)} is in this list already",
                pointer,
                label="says nothing new",
                help="remove it",
                fix=Fix("nothing", (Remove(pointer),)),
            )


def _check_equal(loser: Placed, outside: list[Placed], findings: Findings) -> bool:
    """Find texts that are an opener of another field too, which wins."""
    found = False
    for winner in outside:
        if winner.region is loser.region or not winner.opens or not _wins_ties(winner, loser):
            continue
        same = [text for text in _texts(loser) if text in _texts(winner)]
        if not same and winner.delimiter.pattern != loser.delimiter.pattern:
            continue
        shown = listed(same) if same else quoted(loser.delimiter.pattern)
        found = True
        if loser.opens:
            findings.add(
                "equal-openers",
                f"{shown} opens both {quoted(winner.region.name)} and {quoted(loser.region.name)}",
                loser.pointer,
                label=f"{quoted(winner.region.name)} always opens, because its name comes first",
                help="give each field an opener of its own",
            )
        else:
            findings.add(
                "opener-equals-closer",
                f"{shown} opens {quoted(winner.region.name)} and closes the implicit field "
                f"{quoted(loser.region.name)}",
                loser.pointer,
                label="the opener wins: this never closes by it",
                help="remove it here: an opener ends the text of the implicit field anyway",
            )
    return found


def _check_reachable(loser: Placed, outside: list[Placed], findings: Findings) -> None:
    texts = _texts(loser)
    winners = {text: _winner(text, loser, outside) for text in texts}
    if not texts or any(winner is None for winner in winners.values()):
        return
    names = sorted({winner.region.name for winner in winners.values() if winner is not None})
    findings.add(
        "unreachable-delimiter",
        f"the {loser.kind} of {quoted(loser.region.name)} never matches",
        loser.pointer,
        label=f"the opener of {listed(names)} matches there too, and wins",
        help="let the other opener match less, or leave this field out",
    )


def _winner(text: str, loser: Placed, outside: list[Placed]) -> Placed | None:
    """Find an opener whose pattern takes a text whole, or more of it, wherever it stands."""
    for winner in outside:
        facts = winner.delimiter.facts
        if winner.region is loser.region or not winner.opens or facts.looks_ahead or facts.left_context != 0:
            continue
        match = compiled(winner.delimiter.pattern).match(text)
        if match is None or (facts.plain_texts is not None and text not in facts.plain_texts):
            continue
        if match.end() == len(text) and _wins_ties(winner, loser):
            return winner
    return None


def _check_beginnings(outside: list[Placed], findings: Findings) -> None:
    openers = [each for each in outside if each.opens]
    for short in openers:
        for long in openers:
            if short.region is long.region:
                continue
            pairs = [
                (one, two)
                for one in _texts(short)
                for two in _texts(long)
                if two.startswith(one) and two != one
            ]
            if pairs:
                one, two = pairs[0]
                findings.add(
                    "opener-begins-another",
                    f"{quoted(one)} opens {quoted(short.region.name)}, and {quoted(two)} opens "
                    f"{quoted(long.region.name)}",
                    short.pointer,
                    label="the longer one wins where both match",
                )
