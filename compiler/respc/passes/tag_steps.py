"""Find the tags of ``xml-inline`` by plain code where every step of a match is certain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.contents.xml_inline import XmlInlineArguments
from respc.patterns import parse_pattern
from respc.patterns.lowering import leading_run, lower_to_steps
from respc.patterns.steps import Here

if TYPE_CHECKING:
    from respc.ir import ParserIR, Region


def tag_steps(ir: ParserIR) -> ParserIR:
    """Lower tag patterns to steps: a value goes up to the first closing tag, however long it is.

    Only the tags of a field's own body: of a value inside one, `regex` finds out when it is no text.
    """
    return replace(ir, regions=tuple(map(_lower, ir.regions)))


def _lower(region: Region) -> Region:
    arguments = region.content.arguments
    if not isinstance(arguments, XmlInlineArguments) or not {"key", "value"} <= arguments.sure_groups:
        return region
    steps = lower_to_steps(parse_pattern(arguments.tag_pattern), whole=True)
    if steps is None or steps.end is not None or len(steps.alternatives) != 1:
        return region
    alternative = steps.alternatives[0]
    if alternative.anchored or alternative.before is not None:
        return region
    if not isinstance(alternative.steps[0], Here) and leading_run(alternative.steps) is None:
        return region
    lowered = replace(arguments, steps=alternative.steps)
    return replace(region, content=replace(region.content, arguments=lowered))
