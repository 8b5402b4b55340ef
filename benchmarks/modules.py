"""Modules of the measured families that were made in another way, beside those that `respc.load` makes.

A builder is a callable that takes a family and gives its module: ``python -m benchmarks --only modules --build
PACKAGE.MODULE:NAME`` names one, for instance one that compiles the module's source to machine code. Its modules are
compared with the interpreter, and then streamed by turns with the pure ones and with the literal floor.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from benchmarks.engines import compiled, of_module, require_same_stream, stream_floor
from benchmarks.equality import require_same_recording
from benchmarks.generations import answering
from benchmarks.timing import ratio
from respc.measuring.equality import record
from respc.measuring.timing import in_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from benchmarks.engines import Engine
    from benchmarks.families import Family
    from benchmarks.settings import Settings

    Builder: TypeAlias = Callable[[Family], ModuleType]

LENGTHS = (1_000, 10_000)


class BuilderError(Exception):
    """A builder that cannot be called, for the reason given."""


@dataclass(frozen=True, slots=True)
class ModuleRow:
    """A generation, streamed from a new parser to the message: by what `respc.load` made, and by what was built."""

    family: str
    tokens: int
    pure_over_floor: float
    built_over_floor: float
    built_over_pure: float


def builder_of(name: str) -> Builder:
    """Import a builder by its name, ``package.module:callable``.

    Raises:
        BuilderError: there is none of this name.
    """
    module_name, _, attribute = name.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise BuilderError(f"{name} names no builder: {error}; wanted: package.module:callable") from error
    if not callable(found):
        raise BuilderError(f"{name} is no callable that takes a family and gives its module")
    return lru_cache(maxsize=32)(found)


def modules(settings: Settings) -> Iterator[ModuleRow]:
    """Stream through built modules of each family; without a builder there are no rows."""
    if settings.builder is not None:
        for family in settings.families:
            yield from rows_of(family, settings.builder(family), settings)


def rows_of(family: Family, built: ModuleType, settings: Settings) -> Iterator[ModuleRow]:
    """Compare a module of a family with the interpreter, and measure it beside the pure one and the floor.

    Raises:
        UnequalError: it differs.
    """
    pure, engine = compiled(family), of_module(built, family.prompt)
    for tokens in LENGTHS[: 1 if settings.quick else None]:
        yield _row(family, pure, engine, tokens, settings.rounds_for(tokens))


def _row(family: Family, pure: Engine, built: Engine, tokens: int, rounds: int) -> ModuleRow:
    chunks = answering(family, tokens).chunks
    require_same_stream(family, chunks)
    require_same_recording(
        record(lambda: pure.open(family.prompt), chunks),
        record(lambda: built.open(family.prompt), chunks),
        f"{family.name}, built",
    )
    works = {
        "pure": lambda: pure.stream(chunks),
        "built": lambda: built.stream(chunks),
        "floor": lambda: stream_floor(chunks),
    }
    times = in_rounds(works, rounds)
    return ModuleRow(
        family=family.name,
        tokens=tokens,
        pure_over_floor=ratio(times, "pure", "floor"),
        built_over_floor=ratio(times, "built", "floor"),
        built_over_pure=ratio(times, "built", "pure"),
    )
