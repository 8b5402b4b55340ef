"""Delimiters that stand in each other's way, where more than one is looked for at once."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

from respc.diagnostics import Fix, listed, quoted
from respc.diagnostics.fixes import Remove
from respc.lints.delimiters import Placed, nearest_beginnings, placed_delimiters
from respc.patterns.trials import takes
from respc.source import child_pointer
from respc.source.json_kinds import is_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR

_Name: TypeAlias = tuple[str, bool]
"""A text or a pattern, and whether it is a pattern."""


def check_rivals(ir: ParserIR, findings: Findings) -> None:
    """Find delimiters that always lose to another, are the same twice, or begin another."""
    template = findings.source.template
    _check_twice(template.get("start_anchor"), "/start_anchor", findings)
    placed = list(placed_delimiters(ir))
    for each in placed:
        _check_twice(template["fields"][each.region.name].get(each.key), each.pointer, findings)
    outside = [each for each in placed if each.opens or each.ends_implicit]
    openers = [each for each in outside if each.opens]
    by_name: defaultdict[_Name, list[Placed]] = defaultdict(list)
    for opener in openers:
        for name in _names(opener):
            by_name[name].append(opener)
    # Where a pattern takes more than a few texts, it has to be tried.
    tried = [
        opener
        for opener in openers
        if not _texts(opener)
        and not opener.delimiter.facts.looks_ahead
        and opener.delimiter.facts.left_context == 0
    ]
    for loser in outside:
        if not _check_equal(loser, by_name, findings):
            _check_reachable(loser, tried, findings)
    _check_beginnings(openers, findings)


def _texts(placed: Placed) -> tuple[str, ...]:
    """List the texts that a delimiter is, if it is nothing else."""
    return placed.delimiter.facts.plain_texts or ()


def _names(placed: Placed) -> tuple[_Name, ...]:
    """List what is equal where delimiters are: the texts, or else the pattern."""
    return tuple((text, False) for text in _texts(placed)) or ((placed.delimiter.pattern, True),)


def _wins_ties(one: Placed, two: Placed) -> bool:
    """Tell whether the first delimiter, of another field, wins where both match the same text."""
    if one.region is two.region:
        return False
    if one.opens is not two.opens:
        return one.opens
    return one.region.name < two.region.name


def _check_twice(literals: object, pointer: str, findings: Findings) -> None:
    seen: set[str] = set()
    for number, literal in enumerate(literals if is_list(literals) else ()):
        if literal in seen:
            place = child_pointer(pointer, number)
            findings.add(
                "duplicate-literal",
                f"the literal {quoted(literal)} is in this list already",
                place,
                label="says nothing new",
                help="remove it",
                fix=Fix("nothing", (Remove(place),), is_safe=True),
            )
        seen.add(literal)


def _check_equal(loser: Placed, by_name: Mapping[_Name, Sequence[Placed]], findings: Findings) -> bool:
    """Find texts that are an opener of another field too, which wins."""
    winners: dict[str, list[str]] = {}
    for text, is_pattern in _names(loser):
        rivals = by_name.get((text, is_pattern), ())
        winner = next((each for each in rivals if _wins_ties(each, loser)), None)
        if winner is not None:
            winners.setdefault(winner.region.name, []).append(text)
    for name, texts in winners.items():
        if loser.opens:
            findings.add(
                "equal-openers",
                f"{listed(texts)} opens both {quoted(name)} and {quoted(loser.region.name)}",
                loser.pointer_of_literal(texts[0]),
                label=f"{quoted(name)} always opens, because its name comes first",
                help="give each field an opener of its own",
            )
        else:
            findings.add(
                "opener-equals-closer",
                f"{listed(texts)} opens {quoted(name)} and closes the implicit field {quoted(loser.region.name)}",
                loser.pointer_of_literal(texts[0]),
                label="the opener wins: this never closes by it",
                help="remove it here: an opener ends the text of the implicit field anyway",
            )
    return bool(winners)


def _check_reachable(loser: Placed, tried: Sequence[Placed], findings: Findings) -> None:
    texts = _texts(loser)
    winners = [
        next(
            (each for each in tried if _wins_ties(each, loser) and takes(each.delimiter.pattern, text)), None
        )
        for text in texts
    ]
    names = sorted({winner.region.name for winner in winners if winner is not None})
    if not texts or None in winners:
        return
    findings.add(
        "unreachable-delimiter",
        f"the {loser.kind} of {quoted(loser.region.name)} never matches",
        loser.pointer,
        label=f"the opener of {listed(names)} matches there too, and wins",
        help="let the other opener match less, or leave this field out",
    )


def _check_beginnings(openers: Sequence[Placed], findings: Findings) -> None:
    """Find openers that are the beginning of another field's."""
    fields = {text: opener for opener in openers for text in _texts(opener)}
    spoken_of: set[str] = set()
    for short, long in nearest_beginnings(fields):
        one, two = fields[short], fields[long]
        if one.region is not two.region and short not in spoken_of:
            spoken_of.add(short)
            findings.add(
                "opener-begins-another",
                f"{quoted(short)} opens {quoted(one.region.name)}, and {quoted(long)} opens {quoted(two.region.name)}",
                one.pointer_of_literal(short),
                label="the longer one wins where both match",
            )
