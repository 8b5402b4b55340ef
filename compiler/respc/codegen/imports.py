"""The import statements at the top of a module, grouped and sorted."""

from __future__ import annotations

import sys
import textwrap
from typing import TYPE_CHECKING, NamedTuple

from respc.codegen.runtime_names import RUNTIME_PACKAGE, runtime_index

if TYPE_CHECKING:
    from collections.abc import Iterable


class ImportLines(NamedTuple):
    """The imports of a module: it asks the runtime whether it is served between the two."""

    before_runtime: str
    of_runtime: str


def import_lines(statements: Iterable[str], runtime_names: Iterable[str]) -> ImportLines:
    """Write imports: the standard library, then other packages, then the runtime.

    A module of the runtime from which only types are used is imported for type checkers alone.

    Args:
        statements: such as ``import re`` and ``from typing import Any``, one name each.
        runtime_names: names of the runtime.
    """
    standard: list[str] = []
    others: list[str] = []
    for statement in statements:
        package = statement.split()[1].split(".")[0]
        (standard if package in sys.stdlib_module_names else others).append(statement)
    index = runtime_index()
    names = {name: index[name] for name in runtime_names}
    loaded = {definition.module for definition in names.values() if not definition.is_type}
    types: list[str] = []
    values: list[str] = []
    for name, definition in names.items():
        statement = f"from {RUNTIME_PACKAGE}.{definition.module} import {name}"
        (values if definition.module in loaded else types).append(statement)
    if types:
        standard.append("from typing import TYPE_CHECKING")
    before_runtime = [_merged(group) for group in (standard, others) if group]
    of_runtime = [_merged(values)] if values else []
    if types:
        of_runtime.append("if TYPE_CHECKING:\n" + textwrap.indent(_merged(types), "    "))
    return ImportLines("\n\n".join(before_runtime), "\n\n".join(of_runtime))


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
