"""Templates with which the interpreter never ends.

When an opener and the closer of its field both match empty at one place, a region opens and closes there, nothing is
consumed, and the interpreter does it again for ever. Whether two patterns can do that is not decidable in general, so a
template is refused where a text shows it; elsewhere the compiled parser notices and raises.
"""

from __future__ import annotations

from itertools import chain, product
from typing import TYPE_CHECKING

import regex

from respc.diagnostics import quoted
from respc.patterns import parse_pattern
from respc.patterns.samples import plain_characters
from respc.patterns.trials import MOMENT
from respc.source import child_pointer

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings
    from respc.ir import ParserIR, Region

_ALWAYS_TRIED = "a \n"
_MOST_CHARACTERS = 8
_LONGEST = 3


def check_ends(ir: ParserIR, findings: Findings) -> None:
    """Find fields whose regions open and close without end, with a text that shows it."""
    for region in ir.regions:
        if not region.may_not_advance:
            continue
        try:
            text = _witness(ir, region)
        except TimeoutError:  # it is left to the compiled parser, which notices
            continue
        if text is not None:
            findings.add(
                "never-ending",
                f"regions of {quoted(region.name)} can open and close at one place for ever: "
                "its opener and its closer both match the empty text there",
                child_pointer("/fields", region.name),
                at_key=True,
                label=f"never ends on the text {text!r}",
                help="make the opener or the closer match at least one character",
            )


def _witness(ir: ParserIR, region: Region) -> str | None:
    """Search short texts for one on which the region opens and closes empty at one place.

    Raises:
        TimeoutError: a pattern is too slow to be tried.
    """
    openers = {
        each.name: regex.compile(each.opener.pattern, regex.DOTALL)
        for each in ir.regions
        if each.opener is not None
    }
    assert region.opener is not None
    assert region.closer is not None
    closer = regex.compile(region.closer.pattern, regex.DOTALL)
    characters = "".join(
        plain_characters(parse_pattern(each.pattern)) for each in (region.opener, region.closer)
    )
    alphabet = list(dict.fromkeys(_ALWAYS_TRIED + characters))[:_MOST_CHARACTERS]
    literal_runs = [characters, "a" + characters, "a" + characters + "\n"]
    texts = chain.from_iterable(product(alphabet, repeat=length) for length in range(1, _LONGEST + 1))
    for text in chain(map("".join, texts), literal_runs):
        starts = [
            (match.start(), match.start() - match.end(), name)
            for name, opener in openers.items()
            if (match := opener.search(text, timeout=MOMENT))
        ]
        if not starts:
            continue
        start, shortfall, name = min(starts)
        if name == region.name and shortfall == 0 and start < len(text):
            closed = closer.search(text, start, timeout=MOMENT)
            if closed is not None and closed.span() == (start, start):
                return text
    return None
