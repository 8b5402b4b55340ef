"""Placeholders of transforms that stand for nothing, or not always for something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import regex

from respc.contents import parser_of
from respc.contents.model import CALL_KEYS, Calls
from respc.diagnostics import listed, quoted
from respc.diagnostics.misspelt import closest
from respc.frontend.placeholders import placeholder_path
from respc.ir import (
    Captured,
    ContentValue,
    ElementValue,
    ListOf,
    ObjectOf,
    ParserIR,
    Region,
    Transform,
    Undefined,
)
from respc.source import child_pointer
from respc.source.json_kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from respc.diagnostics.findings import Findings

_ALMOST: Final = regex.compile(r"\{[^{}\n]*\}|\{\w+|\w+\}")


def check_placeholders(ir: ParserIR, findings: Findings) -> None:
    """Find placeholders that raise, and transforms that leave the content out."""
    for region in ir.regions:
        if region.transform is None:
            continue
        field = findings.source.template["fields"][region.name]
        pointer = f"{child_pointer('/fields', region.name)}/transform"
        placed = list(_placed(field["transform"], region.transform, pointer))
        for place, node in placed:
            _check_node(region, node, place, findings)
        almost = _check_strings(field["transform"], pointer, findings)
        if not almost and not any(
            isinstance(node, ContentValue | ElementValue | Undefined) for _, node in placed
        ):
            findings.add(
                "content-unused",
                f"the transform of {quoted(region.name)} leaves the content out",
                pointer,
                label="what stands in the region is lost",
                help="use a key of the elements as a placeholder"
                if region.each
                else "use `{content}` somewhere",
            )


def check_written_transforms(names: Iterable[str], findings: Findings) -> None:
    """Find what looks like a placeholder in fields that are refused, of which nothing else can be said."""
    for name in names:
        field = findings.source.template["fields"][name]
        if is_object(field) and field.get("transform") is not None:
            _check_strings(field["transform"], f"{child_pointer('/fields', name)}/transform", findings)


def _placed(written: Any, lowered: Transform, pointer: str) -> Iterator[tuple[str, Transform]]:
    """List the strings of a transform with their places, as they were lowered."""
    match lowered:
        case ObjectOf(items):
            for key, item in items:
                yield from _placed(written[key], item, child_pointer(pointer, key))
        case ListOf(items):
            for number, item in enumerate(items):
                yield from _placed(written[number], item, child_pointer(pointer, number))
        case _:
            yield pointer, lowered


def _check_node(region: Region, node: Transform, pointer: str, findings: Findings) -> None:
    match node:
        case Undefined(path, available):
            _add_undefined(path, available, pointer, findings)
        case ElementValue(path, name, _, False) if (
            parser_of(region.content).calls is Calls.LIST and name not in CALL_KEYS
        ):
            _add_undefined(path, CALL_KEYS, pointer, findings)
        case ElementValue(name="content", or_captured=False):
            findings.add(
                "content-of-each",
                "with 'transform_each' `{content}` is the key `content` of an element, not the content",
                pointer,
                label="raises KeyError where an element has no such key",
                help="use the keys of the elements, such as `{name}`",
            )
        case Captured(path, name, keys, sure):
            if keys:
                _add_into_plain(path, f"the group `{name}`, a text,", pointer, findings)
            elif not sure:
                of_opener = region.opener is not None and name in region.opener.groups
                findings.add(
                    "unsure-placeholder",
                    f"the group `{name}` is not part of every match"
                    if of_opener
                    else f"only the closer has the group `{name}`",
                    pointer,
                    label="raises KeyError where the group took no part"
                    if of_opener
                    else "raises KeyError where the end of the text closes the region",
                    help="let the group be part of every match of the opener; it may be empty: `(?P<id>\\w*)`",
                )
        case ContentValue(path, keys) if keys:
            result = parser_of(region.content).result
            if not result.startswith(("dict", "Any")):
                _add_into_plain(
                    path, f"{quoted(region.content.parser)}, whose value has no keys,", pointer, findings
                )
        case _:
            pass


def _add_undefined(path: str, available: tuple[str, ...], pointer: str, findings: Findings) -> None:
    root = path.partition(".")[0]
    meant = closest(root, available)
    findings.add(
        "undefined-placeholder",
        f"nothing defines the placeholder `{{{path}}}`",
        pointer,
        label="raises KeyError when a region is read",
        help=f"did you mean `{{{meant}}}`?" if meant else f"the transform can use {listed(available)}",
    )


def _add_into_plain(path: str, what: str, pointer: str, findings: Findings) -> None:
    findings.add(
        "placeholder-into-plain",
        f"the placeholder `{{{path}}}` descends into {what} by a key",
        pointer,
        label="raises ValueError when a region is read",
        help=f"write `{{{path.partition('.')[0]}}}`",
    )


def _check_strings(written: Any, pointer: str, findings: Findings) -> int:
    """Find strings that look like placeholders; gives how many values do."""
    if is_object(written):
        for key in written:
            place = child_pointer(pointer, key)
            if placeholder_path(key) is not None:
                findings.add(
                    "not-a-placeholder",
                    f"the key {quoted(key)} is kept as it is written",
                    place,
                    at_key=True,
                    label="only values are placeholders",
                    help="write the name of the key out",
                )
        return sum(
            _check_strings(value, child_pointer(pointer, key), findings) for key, value in written.items()
        )
    if is_list(written):
        return sum(
            _check_strings(value, child_pointer(pointer, number), findings)
            for number, value in enumerate(written)
        )
    if isinstance(written, str) and placeholder_path(written) is None and _ALMOST.fullmatch(written):
        inside = regex.sub(r"[^\w.]", "", written).strip(".")
        findings.add(
            "not-a-placeholder",
            f"{quoted(written)} is no placeholder, and is kept as it is written",
            pointer,
            label="a placeholder is a name in braces",
            help=f"write `{{{inside}}}`, if that is meant" if inside else "write a name between the braces",
        )
        return 1
    return 0
