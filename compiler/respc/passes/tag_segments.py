"""Find the tags of ``xml-inline`` from one text of theirs to the next, where nothing has to be tried twice."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from respc.contents.xml_inline import XmlInlineArguments
from respc.patterns import parse_pattern
from respc.scan.tags import plan_tags

if TYPE_CHECKING:
    from respc.ir import ParserIR, Region


def tag_segments(ir: ParserIR, stable: bool) -> ParserIR:
    """Cut tag patterns into segments: a value goes up to the first closing tag, however long it is.

    Only the tags of a field's own body: of a value inside one, `regex` finds out when it is no text.
    """
    return replace(ir, regions=tuple(map(_with_segments, ir.regions)))


def _with_segments(region: Region) -> Region:
    arguments = region.content.arguments
    if not isinstance(arguments, XmlInlineArguments) or "key" not in arguments.groups:
        return region
    tags = plan_tags(parse_pattern(arguments.tag_pattern))
    if tags is None:
        return region
    return replace(region, content=replace(region.content, arguments=replace(arguments, tags=tags)))
