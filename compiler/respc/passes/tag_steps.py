"""Find the tags of ``xml-inline`` by plain code where every step of a match is certain."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.contents.xml_inline import XmlInlineArguments
from respc.patterns import parse_pattern
from respc.patterns.lowering import tag_ways

if TYPE_CHECKING:
    from respc.ir import ParserIR, Region


def tag_steps(ir: ParserIR) -> ParserIR:
    """Lower tag patterns to steps: a value goes up to the first closing tag, however long it is.

    Only the tags of a field's own body: of a value inside one, `regex` finds out when it is no text.
    """
    return replace(ir, regions=tuple(map(_lower, ir.regions)))


def _lower(region: Region) -> Region:
    arguments = region.content.arguments
    if not isinstance(arguments, XmlInlineArguments) or "key" not in arguments.groups:
        return region
    ways = tag_ways(parse_pattern(arguments.tag_pattern))
    if ways is None:
        return region
    return replace(region, content=replace(region.content, arguments=replace(arguments, ways=ways)))
