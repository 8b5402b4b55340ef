"""Modules that stand in for others while files of an engine are imported under their own names."""

from __future__ import annotations

import importlib.machinery
import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path


class StubModule(ModuleType):
    """A module that has every class that is asked of it: for names that are only imported."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


@contextmanager
def stand_ins(stubs: Mapping[str, dict[str, Any]], sources: Path) -> Iterator[None]:
    """Put modules in the place of others, and of all that belongs to their packages; afterwards all is as before.

    Args:
        stubs: what each module has, by its name.
        sources: where the other modules of their packages lie.
    """
    before = dict(sys.modules)
    replaced = {name.partition(".")[0] for name in stubs}
    for name in [name for name in sys.modules if name.partition(".")[0] in replaced]:
        del sys.modules[name]
    try:
        for name, attributes in stubs.items():
            put_packages(packages_of(name), sources)
            _put(StubModule(name), None, attributes)
        yield
    finally:
        sys.modules.clear()
        sys.modules.update(before)


def put_packages(names: Iterable[str], sources: Path, *, instead: bool = False) -> None:
    """Put packages that have their files but run nothing, where there are none; ``instead``: also where there are."""
    for name in names:
        if instead or name not in sys.modules:
            _put(ModuleType(name), sources.joinpath(*name.split(".")), {})


def packages_of(name: str) -> list[str]:
    """List the packages that a module is in."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _put(module: ModuleType, folder: Path | None, attributes: dict[str, Any]) -> None:
    # In a package of the engine, what is not there has to fail, or be found as a file.
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None, is_package=True)
    module.__path__ = [] if folder is None or not folder.is_dir() else [str(folder)]
    vars(module).update(attributes)
    sys.modules[module.__name__] = module
