"""Prints a plan with the code templates."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from respc.codegen.imports import ImportLines, import_lines
from respc.codegen.literals import literal
from respc.codegen.standalone import standalone_source

if TYPE_CHECKING:
    from jinja2 import Environment

    from respc.codegen.module_writer import ModuleWriter
    from respc.codegen.plan import HeaderPlan, ModulePlan

_IDENTIFIERS = re.compile(r"[^\W\d]\w*")
_STANDARD_IMPORTS = (
    "from typing import Any",
    "from typing import ClassVar",
    "from typing import Final",
    "from typing import Literal",
    "from typing import TypeAlias",
    "from typing import TypedDict",
)


def render_header(header: HeaderPlan, *, standalone: bool) -> str:
    """Print the comment at the top of a module, which tells formatters and linters to leave all below as it is."""
    return _environment().get_template("header.py.j2").render(header=header, standalone=standalone)


def render_module(plan: ModulePlan, writer: ModuleWriter, *, standalone: bool) -> str:
    """Print a module, all but its header.

    Args:
        plan: what it says.
        writer: which names of the runtime and of the standard library it may use.
        standalone: whether it carries the parts of the runtime that it uses.
    """
    module = _environment().get_template("module.py.j2")
    body = module.render(plan=plan, imports=ImportLines("", ""), standalone="" if standalone else None)
    used = set(_IDENTIFIERS.findall(body))
    imports = {*_STANDARD_IMPORTS, *writer.standard_imports}
    imports = {statement for statement in imports if statement.split()[-1] in used}
    names = writer.runtime_names & used
    carried: str | None = None
    if standalone:
        carried, more = standalone_source(names)
        imports |= more
    lines = import_lines(imports, () if standalone else names)
    return module.render(plan=plan, imports=lines, standalone=carried).rstrip("\n") + "\n"


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
