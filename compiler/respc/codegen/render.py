"""Prints a plan with the code templates."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

from respc.codegen.imports import import_lines
from respc.codegen.literals import literal
from respc.codegen.runtime_names import runtime_index
from respc.codegen.standalone import standalone_source
from respc.codegen.verify import defined_names, parsed_source
from respc.errors import InternalError

if TYPE_CHECKING:
    from typing import TypeGuard

    from jinja2 import Environment

    from respc.codegen.plan import HeaderPlan, ModulePlan

_OF_TYPING: Final = frozenset({"Any", "Final", "Literal", "TypeAlias", "TypedDict"})
_OF_PYTHON: Final = frozenset({*dir(builtins), "__name__"})
_HANDED_ON: Final = frozenset({"prepare_tools"})
"""What a module has for its users, and does not use itself."""


def render_header(header: HeaderPlan, *, standalone: bool) -> str:
    """Print the comment at the top of a module, which tells formatters and linters to leave all below as it is."""
    return _environment().get_template("header.py.j2").render(header=header, standalone=standalone)


def render_module(plan: ModulePlan, *, standalone: bool) -> str:
    """Print a module, all but its header.

    Args:
        plan: what it says.
        standalone: whether it carries the parts of the runtime that it uses.

    Raises:
        InternalError: it is not Python, or uses a name that nothing has.
    """
    environment, title = _environment(), plan.header.title
    body = environment.get_template("module.py.j2").render(plan=plan)
    used = _names_from_outside(parsed_source(body, title)) | _HANDED_ON
    names = used - _OF_TYPING
    if unknown := names - runtime_index().keys():
        raise InternalError(f"the module for {title} uses {', '.join(sorted(unknown))}, which nothing has")
    imports = {f"from typing import {name}" for name in used & _OF_TYPING}
    carried: str | None = None
    if standalone:
        carried, more = standalone_source(names)
        imports |= more
    lines = import_lines(imports, () if standalone else names)
    head = environment.get_template("head.py.j2").render(imports=lines, abi=plan.header.abi, carried=carried)
    return f"{head.rstrip()}\n\n{body.rstrip()}\n"


def _names_from_outside(tree: ast.Module) -> set[str]:
    """List the names that a module uses and neither defines nor has from Python."""
    used: set[str] = set()
    own = {name for node in tree.body for name in defined_names(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()):
                used.add(name)
            case ast.FunctionDef():
                # In a class, names are keys of a template.
                own |= {inner.arg for inner in ast.walk(node) if isinstance(inner, ast.arg)}
                own |= {inner.id for inner in ast.walk(node) if _is_assigned(inner)}
            case ast.ClassDef(bases=bases):
                # Types that only type checkers need stand in quotes.
                inside = (inner for base in bases for inner in ast.walk(base))
                used |= {str(inner.value) for inner in inside if isinstance(inner, ast.Constant)}
            case _:
                pass
    return used - own - _OF_PYTHON


def _is_assigned(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


@cache
def _environment() -> Environment:
    # Imported here because it takes longer than all else that a caller who never compiles would wait for.
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_code_template),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # it is Python that is printed, and every value in it went through `literal`
        auto_reload=False,
    )
    environment.filters["literal"] = literal
    return environment


def _code_template(name: str) -> str:
    """Read a code template from wherever the package is, which can be a zip archive."""
    file = files("respc.codegen") / "templates"
    for part in name.split("/"):
        file /= part
    # Git may have written the line ends of the platform.
    return file.read_text(encoding="utf-8").replace("\r\n", "\n")
