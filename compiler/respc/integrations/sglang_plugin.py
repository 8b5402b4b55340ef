"""The plug-in that SGLang finds when respc is installed. It does nothing unless `RESPC_SGLANG` asks for it.

`RESPC_SGLANG=1` gives SGLang a parser `respc_FAMILY` for each ready-made format and `respc` for the template of the
tokenizer, and makes its own parsers of response templates compiled ones. `names` and `adapter` ask for one of these
alone.
"""

from __future__ import annotations

import logging
import os
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["VARIABLE", "register", "register_names", "replace_interpreter"]

VARIABLE: Final = "RESPC_SGLANG"
_LOGGER: Final = logging.getLogger(__name__)
_NOTHING: Final = ("", "0", "off", "false", "no")
_ALL: Final = ("1", "on", "true", "yes")


def register() -> None:
    """Do in this process what the environment variable asks for; what cannot be done is one line in the log."""
    asked = os.environ.get(VARIABLE, "").strip().lower()
    if asked in _NOTHING:
        return
    faults: list[str] = []
    for name in list(_PARTS) if asked in _ALL else [name.strip() for name in asked.split(",")]:
        if name not in _PARTS:
            faults.append(f"{name!r} is not understood: it takes 1, or some of {', '.join(_PARTS)}")
            continue
        try:
            _PARTS[name]()
        # A plug-in must never end the server that loads it, whatever that server is.
        except Exception as error:
            faults.append(f"{name!r} cannot be done: {type(error).__name__}: {error}")
    if faults:
        _LOGGER.warning("%s=%s, SGLang %s: %s", VARIABLE, asked, _version_of_sglang(), "; ".join(faults))


def register_names() -> None:
    """Add the parsers to SGLang's parsers by name; nothing of it is replaced.

    Raises:
        ImportError: there is no SGLang, or a module of it is missing.
        AttributeError: something in a module is missing.
    """
    from respc.integrations.sglang_backends import CONSTRAINTS, constraint_for_backend
    from respc.integrations.sglang_names import named_detectors
    from respc.integrations.sglang_parts import sglang_parts

    parts = sglang_parts()
    hooks: Any = import_module("sglang.srt.plugins.hook_registry")
    hooks.HookRegistry.register(CONSTRAINTS, constraint_for_backend, hooks.HookType.AFTER)
    added = named_detectors(parts)
    for name, (calls, reasoning) in added.items():
        parts.call_detectors.setdefault(name, calls)
        parts.reasoning_detectors.setdefault(name, reasoning)
    _LOGGER.info("%d names for --tool-call-parser and --reasoning-parser: respc, respc_qwen3, …", len(added))


def replace_interpreter() -> None:
    """Let SGLang put compiled parsers in the place of its interpreter of response templates.

    Raises:
        ImportError: there is no SGLang, or no adapter in it.
        AttributeError: something in a module is missing.
    """
    from respc.integrations.engine_parsers import compiled_parsers_of
    from respc.integrations.sglang import ADAPTER, with_casts

    hooks: Any = import_module("sglang.srt.plugins.hook_registry")
    parsers = compiled_parsers_of(import_module(ADAPTER), with_casts)

    # SGLang names what it puts in by this.
    def compiled_response_parser(*arguments: Any, **options: Any) -> Any:
        return parsers(*arguments, **options)

    hooks.HookRegistry.register(f"{ADAPTER}.ResponseParser", compiled_response_parser, hooks.HookType.REPLACE)


def _version_of_sglang() -> str:
    try:
        return version("sglang")
    except PackageNotFoundError:
        return "(not installed)"


_PARTS: Final[dict[str, Callable[[], None]]] = {"names": register_names, "adapter": replace_interpreter}
