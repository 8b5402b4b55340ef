"""The JSON Schema of response templates, for editors.

A template that the interpreter loads is never rejected, however odd it is. What the interpreter refuses is rejected as
far as JSON Schema can say it. It cannot say that a pattern is valid, nor that only one field is without an opener;
and of the names of groups and placeholders it sees those in ASCII letters.
"""

from __future__ import annotations

from respc.schema.content_args import content_definitions
from respc.schema.field import field_definitions, field_of_calls
from respc.schema.keywords import Schema, advised, reference

__all__ = ["template_schema"]


def template_schema() -> Schema:
    """Make the schema, of the draft 2020-12, of a response template."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Response template",
        "description": "Where the parts of a chat model's raw output are, and what they become in a message.",
        "type": "object",
        "examples": [_example()],
        "properties": _properties(),
        "additionalProperties": False,
        "required": ["fields"],
        "anyOf": [{"required": ["start_anchor"]}, {"required": ["start_anchor_pattern"]}],
        "dependentSchemas": {"start_anchor": {"properties": {"start_anchor_pattern": False}}},
        "$defs": {**field_definitions(), **content_definitions()},
    }


def _properties() -> dict[str, Schema]:
    return {
        "version": {
            "description": "The version of the language.",
            "default": 1,
            "anyOf": [{"const": 1}, {"const": True, "deprecated": True, "description": "Passes for 1."}],
        },
        "defaults": {
            "description": "Keys that every message has, kept where no field writes them.",
            "type": "object",
            "default": {},
            "examples": [{"role": "assistant"}],
            "properties": {
                "role": advised({"const": "assistant"}, "Who speaks.", examples=["assistant"]),
            },
        },
        "start_anchor": {
            **reference(
                "literals",
                "What the chat template writes before the assistant's message: a text, or a list of texts. "
                "What comes before its last occurrence in the prompt is dropped.",
            ),
            "examples": ["<|im_start|>assistant\n"],
        },
        "start_anchor_pattern": reference(
            "pattern",
            "What the chat template writes before the assistant's message, instead of `start_anchor`.",
        ),
        "fields": {
            "description": "The fields by their names, which are keys of the message.",
            "type": "object",
            "minProperties": 1,
            "properties": {
                "content": reference("field", "What the user reads."),
                "reasoning_content": reference("field", "What the model thinks before it answers."),
                "tool_calls": reference(
                    "field",
                    "The calls of tools: a list of objects such as "
                    '`{"type": "function", "function": {"name": …, "arguments": …}}`.',
                ),
            },
            "additionalProperties": reference("field"),
        },
    }


def _example() -> Schema:
    return {
        "defaults": {"role": "assistant"},
        "start_anchor": "<|im_start|>assistant\n",
        "fields": {
            "reasoning_content": {"open": "<think>", "close": "</think>", "repeats": True, "join": "\n"},
            "tool_calls": field_of_calls(),
            "content": {"close": "<|im_end|>", "repeats": True, "join": "\n"},
        },
    }
