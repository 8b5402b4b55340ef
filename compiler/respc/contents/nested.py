"""Value parsers: content parsers for the values inside a body."""

from __future__ import annotations

from typing import Any, Final

from respc.contents.model import DEFAULT_PARSER, Expression, ReadContent, Wanted, WriteExample, Writer
from respc.ir import Content, Fault, Origin
from respc.source.json_kinds import is_object, json_kind

VALUE_PARSER_KEYS: Final = ("name", "args")
"""The keys of a value parser."""


def read_value_parser(
    arguments: dict[str, Any], origin: Origin, read_content: ReadContent
) -> Content | Fault | None:
    """Understand ``value_parser``: None keeps values as they are."""
    value_parser = arguments.get("value_parser")
    if value_parser is None:
        return None
    if not is_object(value_parser):
        reason = f"'value_parser' is {json_kind(value_parser)}, not an object"
        return Fault(AttributeError, reason, at="/value_parser")
    at = Origin(f"{origin.pointer}/value_parser/args", origin.span)
    return read_content(value_parser.get("name", DEFAULT_PARSER), value_parser.get("args", {}), at)


def working(value: Content | Fault | None) -> Content | None:
    """Give a value parser, where there is one that can work."""
    return value if isinstance(value, Content) else None


def write_value(value: Content | Fault | None, operand: str, name: str, writer: Writer) -> Expression:
    """Write how a value is read."""
    match value:
        case None:
            return Expression(operand, "str")
        case Fault():
            return writer.fault(value)
        case Content():
            return writer.content(value, operand, f"{name}_value")


def write_value_example(
    value: Content | Fault | None, key: str, wanted: object, write_inner: WriteExample
) -> str:
    """Write an example of a value that stands under a key."""
    text = str(wanted)
    return write_inner(value, Wanted(text, {key: wanted}, wanted)) if isinstance(value, Content) else text
