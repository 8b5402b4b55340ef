"""Which delimiters cannot be found independently of how a text is cut into chunks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.ir import Delimiter, ParserIR


def unstable_delimiters(ir: ParserIR) -> Iterator[tuple[Delimiter, str]]:
    """Find them, each with the reason.

    Args:
        ir: the template, after the passes.
    """
    for state in ir.states:
        for _, delimiter in ir.delimiters(state):
            scans = [state.scan, state.starting] if state.starts_apart else [state.scan]
            for scan in scans:
                if scan is None:
                    yield delimiter, ""
                elif scan.unstable:
                    yield delimiter, scan.unstable
    for region in ir.regions:
        if region.opener is None and region.closer is not None and region.closer.facts.can_be_empty:
            yield region.closer, "can match nothing"
