"""The part of the schema that is about fields."""

from __future__ import annotations

from typing import Any

from respc.contents.model import DEFAULT_PARSER
from respc.schema.content_args import arguments_by_parser
from respc.schema.keywords import Schema, flag, reference, with_key

# In names of placeholders and groups these are the letters on which all engines of validators agree.
_NAME = "[A-Za-z0-9_]+"
_PLACEHOLDER = rf"\{{{_NAME}(?:\.{_NAME})*\}}"
_MIXED_PLACEHOLDER = rf"[\s\S]{_PLACEHOLDER}|{_PLACEHOLDER}[\s\S]"

# A named group that neither an escape, nor a set, nor a comment can hide: nothing of these comes before it.
_NAMED_GROUP = r"^(?:[^\\\[#]|\\[\s\S])*\(\?P?<[A-Za-z_][A-Za-z0-9_]*>"


def field_definitions() -> dict[str, Schema]:
    """Give the definitions of a field, and of the delimiters and transforms in it."""
    return {
        "field": _field(),
        "literals": _literals(),
        "pattern": _pattern(),
        "transform": _transform(),
    }


def field_of_calls() -> Schema:
    """Give an example of a field of tool calls."""
    return {
        "open": "<tool_call>",
        "close": "</tool_call>",
        "repeats": True,
        "content": "json",
        "transform": {"type": "function", "function": "{content}"},
    }


def _field() -> Schema:
    return {
        "title": "Field",
        "description": "A key of the message: where its regions are in the text, and what becomes of their text. "
        "A field without an opener takes the text that no region claims; only one field can be without.",
        "type": "object",
        "examples": [
            {"open": "<think>", "close": "</think>"},
            field_of_calls(),
        ],
        "properties": _properties(),
        "additionalProperties": False,
        "dependentSchemas": {
            "open": {"properties": {"open_pattern": False}},
            "close": {"properties": {"close_pattern": False}},
        },
        "allOf": [*_conditions(), *arguments_by_parser("content", "content_args")],
    }


def _properties() -> dict[str, Schema]:
    return {
        "open": reference("literals", "Opens a region: a text, or a list of texts of which any does."),
        "open_pattern": reference(
            "pattern", "Opens a region, instead of `open`. The transform can use its named groups."
        ),
        "close": reference(
            "literals",
            "Closes the region: a text, or a list of texts of which any does. "
            "Without a closer a region runs to the end.",
        ),
        "close_pattern": reference(
            "pattern", "Closes the region, instead of `close`. The transform can use its named groups."
        ),
        "content": {
            **reference("content", "The content parser: what the text of a region becomes."),
            "default": DEFAULT_PARSER,
        },
        "content_args": {
            "description": "The arguments of the content parser, an object.",
            "default": {},
        },
        "repeats": flag("Whether every region counts: their values become a list.", False),
        "join": {
            "description": "With `repeats`: what stands between the regions, whose values become one string.",
            "type": ["string", "null"],
            "examples": ["\n", ""],
        },
        "optional": flag("Whether the field may be missing; else a message without it is an error.", True),
        "transform": reference(
            "transform",
            "What the value becomes: any JSON in which the string `{content}` stands for the value, and `{name}` "
            "for the named group of a pattern.",
        ),
        "transform_each": {
            "description": "Whether the content is a list of objects, each of which goes through the transform; "
            "placeholders are then the keys of the object.",
            "type": "boolean",
            "default": False,
        },
    }


def _conditions() -> list[Schema]:
    """List what one key of a field demands of the others."""
    false_values: list[Any] = [False, None, 0, "", [], {}]
    has_transform = with_key("transform", {"not": {"type": "null"}})
    names_group = {"type": "string", "pattern": _NAMED_GROUP}
    return [
        {
            "if": with_key("join", {"type": "string"}),
            "then": with_key("repeats", {"not": {"enum": false_values}}),
        },
        {"if": with_key("transform_each", {"const": True}), "then": has_transform},
        {
            "if": {"anyOf": [with_key(key, names_group) for key in ("open_pattern", "close_pattern")]},
            "then": has_transform,
        },
    ]


def _literals() -> Schema:
    text = {"type": "string", "minLength": 1}
    return {
        "description": "A text that is looked for as it stands, or a list of such texts.",
        "anyOf": [text, {"type": "array", "items": text, "minItems": 1}],
    }


def _pattern() -> Schema:
    return {
        "description": "A regular expression of the Python module `regex` in which `.` matches line breaks, too.",
        "type": "string",
        "examples": [r"<\|channel\|>analysis<\|message\|>", r"<call:(?P<name>[^>]+)>"],
    }


def _transform() -> Schema:
    return {
        "description": "Any JSON. A string that is `{name}` as a whole is replaced by what it names, `{name.key}` "
        "by a part of that; a string that mixes a placeholder with other text is an error.",
        "examples": [
            "{content}",
            {"type": "function", "function": "{content}"},
            {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}},
        ],
        "not": {"type": "string", "pattern": _MIXED_PLACEHOLDER},
        "items": reference("transform"),
        "additionalProperties": reference("transform"),
    }
