"""Regions that nothing ends, though something was meant to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import SetValue
from respc.lints.delimiters import placed_delimiters
from respc.patterns.places import place_of_text
from respc.patterns.trials import is_tied_to_start, matched_samples
from respc.source import child_pointer

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import Delimiter, ParserIR, Region

_STARTS: Final = ("^", r"\A")
_END_MARK: Final = re.compile(r"\W{0,3}/|.*(?:end|eo[tsm]\b|stop)", re.IGNORECASE)
_OPENING: Final = "<[{"
_TAG: Final = re.compile(r"\s*(?P<bracket>[<\[])(?P<name>[A-Za-z][\w.\-]*)")
_CLOSING: Final = {"<": ">", "[": "]"}


def check_never_closed(ir: ParserIR, findings: Findings) -> None:
    """Find fields that repeat and have no closer, and closers that only match where no region ends."""
    for region in ir.regions:
        if region.opener is not None and region.closer is None and region.repeats:
            _add_without_closer(region, findings)
    for placed in placed_delimiters(ir):
        pattern = placed.delimiter.pattern
        if placed.opens or not placed.is_pattern or not is_tied_to_start(pattern):
            continue
        # The implicit field can lose a mark in front of its text by such a closer.
        if placed.ends_implicit and not _ends_a_turn(pattern):
            continue
        start = place_of_text(pattern, _STARTS)
        fixed = "" if start is None else pattern[: start[0]] + pattern[start[1] :]
        is_fixed = fixed != "" and not is_tied_to_start(fixed)
        findings.add(
            "closer-at-start",
            f"the closer of {quoted(placed.region.name)} matches at the start of the message alone",
            placed.pointer,
            characters=start,
            label="ends no text" if placed.ends_implicit else "never closes a region",
            help=f"write {member(placed.key, fixed)}" if is_fixed else "let it match behind other text",
            fix=Fix("the mark ends the text before it", (SetValue(placed.pointer, fixed),))
            if is_fixed
            else None,
        )


def _add_without_closer(region: Region, findings: Findings) -> None:
    pointer = child_pointer("/fields", region.name)
    closer = None if region.opener is None else _closer_of(region.opener)
    findings.add(
        "repeats-without-closer",
        f"{quoted(region.name)} repeats, and no region of it ever ends",
        f"{pointer}/repeats",
        at_key=True,
        label="a second opener, and all that follows, is read as part of the first region",
        help="say what closes a region" + (f", such as {member('close', closer)}" if closer else ""),
    )


def _ends_a_turn(pattern: str) -> bool:
    """Tell whether what a pattern matches looks like the one mark behind a text, and not like one in front of it."""
    texts = matched_samples(pattern)
    return all(_END_MARK.match(text) and sum(map(text.count, _OPENING)) <= 1 for text in texts)


def _closer_of(opener: Delimiter) -> str | None:
    """Write the closer of an opener that looks like a tag."""
    texts = opener.declared or matched_samples(opener.pattern)
    tag = _TAG.match(next(iter(texts), ""))
    return None if tag is None else f"{tag['bracket']}/{tag['name']}{_CLOSING[tag['bracket']]}"
