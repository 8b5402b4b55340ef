"""Parsers that are given as such or by a name: of a ready-made family, or of a model that writes in its format.

The package that has them is looked up when a name is given: nothing here needs it otherwise.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

from respc_runtime.errors import MissingPrefixError

if TYPE_CHECKING:
    from types import ModuleType

    from respc_runtime.batches import Tools
    from respc_runtime.protocols import CompiledServingParser, ServingModule

PACKAGE: Final = "respc_parsers"
MOST_KEPT: Final = 256
"""So many names are remembered: whoever sends a request may choose them."""


class UnknownParserError(LookupError):
    """No ready-made parser has this name."""


def opened_parser(
    parser: str | type[CompiledServingParser] | CompiledServingParser,
    prefix: str | None,
    tools: Tools | None,
) -> CompiledServingParser:
    """Begin a generation with a parser that is given by name or as a class, or take one that has begun.

    Raises:
        UnknownParserError: there is no ready-made parser of that name.
        MissingPrefixError: a parser is to begin without a prefix.
        TypeError: the parser has no serving events, or an instance is given with a prefix.
    """
    if isinstance(parser, str):
        parser = serving_parser_named(parser)
    if not hasattr(parser, "calls"):
        raise TypeError(
            "the parser has no serving events: take the `ServingParser` of its module, or compile its template "
            "with `--events serving`"
        )
    if isinstance(parser, type):
        if prefix is None:
            raise MissingPrefixError
        return parser(prefix, tools=tools)
    if prefix is not None:
        raise TypeError("a prefix is for a parser class: an instance already has its own")
    return parser


@lru_cache(maxsize=MOST_KEPT)
def serving_parser_named(name: str) -> type[CompiledServingParser]:
    """Import the `ServingParser` of a family, as `qwen3`, or of a model's family, as `Qwen/Qwen3-8B`.

    Raises:
        UnknownParserError: there is none; the message has the names that are near.
        ModuleNotFoundError: the package of ready-made parsers is not installed.
    """
    package = _package(name)
    if name in _families(package):
        module = cast("ServingModule", import_module(f"{PACKAGE}.{name}"))
    else:
        module = _module_for_model(package, name)
    return module.ServingParser


def _package(name: str) -> ModuleType:
    try:
        return import_module(PACKAGE)
    except ModuleNotFoundError as error:
        if error.name != PACKAGE:
            raise
        raise ModuleNotFoundError(
            f"the package {PACKAGE} is not installed, so nothing is known by the name {name!r}: install it, or give "
            "the `ServingParser` of a compiled module",
            name=PACKAGE,
        ) from None


def _families(package: ModuleType) -> list[str]:
    from pkgutil import iter_modules

    return [found.name for found in iter_modules(package.__path__) if not found.ispkg]


def _module_for_model(package: ModuleType, name: str) -> ServingModule:
    from difflib import get_close_matches

    try:
        return cast("ServingModule", package.for_model(name))
    except KeyError as error:
        near = get_close_matches(name.lower().replace("-", "_").replace(".", "_"), _families(package))
        families = f"; families near it: {', '.join(near)}" if near else ""
        raise UnknownParserError(f"{name!r} is no family of ready-made parsers{families}; {error}") from None
