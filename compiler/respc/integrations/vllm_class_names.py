"""How the parsers are called on vLLM's command line, and how their classes are found by it."""

from __future__ import annotations

from typing import Final

MODULE: Final = "respc.integrations.vllm_parsers"
"""The module that has the classes."""

TEMPLATE_NAME: Final = "respc"
"""The parser that the tokenizer's own response template makes, or the one inferred from its chat template."""

# `{}` is the name on the command line.
TOOL_CLASS: Final = "{}_tool_parser"
REASONING_CLASS: Final = "{}_reasoning_parser"


def name_of(family: str | None) -> str:
    """Give the name by which a family is chosen, or with None the tokenizer's own template."""
    return TEMPLATE_NAME if family is None else f"{TEMPLATE_NAME}_{family}"


def class_name_of(pattern: str, family: str | None) -> str:
    """Give the name of a class of the module."""
    return pattern.format(name_of(family))
