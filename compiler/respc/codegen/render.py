"""Prints a plan with the code templates."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from respc.codegen.imports import import_lines
from respc.codegen.literals import literal
from respc.codegen.standalone import standalone_source

if TYPE_CHECKING:
    from jinja2 import Environment

    from respc.codegen.module_writer import ModuleWriter
    from respc.codegen.plan import ModulePlan

_STANDARD_IMPORTS = (
    "from typing import Any",
    "from typing import Final",
    "from typing import Literal",
    "from typing import TypeAlias",
    "from typing import TypedDict",
)


def render_module(plan: ModulePlan, writer: ModuleWriter, *, standalone: bool) -> str:
    """Print a module.

    Args:
        plan: what it says.
        writer: which names of the runtime and of the standard library it uses.
        standalone: whether it carries the parts of the runtime that it uses.
    """
    imports = {*_STANDARD_IMPORTS, *writer.standard_imports}
    carried = ""
    if standalone:
        carried, more = standalone_source(writer.runtime_names - {"require_abi"})
        imports |= more
    text = (
        _environment()
        .get_template("module.py.j2")
        .render(
            plan=plan,
            imports=import_lines(imports, () if standalone else writer.runtime_names),
            standalone=carried,
        )
    )
    return text.rstrip("\n") + "\n"


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
