"""What compiled modules import of the runtime: each ABI has its names, and all that are served have theirs."""

from __future__ import annotations

import ast
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from respc_runtime.abi import ABI, OLDEST_ABI
from support.committed_modules import MODULES
from support.templates import TESTS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from support.goldens import Goldens

RECORDS = TESTS / "codegen" / "abi_names"


def imported_of_the_runtime(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("respc_runtime."):
            for alias in node.names:
                yield f"{node.module.removeprefix('respc_runtime.')}.{alias.name}"


def test_names_of_this_abi(goldens: Goldens) -> None:
    """A module must not be served by a runtime that lacks one of its names.

    So where a name comes to these, and somebody may have a runtime of this ABI without it, `respc_runtime.abi.ABI` is
    raised, and the names get a record of their own.
    """
    names = {name for module in MODULES for name in imported_of_the_runtime(module)}
    goldens.check(RECORDS / f"{ABI}.txt", "".join(f"{name}\n" for name in sorted(names)))


@pytest.mark.parametrize("number", range(OLDEST_ABI, ABI + 1))
def test_names_of_every_served_abi_are_there(number: int) -> None:
    names = (RECORDS / f"{number}.txt").read_text(encoding="utf-8").split()
    assert len(names) > 30
    for name in names:
        module, _, attribute = name.partition(".")
        assert hasattr(import_module(f"respc_runtime.{module}"), attribute), name


def test_no_abi_is_recorded_that_is_not_served() -> None:
    assert sorted(int(file.stem) for file in RECORDS.iterdir()) == [*range(OLDEST_ABI, ABI + 1)]
