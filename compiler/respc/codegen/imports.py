"""The import statements at the top of a module, grouped and sorted."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from respc.codegen.runtime_names import RUNTIME_PACKAGE, runtime_index

if TYPE_CHECKING:
    from collections.abc import Iterable


def import_lines(statements: Iterable[str], runtime_names: Iterable[str]) -> str:
    """Write imports: the standard library, then other packages, then the runtime.

    Args:
        statements: such as ``import re`` and ``from typing import Any``, one name each.
        runtime_names: names of the runtime.
    """
    index = runtime_index()
    standard: list[str] = []
    others: list[str] = []
    for statement in statements:
        package = statement.split()[1].split(".")[0]
        (standard if package in sys.stdlib_module_names else others).append(statement)
    runtime = [
        f"from {RUNTIME_PACKAGE}.{index.definitions[name].module} import {name}" for name in runtime_names
    ]
    groups = [_merged(group) for group in (standard, others, runtime) if group]
    return "\n\n".join(groups)


def _merged(statements: list[str]) -> str:
    """Sort statements, plain imports first, and join those that import from one module."""
    plain = sorted({statement for statement in statements if statement.startswith("import ")})
    names: dict[str, set[str]] = {}
    for statement in statements:
        if statement.startswith("from "):
            module, name = statement.removeprefix("from ").split(" import ")
            names.setdefault(module, set()).add(name)
    merged = [
        f"from {module} import {', '.join(sorted(names[module], key=_import_order))}"
        for module in sorted(names)
    ]
    return "\n".join(plain + merged)


def _import_order(name: str) -> tuple[int, str]:
    """Order names as import sorters do: constants, classes, functions, each without regard to case."""
    kind = 0 if name.isupper() else 1 if name[0].isupper() else 2
    return kind, name.lower()
