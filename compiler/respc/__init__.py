"""The ahead-of-time compiler for response templates."""

from respc.api import ResponseParser, compile_template, load, parse_response
from respc.driver import Compilation
from respc.errors import InternalError, TemplateError
from respc.passes import PIPELINE

PASSES: tuple[str, ...] = tuple(PIPELINE)
"""The names of the optimisations, in the order they run."""

__all__ = [
    "PASSES",
    "Compilation",
    "InternalError",
    "ResponseParser",
    "TemplateError",
    "compile_template",
    "load",
    "parse_response",
]
