"""Compiled parsers for SGLang's adapter of response templates.

`use_compiled_parsers` makes `sglang.srt.parser.response_template` parse with compiled code in this process. What the
adapter asks of a parser stays the same; SGLang is imported only when a function here is called.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from respc.integrations.engine_parsers import compiled_parsers_of, plain_template, put_into, take_out_of
from respc_runtime.tools import cast_arguments

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["register_module", "serving_templates", "use_compiled_parsers", "use_interpreter"]

ADAPTER: Final = "sglang.srt.parser.response_template"
_VARIANTS: Final = ("streaming", "reasoning_only", "reasoning_to_answer", "tool_extraction", "tool_to_answer")


def use_compiled_parsers(*templates: dict[str, Any]) -> None:
    """Make the adapter's parsers compiled ones, from now on.

    A template is compiled when the first parser of it is made, and kept. One that cannot be compiled is interpreted,
    with a warning in the log, and so is output that a grammar constrains.

    Args:
        templates: response templates, as checkpoints have them, to compile now: no request has to wait for it.

    Raises:
        ImportError: there is no SGLang, or no adapter in it.
        ValueError: SGLang refuses a template.
    """
    adapter = import_module(ADAPTER)
    parsers = compiled_parsers_of(adapter, with_casts)
    for template in templates:
        for served in serving_templates(template).values():
            parsers.module_of(served)
    put_into(adapter, parsers)


def use_interpreter() -> None:
    """Make the adapter's parsers those of SGLang again."""
    take_out_of(import_module(ADAPTER))


def serving_templates(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the templates that the adapter makes of a checkpoint's one and parses with, by name: to compile them ahead.

    Raises:
        ValueError: SGLang refuses the template.
    """
    adapter: Any = import_module(ADAPTER)
    derived = adapter._derive_serving_templates(template)
    variants = {name: getattr(derived, name) for name in _VARIANTS}
    return {name: plain_template(loaded) for name, loaded in variants.items() if loaded is not None}


def register_module(template: dict[str, Any], module: ModuleType) -> None:
    """Use a module that was compiled before, instead of compiling.

    Args:
        template: the template that it was compiled from, one of `serving_templates`.
        module: has serving events.

    Raises:
        ValueError: the module has not, or SGLang refuses the template.
    """
    compiled_parsers_of(import_module(ADAPTER), with_casts).register(template, module)


@lru_cache(maxsize=128)
def with_casts(parser: Any) -> type:
    """Give a compiled class the method that the adapter calls for the members of a list of calls."""

    # Which class it is, is known when a template is compiled, and not to a checker.
    class WithCasts(parser):  # type: ignore[misc]
        __slots__ = ("_tools",)

        def __init__(self, prefix: str | None = None, *, tools: Any = None) -> None:
            parser.__init__(self, prefix, tools=tools)
            self._tools = tools

        def _coerce_tool_calls(self, value: Any, json_values: bool = False) -> Any:
            return cast_arguments(value, self.parameters)

    return WithCasts
