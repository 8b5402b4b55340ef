"""Patterns that hold the stream back for longer than a delimiter is long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.diagnostics import quoted
from respc.lints.delimiters import Placed, placed_delimiters
from respc.patterns import parse_pattern
from respc.patterns.beginnings import texts_before_all
from respc.patterns.places import alternative, beginning, gaps, last_gap, place_of
from respc.patterns.syntax import Choice
from respc.patterns.trials import ORDINARY, holds, long_hold, matches_everywhere

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR


def check_holding(ir: ParserIR, findings: Findings) -> None:
    """Find patterns that hold back all text, every blank, or everything after their beginning."""
    for placed in placed_delimiters(ir):
        if placed.is_pattern and not matches_everywhere(placed.delimiter.pattern):
            _check(placed, findings)


def _check(placed: Placed, findings: Findings) -> None:
    pattern = placed.delimiter.pattern
    named = f"the {placed.kind} of {quoted(placed.region.name)}"
    if holds(pattern, ORDINARY):
        findings.add(
            "holds-everything",
            f"{named} can begin with any text",
            placed.pointer,
            characters=beginning(pattern),
            label=f"{quoted(ORDINARY)} is held back until it is known not to begin it",
            help="let it begin with the text that marks it",
        )
        return
    ends = _ends_of_turn(pattern)
    place = next((gap for gap in gaps(pattern) if gap not in ends), None)
    after = None if place is None else long_hold(_without(pattern, ends))
    if after is not None:
        findings.add(
            "holds-without-bound",
            f"{named} has no limit: what ends it may never come",
            placed.pointer,
            characters=place,
            label=f"after {quoted(after)} the stream can be held back to its end",
            help="limit what may stand there, as in `[^<>\\n]*`",
        )
    if holds(pattern, "a ", start=1):
        findings.add(
            "leading-blanks",
            f"{named} begins with blanks",
            placed.pointer,
            characters=place_of(pattern, lambda token: token.text == r"\s"),
            label="every blank is held back until the next chunk",
            help="leave the blanks to `strip`, which trims the text of a field",
        )


def _ends_of_turn(pattern: str) -> tuple[tuple[int, int], ...]:
    r"""Find the runs that take all that follows a text which ends the turn: nothing is waited for, the message is over.

    They are written as ``[\s\S]*`` at the end of an alternative.
    """
    tree = parse_pattern(pattern)
    branches = tree.branches if isinstance(tree, Choice) else (tree,)
    places = [
        alternative(pattern, number, len(branches))
        for number, branch in enumerate(branches)
        if texts_before_all(branch)
    ]
    found = [last_gap(pattern, place) for place in places if place is not None]
    return tuple(gap for gap in found if gap is not None)


def _without(pattern: str, places: tuple[tuple[int, int], ...]) -> str:
    for start, end in sorted(places, reverse=True):
        pattern = pattern[:start] + pattern[end:]
    return pattern
