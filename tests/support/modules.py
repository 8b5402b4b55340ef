"""Runs generated source as a module, without a file."""

from __future__ import annotations

import ast
from types import ModuleType


def module_of(source: str, name: str = "generated_parser") -> ModuleType:
    """Return the module that the source is."""
    module = ModuleType(name)
    exec(compile(source, f"<{name}>", "exec", dont_inherit=True), module.__dict__)
    return module


def code_names(source: str) -> set[str]:
    """Return every name, attribute, parameter and definition of the source: what is code, not data."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        for attribute in ("id", "attr", "arg", "name", "module", "asname"):
            value = getattr(node, attribute, None)
            if isinstance(value, str):
                names.add(value)
    return names


def imported_packages(source: str) -> set[str]:
    """Return the top-level packages that the source imports anywhere."""
    packages: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            packages |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            packages.add((node.module or "").partition(".")[0])
    return packages
