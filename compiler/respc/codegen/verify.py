"""Checks a module before anyone sees it: what does not hold is the compiler's own fault."""

from __future__ import annotations

import ast
from collections import Counter

from respc.errors import InternalError


def verify_source(source: str, title: str) -> None:
    """Check that a module is Python and that no two of its definitions share a name.

    Raises:
        InternalError: it is not, with the place.
    """
    tree = parsed_source(source, title)
    _check_names(tree.body, title)
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _check_names(node.body, f"{title}, class {node.name}")


def parsed_source(source: str, title: str) -> ast.Module:
    """Read a module as Python does.

    Raises:
        InternalError: it is not Python, with the place.
    """
    try:
        compile(source, title, "exec", dont_inherit=True)
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise InternalError(f"the module for {title} is not valid Python: {error}") from error


def _check_names(body: list[ast.stmt], where: str) -> None:
    names = Counter(name for node in body for name in defined_names(node))
    twice = sorted(name for name, count in names.items() if count > 1)
    if twice:
        raise InternalError(f"the module for {where} defines {', '.join(twice)} more than once")


def defined_names(node: ast.stmt) -> list[str]:
    """Name what a statement defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
        case _:
            return []
