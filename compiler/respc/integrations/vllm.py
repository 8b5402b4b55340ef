"""Compiled parsers for vLLM's adapter of response templates.

`use_compiled_parsers` makes `vllm.parser.response_template` parse with compiled code in this process. What the adapter
asks of a parser stays the same; vLLM is imported only when a function here is called.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from respc.integrations.engine_parsers import compiled_parsers_of, plain_template, put_into, take_out_of

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["register_module", "serving_templates", "use_compiled_parsers", "use_interpreter"]

_ADAPTER: Final = "vllm.parser.response_template"


def use_compiled_parsers(*templates: dict[str, Any]) -> None:
    """Make the adapter's parsers compiled ones, from now on.

    A template is compiled when the first parser of it is made, and kept. One that cannot be compiled is interpreted,
    with a warning in the log.

    Args:
        templates: response templates, as checkpoints have them, to compile now: no request has to wait for it.

    Raises:
        ImportError: there is no vLLM, or no adapter in it.
        ValueError: vLLM refuses a template.
    """
    adapter = import_module(_ADAPTER)
    parsers = compiled_parsers_of(adapter)
    for template in templates:
        for served in serving_templates(template).values():
            parsers.module_of(served)
    put_into(adapter, parsers)


def use_interpreter() -> None:
    """Make the adapter's parsers those of vLLM again."""
    take_out_of(import_module(_ADAPTER))


def serving_templates(template: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Give the templates that the adapter makes of a checkpoint's one and parses with, by name: to compile them ahead.

    Raises:
        ValueError: vLLM refuses the template.
    """
    adapter: Any = import_module(_ADAPTER)
    adapter.validate_response_template_for_serving(template)
    return {"streaming": plain_template(adapter._streaming_template(template))}


def register_module(template: dict[str, Any], module: ModuleType) -> None:
    """Use a module that was compiled before, instead of compiling.

    Args:
        template: the template that it was compiled from, one of `serving_templates`.
        module: has serving events.

    Raises:
        ValueError: the module has not, or vLLM refuses the template.
    """
    compiled_parsers_of(import_module(_ADAPTER)).register(template, module)
