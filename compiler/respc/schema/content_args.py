"""The part of the schema that is about content parsers.

The interpreter reads arguments when it reads a region, so that no argument can make it refuse a template: here they are
described and completed, and nothing is demanded of them.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from respc.contents import CONTENT_PARSERS
from respc.contents.arguments import Flag, PlainArgument, ValueParser
from respc.contents.model import DEFAULT_PARSER
from respc.schema.keywords import Schema, advised, flag, reference, warned

if TYPE_CHECKING:
    from respc.contents import ContentParser
    from respc.contents.arguments import Argument

_NOT_TAKEN = "The content parser does not take this: it stops at it, or reads it as something else."
_VALUES = "The content parser that reads each value. Without it values stay text."


def content_definitions() -> dict[str, Schema]:
    """Give the definitions of the content parsers' names, their arguments and value parsers."""
    definitions = {"content": _names(), "value-parser": _value_parser()}
    for parser in CONTENT_PARSERS.values():
        definitions[_definition_of(parser.name)] = _arguments(parser)
    return definitions


def arguments_by_parser(name_key: str, arguments_key: str) -> list[Schema]:
    """Describe arguments by the content parser that stands beside them; of the default where none does."""
    return [
        {
            "if": {"properties": {name_key: {"const": parser}}}
            | ({} if parser == DEFAULT_PARSER else {"required": [name_key]}),
            "then": {"properties": {arguments_key: reference(_definition_of(parser))}},
        }
        for parser in CONTENT_PARSERS
    ]


def _definition_of(parser: str) -> str:
    return f"content-args-of-{parser}"


def _names() -> Schema:
    return {
        "description": "The name of a content parser.",
        "anyOf": [{"const": name, "description": parser.makes} for name, parser in CONTENT_PARSERS.items()],
    }


def _arguments(parser: ContentParser[Any]) -> Schema:
    schema: Schema = {
        "description": f"The arguments of the content parser `{parser.name}`."
        if parser.takes
        else f"`{parser.name}` takes no arguments."
    }
    if parser.takes:
        schema["properties"] = {argument.name: _argument(argument) for argument in parser.takes}
    if parser.examples:
        schema["examples"] = deepcopy([*parser.examples])
    return schema


def _argument(argument: Argument) -> Schema:
    match argument:
        case Flag(_, description, default):
            return flag(description, default)
        case PlainArgument(_, description, accepts, annotations):
            # A caller may change what it is given.
            return advised(
                deepcopy(dict(accepts)), description, otherwise=_NOT_TAKEN, **deepcopy(dict(annotations))
            )
        case ValueParser():
            return reference("value-parser", _VALUES)


def _value_parser() -> Schema:
    return {
        "description": _VALUES,
        "examples": [{"name": "json", "args": {"allow_non_json": True}}],
        "anyOf": [{"type": ["object", "null"]}, warned(_NOT_TAKEN)],
        "properties": {
            "name": advised(
                reference("content"),
                "The content parser that reads each value.",
                otherwise=_NOT_TAKEN,
                default=DEFAULT_PARSER,
            ),
            "args": {"description": "The arguments of that content parser.", "default": {}},
        },
        "allOf": arguments_by_parser("name", "args"),
    }
