"""What a request can ask of its calls, and the grammar that is for it."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import respc

if TYPE_CHECKING:
    from respc.grammars.building import Thinking

NAME: Final = "get_weather"
"""Of a function that a request names."""
ASKED: Final = [*product(("none", "auto", "required", NAME), (False, True), (False, True))]
"""The choice, whether the functions are strict, and whether there may be several calls."""
LIKE_CHOICES: Final = ("auto", "required", "none")
"""Names of functions that are those of choices."""


def needs_grammar(choice: str, strict: bool, parallel: bool) -> bool:
    """Tell whether OpenAI's own service promises something about the calls."""
    return choice != "none" and (choice != "auto" or strict or not parallel)


def grammar(tools: list[Any], choice: str, parallel: bool, reasoning: Thinking) -> Any:
    """Write the grammar that is expected."""
    written = respc.grammar("qwen3", tools, choice=choice, parallel=parallel, reasoning=reasoning)
    return json.loads(written)


def with_function(tools: list[Any], name: str) -> list[Any]:
    """Put a function behind tools."""
    return [*tools, {"type": "function", "function": {"name": name, "parameters": {}}}]
