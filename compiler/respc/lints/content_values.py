"""Values that do not fit what is done with them: tags without groups, joins of what is no text, defaults that clash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc.contents import parser_of
from respc.contents.xml_inline import XmlInlineArguments
from respc.diagnostics import Fix, member, quoted
from respc.diagnostics.fixes import SetValue
from respc.ir import Captured, Constant, ContentValue, ListOf, ObjectOf, ParserIR, Region
from respc.lints.delimiters import contents_of
from respc.source import child_pointer
from respc.source.json_kinds import json_kind

if TYPE_CHECKING:
    from respc.diagnostics.findings import Findings


def check_content_values(ir: ParserIR, findings: Findings) -> None:
    """Find what raises, or is empty, because of the kind of value that a field has."""
    for region in ir.regions:
        _check_tags(region, findings)
        _check_join(region, findings)
        _check_each(region, findings)
        if region.name in ir.defaults:
            _check_default(region, ir.defaults[region.name], findings)


def value_kind(region: Region) -> str | None:
    """Name what the values of a field are, after the transform; None where that depends on the text."""
    match region.transform:
        case None | ContentValue(keys=()) if not region.each:
            result = parser_of(region.content).result
            return None if result == "Any" else result.partition("[")[0]
        case _ if region.each or isinstance(region.transform, ListOf):
            return "list"
        case ObjectOf():
            return "dict"
        case Captured(keys=()):
            return "str"
        case Constant(value):
            return type(value).__name__
        case _:
            return None


def _check_tags(region: Region, findings: Findings) -> None:
    for content in contents_of(region):
        arguments = content.arguments
        if not isinstance(arguments, XmlInlineArguments):
            continue
        pointer = f"{content.origin.pointer}/tag_pattern"
        if "key" not in arguments.groups:
            findings.add(
                "tag-without-key",
                "the pattern for tags has no group `key`",
                pointer,
                label="raises ValueError at the first tag",
                help="name the group that is the key: `(?P<key>…)`",
            )
        if "value" not in arguments.groups:
            findings.add(
                "tag-without-value",
                "the pattern for tags has no group `value`",
                pointer,
                label="every value is empty",
                help="name the group that is the value: `(?P<value>…)`",
            )
        for group in sorted({"key", "value"} & arguments.groups - arguments.sure_groups):
            findings.add(
                "tag-group-optional",
                f"a tag can match without its group `{group}`",
                pointer,
                label="raises ValueError at such a tag"
                if group == "key"
                else "the value is null, or the value parser raises",
                help="let the group be part of every match, with an empty text where there is none",
            )


def _check_join(region: Region, findings: Findings) -> None:
    if region.join is None or not region.repeats:
        return
    kind = value_kind(region)
    pointer = f"{child_pointer('/fields', region.name)}/join"
    if kind is None and parser_of(region.content).result == "Any":
        findings.add(
            "join-may-fail",
            f"the values of {quoted(region.name)} are JSON, and only strings can be joined",
            pointer,
            label="raises ValueError at a value that is no string",
            help="leave 'join' out, which gives a list",
        )
    elif kind not in (None, "str"):
        findings.add(
            "join-of-no-strings",
            f"the values of {quoted(region.name)} are of type {kind}, and only strings can be joined",
            pointer,
            label="raises ValueError at the first region",
            help="leave 'join' out, which gives a list",
        )


def _check_each(region: Region, findings: Findings) -> None:
    result = parser_of(region.content).result
    if region.each and not result.startswith(("list", "Any")):
        kind = result.partition("[")[0]
        findings.add(
            "transform-each-of-no-list",
            f"'transform_each' needs a list, and {quoted(region.content.parser)} gives a {kind}",
            f"{child_pointer('/fields', region.name)}/transform_each",
            at_key=True,
            label="raises ValueError when a region is read",
            help="leave 'transform_each' out",
        )


def _check_default(region: Region, default: Any, findings: Findings) -> None:
    if not region.repeats:
        return
    pointer = child_pointer("/defaults", region.name)
    if region.join is None:
        if not isinstance(default, list):
            fix = Fix("regions are added to the list", (SetValue(pointer, []),))
            findings.add(
                "default-clash",
                f"the default of {quoted(region.name)} is {json_kind(default)}, and its regions go into a list",
                pointer,
                label="raises AttributeError at the first region",
                help=f"write {member(region.name, [])}, or leave the default out",
                fix=None if default else fix,
            )
    elif isinstance(default, str):
        if not default + region.join:  # nothing stands in front then
            return
        findings.add(
            "default-joined",
            f"the default of {quoted(region.name)} counts as its first region",
            pointer,
            label=f"the message begins with {quoted(default + region.join)}",
            help=f"write {member(region.name, None)}, which stands for no region yet",
            fix=None
            if default
            else Fix(
                f"the first region has no {quoted(region.join)} in front of it; without a region the value is null",
                (SetValue(pointer, None),),
            ),
        )
    elif default is not None:
        findings.add(
            "default-clash",
            f"the default of {quoted(region.name)} is {json_kind(default)}, and its regions are joined to a string",
            pointer,
            label="raises TypeError at the first region",
            help="leave the default out",
        )
