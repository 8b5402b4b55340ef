"""The part of the schema that is about content parsers.

The interpreter reads arguments when it reads a region, so that no argument can make it refuse a template: here they are
described and completed, and nothing is demanded of them.
"""

from __future__ import annotations

from typing import Any

from respc.contents import CONTENT_PARSERS
from respc.schema.keywords import Schema, advised, flag, reference

PARSERS: dict[str, str] = {
    "bool": "True for `true` in any case and for `1`, false for everything else.",
    "float": "A number with a fraction, as Python's `float` reads it.",
    "int": "A whole number, as Python's `int` reads it.",
    "json": "A JSON document, or one of the dialects that models write.",
    "kv-lines": "An object made of lines with a key and a value each, such as `city: Paris`.",
    "python-call-list": 'Calls as Python writes them, `[f(a=1, b="x")]`: a list of records of name and arguments.',
    "text": "The text itself, trimmed unless `strip` is false.",
    "xml-inline": "An object made of shallow tags, which a pattern finds.",
}
"""What each content parser makes of a region."""

_VALUES = "The content parser that reads each value. Without it values stay text."
_TAG_PATTERN = r"<parameter=(?P<key>[^>]+)>\n?(?P<value>.*?)\n?</parameter>"


def arguments_of(parser: str) -> dict[str, Schema]:
    """Describe the arguments that a content parser looks at."""
    match parser:
        case "text" | "int" | "float" | "bool":
            return {"strip": flag("Whether blanks at both ends are removed.", True)}
        case "json":
            pair = {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2}
            return {
                "unquoted_keys": flag("Whether keys may stand without quotes: `{city: 1}`.", False),
                "string_delims": advised(
                    {"type": "array", "items": pair},
                    "Marks that strings stand between, in pairs of the mark before and the mark after.",
                    default=[],
                    examples=[[["<|'", "'|>"]]],
                ),
                "allow_non_json": flag("Whether text that is no JSON is kept as a string.", False),
                "strip": flag("Whether blanks at both ends of text that is no JSON are removed.", True),
            }
        case "kv-lines":
            return {
                "line_sep": advised(
                    {"type": ["string", "null"]},
                    "What stands between lines. Null: any run of white space.",
                    default="\n",
                ),
                "kv_sep": advised(
                    {"type": "string", "minLength": 1},
                    "What stands between a key and its value; the first one in a line counts.",
                    default=":",
                ),
                "strip": flag("Whether blanks around lines, keys and values are removed.", True),
                "value_parser": reference("value-parser", _VALUES),
            }
        case "xml-inline":
            return {
                "tag_pattern": advised(
                    {"type": "string"},
                    "Finds a tag, with the groups `key` and `value`; `xml-inline` does not work without it. "
                    "A regular expression of the Python module `regex` in which `.` matches line breaks, too.",
                    examples=[_TAG_PATTERN],
                ),
                "value_parser": reference("value-parser", _VALUES),
                "merge_duplicates": flag(
                    "Whether the values of a key that is there twice become a list; else the last one counts.",
                    False,
                ),
            }
        case _:
            return {}


def content_definitions() -> dict[str, Schema]:
    """Give the definitions of the content parsers' names, their arguments and value parsers."""
    definitions = {"content": _names(), "value-parser": _value_parser()}
    for parser in CONTENT_PARSERS:
        definitions[_definition_of(parser)] = _arguments(parser)
    return definitions


def arguments_by_parser(name_key: str, arguments_key: str) -> list[Schema]:
    """Describe arguments by the content parser that stands beside them; `text` where none does."""
    return [
        {
            "if": {"properties": {name_key: {"const": parser}}}
            | ({} if parser == "text" else {"required": [name_key]}),
            "then": {"properties": {arguments_key: reference(_definition_of(parser))}},
        }
        for parser in CONTENT_PARSERS
    ]


def _definition_of(parser: str) -> str:
    return f"content-args-of-{parser}"


def _names() -> Schema:
    return {
        "description": "The name of a content parser.",
        "anyOf": [{"const": parser, "description": PARSERS[parser]} for parser in CONTENT_PARSERS],
    }


def _arguments(parser: str) -> Schema:
    arguments = arguments_of(parser)
    description = (
        f"The arguments of the content parser `{parser}`." if arguments else f"`{parser}` takes no arguments."
    )
    schema: Schema = {"description": description}
    if arguments:
        schema["properties"] = arguments
    if parser == "xml-inline":
        example: dict[str, Any] = {"tag_pattern": _TAG_PATTERN}
        example["value_parser"] = {"name": "json", "args": {"allow_non_json": True}}
        schema["examples"] = [example]
    return schema


def _value_parser() -> Schema:
    return {
        "description": _VALUES,
        "examples": [{"name": "json", "args": {"allow_non_json": True}}],
        "properties": {
            "name": advised(
                reference("content"), "The content parser that reads each value.", default="text"
            ),
            "args": {"description": "The arguments of that content parser.", "default": {}},
        },
        "allOf": arguments_by_parser("name", "args"),
    }
