"""What vLLM loads when it starts: the names of respc's parsers, for `--tool-call-parser` and `--reasoning-parser`.

Only names are registered, and nothing of vLLM is replaced. What stands behind a name is imported when an operator has
chosen it. vLLM runs this in every one of its processes, so it never raises.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any, Final

from respc.families import families
from respc.integrations.vllm_class_names import (
    MODULE,
    REASONING_CLASS,
    TOOL_CLASS,
    class_name_of,
    name_of,
)

_LOGGER: Final = logging.getLogger(__name__)
_REGISTRIES: Final = (
    ("vllm.tool_parsers.abstract_tool_parser", "ToolParserManager", TOOL_CLASS),
    ("vllm.reasoning.abs_reasoning_parsers", "ReasoningParserManager", REASONING_CLASS),
)


def register() -> None:
    """Register `respc`, for the tokenizer's own response template, and `respc_<family>` for every ready-made family.

    A registry that this vLLM has not, or has in another form, is a warning in the log.
    """
    for module, manager, pattern in _REGISTRIES:
        try:
            _register_in(getattr(import_module(module), manager), pattern)
        except Exception as error:
            _LOGGER.warning(
                "respc's parsers cannot be chosen by name: this vLLM has no %s.%s that takes lazy modules (%s: %s). "
                "They need vLLM 0.33; with another version, leave names that begin with `respc` out of the "
                "command, or see respc's page of serving engines.",
                *(module, manager, type(error).__name__, error),
            )


def _register_in(manager: Any, pattern: str) -> None:
    for family in (None, *families()):
        manager.register_lazy_module(name_of(family), MODULE, class_name_of(pattern, family))
