"""The ahead-of-time compiler for response templates.

Nothing is imported before it is used, so that ``respc --help`` and the import of this package stay quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from respc.api import (
        ResponseParser,
        check_template,
        compile_template,
        engine_template,
        fix_template,
        load,
        parse_response,
    )
    from respc.driver import Compilation
    from respc.engines import EngineTemplate
    from respc.errors import InternalError, TemplateError
    from respc.fixing import FixedTemplate
    from respc.grammars import GrammarError, grammar
    from respc.inferring import Inference, InferenceError, infer
    from respc.native import NativeError, build_native
    from respc.passes import PASSES
    from respc.trace import trace_response
    from respc.verifying import verify
    from respc_runtime.tools import prepare_tools

__version__ = "0.1.0"
_RUNTIME = f"{__version__} with ABI 6"
"""The runtime that this compiler writes modules for, which is in the same distribution."""

_MODULES = {
    "Compilation": "respc.driver",
    "EngineTemplate": "respc.engines",
    "FixedTemplate": "respc.fixing",
    "GrammarError": "respc.grammars",
    "Inference": "respc.inferring",
    "InferenceError": "respc.inferring",
    "InternalError": "respc.errors",
    "NativeError": "respc.native",
    "PASSES": "respc.passes",
    "ResponseParser": "respc.api",
    "TemplateError": "respc.errors",
    "build_native": "respc.native",
    "check_template": "respc.api",
    "compile_template": "respc.api",
    "engine_template": "respc.api",
    "fix_template": "respc.api",
    "grammar": "respc.grammars",
    "infer": "respc.inferring",
    "load": "respc.api",
    "parse_response": "respc.api",
    "prepare_tools": "respc_runtime.tools",
    "trace_response": "respc.trace",
    "verify": "respc.verifying",
}

__all__ = [
    "PASSES",
    "Compilation",
    "EngineTemplate",
    "FixedTemplate",
    "GrammarError",
    "Inference",
    "InferenceError",
    "InternalError",
    "NativeError",
    "ResponseParser",
    "TemplateError",
    "build_native",
    "check_template",
    "compile_template",
    "engine_template",
    "fix_template",
    "grammar",
    "infer",
    "load",
    "parse_response",
    "prepare_tools",
    "trace_response",
    "verify",
]


def _require_own_runtime() -> None:
    """Refuse another runtime than the one that came with this compiler, which reads it to write modules.

    The distribution `respc-runtime` has the same package: if both are installed, the later one has replaced the other,
    and the first one that is uninstalled takes it away.

    Raises:
        ImportError: says what is there, and what to do.
    """
    try:
        from respc_runtime import __version__ as version
        from respc_runtime.abi import ABI
    except ImportError:
        found = "none"
    else:
        found = f"{version} with ABI {ABI}"
    if found != _RUNTIME:
        raise ImportError(
            f"respc needs the respc_runtime that it brings, {_RUNTIME}, and finds {found}: `pip uninstall "
            "respc-runtime`, then install respc again, with `pip install --force-reinstall .` in its checkout"
        )


_require_own_runtime()


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
