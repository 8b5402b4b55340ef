"""The reasoning and the tool parsers that vLLM finds by name, on vLLM's own base classes.

Nothing here imports vLLM: `__getattr__` makes the classes when vLLM asks for one.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from respc.families import families
from respc.integrations.vllm_class_names import REASONING_CLASS, TOOL_CLASS, class_name_of
from respc.integrations.vllm_formats import format_of_call_lists, format_of_family
from respc.integrations.vllm_sides import OWN_GRAMMAR, PROTOCOL, ReasoningSide, ToolSide

if TYPE_CHECKING:
    from collections.abc import Callable


class MissingPartError(ImportError):
    """This vLLM has not what the parsers are made of."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(
            f"respc's parsers by name need vLLM 0.33, and this vLLM lacks a part: {cause}. Choose a parser of vLLM, "
            "or install a vLLM that respc's page of serving engines names"
        )


@cache
def _made_class(class_name: str) -> type | None:
    for pattern, make in ((TOOL_CLASS, _tool_class), (REASONING_CLASS, _reasoning_class)):
        for family in (None, *families()):
            if class_name == class_name_of(pattern, family):
                return make(class_name, family)
    return None


def _reasoning_class(class_name: str, family: str | None) -> type:
    base = _base("vllm.reasoning.abs_reasoning_parsers", "ReasoningParser")
    _loaded_grammar(family)
    return type(class_name, (ReasoningSide, base), {"family": family, "__module__": __name__})


def _tool_class(class_name: str, family: str | None) -> type:
    base = _base("vllm.tool_parsers.abstract_tool_parser", "ToolParser")
    values = {"family": family, "structural_tag_model": _loaded_grammar(family), "__module__": __name__}
    return type(class_name, (ToolSide, base), values)


def _loaded_grammar(family: str | None) -> str:
    """Load what the first request would wait for, and give vLLM's name of the grammar of calls, or ours."""
    # What compiles the template of a tokenizer is there then, too.
    format_of_call_lists()
    grammar = None if family is None else format_of_family(family).structural_tag
    return grammar or OWN_GRAMMAR


def _base(module: str, name: str) -> Any:
    try:
        import_module(PROTOCOL)
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise MissingPartError(error) from error


def __getattr__(name: str) -> Any:
    made: Callable[..., Any] | None = _made_class(name)
    if made is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return made
