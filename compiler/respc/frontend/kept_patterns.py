"""Findings about patterns that do not become code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.contents.xml_inline import XmlInlineArguments
from respc.frontend.findings import Findings
from respc.patterns import parse_pattern
from respc.patterns.reasons import why_kept

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.diagnostics import Diagnostic
    from respc.ir import ParserIR
    from respc.source import TemplateSource


def kept_patterns(ir: ParserIR, source: TemplateSource) -> tuple[Diagnostic, ...]:
    """Find the patterns that stay with `regex`, and those of them that can be slow."""
    findings = Findings(source)
    for pointer, pattern, of_tag in _patterns(ir):
        kept = why_kept(parse_pattern(pattern), of_tag=of_tag)
        if kept is None:
            continue
        if kept.without_bound:
            findings.add(
                "slow-pattern",
                f"this pattern stays with the module `regex`, because {kept.because}, and reads on without bound",
                pointer,
                label="time can grow with the square of the text, or faster",
                help=kept.mend,
            )
        else:
            findings.add(
                "pattern-left-to-regex",
                f"this pattern stays with the module `regex`, because {kept.because}",
                pointer,
                label="slower than plain code, and the module has to be installed",
                help=kept.mend,
            )
    return findings.all()


def _patterns(ir: ParserIR) -> Iterator[tuple[str, str, bool]]:
    """List where each pattern stands, what it is, and whether it is for tags."""
    if ir.anchor.origin.pointer.endswith("_pattern"):
        yield ir.anchor.origin.pointer, ir.anchor.pattern, False
    for region in ir.regions:
        for delimiter in (region.opener, region.closer):
            if delimiter is not None and delimiter.declared is None:
                yield delimiter.origin.pointer, delimiter.pattern, False
        arguments = region.content.arguments
        if isinstance(arguments, XmlInlineArguments):
            yield f"{region.content.origin.pointer}/tag_pattern", arguments.tag_pattern, True
