"""Where in the runtime each name is defined, and what its definition needs, read from the runtime's own source."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING

from respc.codegen.verify import defined_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

RUNTIME_PACKAGE = "respc_runtime"

# An annotation in quotes, or something that looks like one: then a definition too many is carried, not one too few.
_QUOTED_TYPE = re.compile(r"\w+(?:[ \w|.,\[\]]*[\w\]])?")
_IDENTIFIERS = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or constant of the runtime.

    Attributes:
        module: the module's name without the package.
        line: where it stands there.
        source: its text, with the comment lines right above it and the docstring right below.
        needs: the names of the runtime that the text mentions.
        loads: those of them that it needs when it is run, not only when it is called.
        imports: the import statements that give it names from outside the runtime.
        is_type: whether it is an alias of a type, which only annotations use.
    """

    module: str
    line: int
    source: str
    needs: frozenset[str]
    loads: frozenset[str]
    imports: frozenset[str]
    is_type: bool


@cache
def runtime_index() -> MappingProxyType[str, Definition]:
    """Read the runtime that is installed beside the compiler: its definitions by name, unique over all modules."""
    definitions: dict[str, Definition] = {}
    imports: dict[str, str] = {}
    for resource in sorted(files(RUNTIME_PACKAGE).iterdir(), key=lambda entry: entry.name):
        if not resource.name.endswith(".py") or resource.name == "__init__.py":
            continue
        text = resource.read_text(encoding="utf-8")
        module = resource.name.removesuffix(".py")
        for name, definition in _definitions(module, text):
            if name in definitions:
                raise ValueError(f"{name} is defined in {definitions[name].module} and in {module}")
            definitions[name] = definition
        imports.update(_imports(ast.parse(text)))
    for name, definition in definitions.items():
        # What a module of the runtime hands on, it has from outside.
        handed_on = {imports[each] for each in definition.needs - definitions.keys()}
        definitions[name] = replace(
            definition,
            needs=definition.needs & definitions.keys(),
            loads=definition.loads & definitions.keys(),
            imports=definition.imports | handed_on,
        )
    return MappingProxyType(definitions)


def needed_names(names: Iterable[str]) -> list[str]:
    """List the given names of the runtime with all that their definitions need, in an order that works in one file."""
    index = runtime_index()
    needed: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in needed and name in index:
            needed.add(name)
            waiting += index[name].needs
    modules = _modules_in_order(index)
    return sorted(needed, key=lambda name: (modules.index(index[name].module), index[name].line))


def _modules_in_order(index: Mapping[str, Definition]) -> list[str]:
    """Order the modules so that each comes after those whose names it needs."""
    needs: dict[str, set[str]] = {}
    for definition in index.values():
        others = {index[name].module for name in definition.loads}
        needs.setdefault(definition.module, set()).update(others - {definition.module})
    ordered: list[str] = []
    while len(ordered) < len(needs):
        ready = sorted(module for module in needs if module not in ordered and needs[module] <= set(ordered))
        # Functions need each other across modules as they like; only what runs at import has to come first.
        ordered += ready or [min(module for module in needs if module not in ordered)]
    return ordered


def _definitions(module: str, text: str) -> Iterator[tuple[str, Definition]]:
    tree = ast.parse(text)
    lines = text.splitlines()
    # A name that another module imports or defines can be a variable here.
    imports, of_runtime = dict(_imports(tree)), frozenset(_names_of_runtime(tree))
    for position, node in enumerate(tree.body):
        names = defined_names(node)
        if not names:
            continue
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", []))])
        while first > 1 and lines[first - 2].startswith("#"):
            first -= 1
        last = node.end_lineno or node.lineno
        follower = tree.body[position + 1] if position + 1 < len(tree.body) else None
        if _is_docstring_of_assignment(node, follower) and follower is not None:
            last = follower.end_lineno or last
        source = "\n".join(line for line in lines[first - 1 : last] if not _imports_runtime(line))
        mentioned = frozenset(_mentioned(node))
        yield (
            names[0],
            Definition(
                module,
                node.lineno,
                source,
                mentioned & of_runtime,
                frozenset(_loaded(node)) & of_runtime,
                frozenset(imports[each] for each in mentioned & imports.keys()),
                _is_type(node),
            ),
        )


def _is_type(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias"


def _is_docstring_of_assignment(node: ast.stmt, follower: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Assign | ast.AnnAssign)
        and isinstance(follower, ast.Expr)
        and isinstance(follower.value, ast.Constant)
        and isinstance(follower.value.value, str)
    )


def _imports_runtime(line: str) -> bool:
    return line.strip().startswith(f"from {RUNTIME_PACKAGE}.")


def _mentioned(node: ast.AST) -> Iterator[str]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name):
            yield inner.id
        elif isinstance(inner, ast.Constant) and isinstance(inner.value, str):
            yield from _IDENTIFIERS.findall(inner.value) if _QUOTED_TYPE.fullmatch(inner.value) else ()


def _loaded(node: ast.AST) -> Iterator[str]:
    """Name what a definition needs when it is run: not the bodies of functions, nor annotations."""
    match node:
        case ast.FunctionDef(args=arguments, decorator_list=decorators):
            run: list[ast.AST] = [*decorators, *arguments.defaults, *filter(None, arguments.kw_defaults)]
        case ast.ClassDef(bases=bases, keywords=keywords, decorator_list=decorators, body=body):
            run = [*bases, *(keyword.value for keyword in keywords), *decorators, *body]
        case ast.AnnAssign(value=value):
            run = [] if value is None else [value]
        case _:
            yield from (inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name))
            return
    for inner in run:
        yield from _loaded(inner)


def _names_of_runtime(tree: ast.Module) -> Iterator[str]:
    """List the names of the runtime that a module of it knows: those it defines and those it imports."""
    yield from chain.from_iterable(map(defined_names, tree.body))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(RUNTIME_PACKAGE):
            yield from (alias.name for alias in node.names)


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """List the names that a module has from outside of the runtime; what a function imports by itself is its own."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.FunctionDef):
            waiting += ast.iter_child_nodes(node)
        match node:
            case ast.Import(names=names):
                yield from ((each.asname or each.name, ast.unparse(ast.Import([each]))) for each in names)
            case ast.ImportFrom(module=str(module), names=names) if not module.startswith(RUNTIME_PACKAGE):
                yield from ((each.asname or each.name, f"from {module} import {each.name}") for each in names)
            case _:
                pass
