"""How the parsers are called on vLLM's command line, and how their classes are found by it."""

from __future__ import annotations

from typing import Final

MODULE: Final = "respc.integrations.vllm_parsers"
"""The module that has the classes."""

TEMPLATE_NAME: Final = "respc"
"""The parser that the tokenizer's own response template makes."""

# `{}` is the name on the command line.
TOOL_CLASS: Final = "{}_tool_parser"
REASONING_CLASS: Final = "{}_reasoning_parser"


def name_of_family(family: str) -> str:
    """Give the name by which a family is chosen."""
    return f"{TEMPLATE_NAME}_{family}"


def family_of_name(name: str) -> str | None:
    """Give the family of a name; None for the tokenizer's own template."""
    return None if name == TEMPLATE_NAME else name.removeprefix(f"{TEMPLATE_NAME}_")
