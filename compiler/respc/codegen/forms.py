"""What a serving module says of its values: which parts of a call, and which text, are known before a region ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from respc.codegen.literals import display_dict, literal
from respc.contents import parser_of
from respc.ir import Captured, Constant, ContentValue, ElementValue, ListOf, ObjectOf, Transform

if TYPE_CHECKING:
    from respc.ir import ParserIR, Region

_FIELD = "tool_calls"
_CALL = ContentValue("content", ())


def calls_code(ir: ParserIR) -> str:
    """Write the forms of the calls of a template, by the field that has them."""
    return display_dict((literal(region.name), _form(region)) for region in calls_of(ir))


def calls_of(ir: ParserIR) -> list[Region]:
    """List the fields of calls."""
    return [region for region in ir.regions if region.name == _FIELD and region.opener is not None]


def texts_code(ir: ParserIR) -> str:
    """Write how the regions of the fields of plain text become text, whatever a transform makes of it."""
    return display_dict(
        (
            literal(region.name),
            display_dict([('"join"', literal(region.join)), ('"strip"', str(trims))]),
        )
        for region in ir.regions
        if (trims := parser_of(region.content).trims_text(region.content.arguments)) is not None
    )


def _form(region: Region) -> str:
    call = _CALL if region.transform is None else region.transform
    if isinstance(call, ListOf) and len(call.items) == 1:
        call = call.items[0]
    function = _part(call, "function")
    sources = {
        "name": _source(_part(function, "name"), region),
        "id": None if region.transform is None else _identity(_part(call, "id"), region),
        "arguments": _arguments(_part(function, "arguments"), region),
    }
    items = [(literal(key), literal(source)) for key, source in sources.items()]
    return display_dict([*items, (literal("each"), str(region.each))])


def _identity(part: Transform | None, region: Region) -> tuple[str, ...] | None:
    """Give the source of an id; where only the value has it, all of the body, so that nobody makes one before."""
    return None if part is None else _source(part, region) or ("content",)


def _part(call: Transform | None, key: str) -> Transform | None:
    """Give what a key of an object becomes, if that is known."""
    match call:
        case ObjectOf(items):
            return dict(items).get(key)
        case ContentValue(path, keys):
            return ContentValue(path, (*keys, key))
        case ElementValue(path, name, keys, or_captured):
            return ElementValue(path, name, (*keys, key), or_captured)
        case _:
            return None


def _source(part: Transform | None, region: Region) -> tuple[str, ...] | None:
    match part:
        case Constant(value) if isinstance(value, str):
            return "constant", value
        case Captured(_, name, ()):
            return "captures", name
        case ContentValue(_, keys) if _is_plain_json(region):
            return "content", *keys
        case ElementValue(_, name, keys, or_captured) if _is_plain_json(region) and not or_captured:
            return "content", name, *keys
        case _:
            return None


def _arguments(part: Transform | None, region: Region) -> tuple[str, ...] | None:
    source = _source(part, region)
    return source if source is not None and source[0] == "content" else None


def _is_plain_json(region: Region) -> bool:
    """Tell whether the text of a body is the text of its value."""
    return parser_of(region.content).is_json(region.content.arguments)
