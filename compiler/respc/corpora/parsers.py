"""Finding the parser that a person names, in a form that other processes can load."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from respc.driver import compile_source
from respc.families import families
from respc.options import Options
from respc.source import read_template

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.diagnostics import Diagnostic
    from respc.source import TemplateSource

_READY_MADE: Final = "respc_parsers"
_NEEDED: Final = ("ResponseParser", "parse_response")


class ParserNotFoundError(Exception):
    """There is no parser of that name, or what there is cannot be loaded."""


@dataclass(frozen=True, slots=True)
class ParserCode:
    """A parser that any process can load: the name of a module, or its text.

    Attributes:
        name: what messages call it.
        module: the module to import; None for a text.
        source: the text of a module, and what tracebacks call the file of it.
        findings: what the compiler said of the template, if it was compiled just now.
    """

    name: str
    module: str | None = None
    source: str = ""
    file: str = ""
    findings: tuple[Diagnostic, ...] = ()

    def load(self) -> ModuleType:
        """Give the module.

        Raises:
            ParserNotFoundError: it cannot be run, or is no compiled parser.
        """
        try:
            module = self._run() if self.module is None else import_module(self.module)
        except Exception as error:  # whatever a file that is not ours can raise
            raise ParserNotFoundError(
                f"{self.name}: cannot be loaded: {type(error).__name__}: {error}"
            ) from error
        if not all(hasattr(module, name) for name in _NEEDED):
            raise ParserNotFoundError(f"{self.name}: no module that `respc compile` wrote")
        return module

    def _run(self) -> ModuleType:
        module = ModuleType("respc_parser")
        module.__file__ = self.file
        exec(compile(self.source, self.file, "exec", dont_inherit=True), module.__dict__)
        return module


def find_parser(named: str, read: Callable[[str], TemplateSource] = read_template) -> ParserCode:
    """Find a parser by the name of a ready-made one, or by the path of a compiled module or of a template.

    A path that exists goes before a name.

    Args:
        named: the name or path.
        read: reads a template, where there is no module.

    Raises:
        ParserNotFoundError: a module file cannot be read.
        SourceFileError: the template cannot be read.
        TemplateError: the template is refused.
    """
    if not Path(named).exists() and (module := _ready_made(named)) is not None:
        return ParserCode(named, module=module)
    if named.endswith(".py"):
        return _module_file(named)
    template = read(named)
    # Read by nobody, so black would only cost time.
    compiled = compile_source(template, Options.of(formatted=False))
    file = f"<respc {compiled.title}>"
    return ParserCode(template.name, source=compiled.source, file=file, findings=compiled.diagnostics)


def _module_file(path: str) -> ParserCode:
    try:
        source = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise ParserNotFoundError(f"{path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ParserNotFoundError(f"{path}: not UTF-8 at byte {error.start}") from error
    return ParserCode(path, source=source, file=path)


def _ready_made(name: str) -> str | None:
    """Give the module of a ready-made parser; None where there is none of that name."""
    return f"{_READY_MADE}.{name}" if name in families() else None
