"""``[tool.respc]`` in ``pyproject.toml``: what commands do where the command line does not say otherwise."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from respc.cli.terminal import Failure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE: Final = "pyproject.toml"
_TABLE: Final = "[tool.respc]"
_STRINGS: Final = "a list of strings"
_KEYS: Final = {
    "sources": _STRINGS,
    "select": _STRINGS,
    "extend-select": _STRINGS,
    "ignore": _STRINGS,
    "error": _STRINGS,
    "strict": "a boolean",
    "engine": "a string",
    "documentation": "a string",
    "per-file-ignores": "a table of lists of strings",
    "modules": "a list of tables",
}
_MODULE_KEYS: Final = {
    "source": "a string",
    "output": "a string",
    "events": "a string",
    "stable": "a boolean",
    "standalone": "a boolean",
    "native": "a boolean",
    "strict-bodies": "a boolean",
    "closers-in-strings": "a boolean",
    "without": _STRINGS,
}
_NEEDED_OF_MODULES: Final = ("source", "output")


@dataclass(frozen=True, slots=True)
class Module:
    """A module that a project compiles.

    Attributes:
        source: the template, as a path from where the command runs.
        output: the module, likewise.
        options: what else is said of it, by the names of the options of `respc compile`.
    """

    source: str
    output: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """What a project says of its templates; nothing where there is no project.

    Attributes:
        folder: where the file is: what it names is relative to that.
        sources: the templates that are checked where no other is named, those of the modules too.
        modules: what is compiled.
        select: as the option of `respc check`.
        extend_select: likewise.
        ignore: likewise.
        error: likewise.
        strict: likewise.
        engine: as its option `--for`.
        documentation: where the page of all codes is published.
        per_file_ignores: the codes that do not count in files whose names fit.
    """

    folder: Path = field(default_factory=Path)
    sources: tuple[str, ...] = ()
    modules: tuple[Module, ...] = ()
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    error: tuple[str, ...] = ()
    strict: bool = False
    engine: str | None = None
    documentation: str | None = None
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])

    def ignored_in(self, name: str) -> tuple[str, ...]:
        """Give the codes that do not count in a file, by its path from the project or by its name."""
        try:
            path = PurePosixPath(Path(name).resolve().relative_to(self.folder.resolve()).as_posix())
        except ValueError:
            path = PurePosixPath(Path(name).as_posix())
        return tuple(
            code
            for pattern, codes in self.per_file_ignores.items()
            if fnmatch(str(path), pattern) or fnmatch(path.name, pattern)
            for code in codes
        )


def read_project(start: Path | None = None) -> ProjectConfig:
    """Read what the nearest project says that has something to say; Failure where that is not what it can be.

    Args:
        start: the folder where the search for it begins, upwards; None for the one where the command runs.
    """
    here = Path.cwd() if start is None else start.resolve()
    for folder in (here, *here.parents):
        file = folder / FILE
        table = _table_of(file) if file.is_file() else None
        if table is not None:
            return _config(table, folder, here)
    return ProjectConfig()


def _table_of(file: Path) -> dict[str, Any] | None:
    from respc.source.json_kinds import is_object

    try:
        with file.open("rb") as opened:
            tools = tomllib.load(opened).get("tool", {})
    except OSError as error:
        raise Failure(f"{file}: {error.strerror or error}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Failure(f"{file}: {error}") from error
    table = tools.get("respc") if is_object(tools) else None
    if table is None or is_object(table):
        return table
    raise Failure(f"{file}: {_TABLE} is not a table")


def _config(table: dict[str, Any], folder: Path, here: Path) -> ProjectConfig:
    named = f"{folder / FILE}: {_TABLE}"
    _check_keys(table, _KEYS, named)
    _check_codes(table, named)
    modules = tuple(_module(each, folder, here) for each in table.get("modules", ()))
    sources = [_from_here(source, folder, here) for source in table.get("sources", ())]
    return ProjectConfig(
        folder=folder,
        sources=tuple(dict.fromkeys((*sources, *(module.source for module in modules)))),
        modules=modules,
        select=tuple(table.get("select", ())),
        extend_select=tuple(table.get("extend-select", ())),
        ignore=tuple(table.get("ignore", ())),
        error=tuple(table.get("error", ())),
        strict=table.get("strict", False),
        engine=table.get("engine"),
        documentation=table.get("documentation"),
        per_file_ignores={name: tuple(codes) for name, codes in table.get("per-file-ignores", {}).items()},
    )


def _check_codes(table: dict[str, Any], named: str) -> None:
    from respc.diagnostics import PolicyError, codes_named_by

    listed = [table.get(key, ()) for key in ("select", "extend-select", "ignore", "error")]
    for names in (*listed, *table.get("per-file-ignores", {}).values()):
        try:
            codes_named_by(names)
        except PolicyError as wrong:
            raise Failure(f"{named}: {wrong}") from wrong


def _module(table: dict[str, Any], folder: Path, here: Path) -> Module:
    named = f"{folder / FILE}: [[tool.respc.modules]]"
    _check_keys(table, _MODULE_KEYS, named)
    for key in _NEEDED_OF_MODULES:
        if key not in table:
            raise Failure(f"{named} has no key {key!r}")
    source, output = (_from_here(table[key], folder, here) for key in _NEEDED_OF_MODULES)
    options = {key.replace("-", "_"): value for key, value in table.items() if key not in _NEEDED_OF_MODULES}
    return Module(source, output, options)


def _check_keys(table: dict[str, Any], known: Mapping[str, str], named: str) -> None:
    from respc.diagnostics import listed, quoted
    from respc.diagnostics.misspelt import closest

    for key, value in table.items():
        if key not in known:
            meant = closest(key, known)
            hint = f"did you mean `{meant}`?" if meant else f"there are {listed(known)}"
            raise Failure(f"{named} has no key {quoted(key)}; {hint}")
        if not _is(value, known[key]):
            raise Failure(f"{named}: {key!r} is not {known[key]}")


def _is(value: object, kind: str) -> bool:
    from respc.source.json_kinds import is_list, is_object

    match kind:
        case "a string":
            return isinstance(value, str)
        case "a boolean":
            return isinstance(value, bool)
        case "a list of strings":
            return is_list(value) and all(isinstance(each, str) for each in value)
        case "a list of tables":
            return is_list(value) and all(is_object(each) for each in value)
        case _:
            return is_object(value) and all(_is(each, _STRINGS) for each in value.values())


def _from_here(path: str, folder: Path, here: Path) -> str:
    """Write a path that is relative to the project as one from where the command runs."""
    from respc.cli.sources import is_family_name

    if folder == here or is_family_name(path):
        return path
    absolute = folder / path
    return str(absolute.relative_to(here)) if absolute.is_relative_to(here) else str(absolute)
