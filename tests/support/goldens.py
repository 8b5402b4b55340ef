"""The cases of tests/goldens: a directory each, with what the compiler is expected to make of a template."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass
from difflib import unified_diff
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from respc.driver import compile_source
from respc.options import Options
from respc.source import read_template
from support.templates import TESTS, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from types import ModuleType

    from respc.driver import Compilation
    from respc.source import TemplateSource

GOLDENS = TESTS / "goldens"
ACCEPTED = GOLDENS / "accepted"
REFUSED = GOLDENS / "refused"
CHECKED = GOLDENS / "checked"
UPDATE_COMMAND = "python -m pytest --update-goldens tests/goldens tests/diagnostics tests/docs"

FILES: Final[dict[str, dict[str, Any]]] = {
    "expected.py": {},
    "standalone.py": {"standalone": True},
    "serving.py": {"events": "serving"},
}
"""The modules that a case can have, by the options that they are compiled with."""

LAST_OF_THE_TYPES = re.compile(r"^Event: TypeAlias = .*\n", re.MULTILINE)


@dataclass(frozen=True)
class GoldenCase:
    """One directory: ``expected.py`` and ``diagnostics.txt`` of a template that lies beside them as ``template.json``,
    or in tests/templates under the directory's name. ``standalone.py`` and ``serving.py``, where they are, are the
    other ways to compile.
    """

    folder: Path

    def __str__(self) -> str:
        return self.folder.name

    @property
    def template_path(self) -> Path:
        own = self.folder / "template.json"
        return own if own.exists() else TESTS / "templates" / f"{self.folder.name}.json"

    @property
    def source(self) -> TemplateSource:
        return read_template(self.template_path)

    @property
    def samples(self) -> list[dict[str, Any]]:
        """Sample outputs: id, prefix, text, tools."""
        own = self.folder / "samples.jsonl"
        return read_rows(own if own.exists() else TESTS / "samples" / f"{self.folder.name}.jsonl")


@cache
def compiled_now(case: GoldenCase, file: str = "expected.py") -> Compilation:
    """Return what the compiler makes of a case now, for one of its files; compiled once per process."""
    return compile_source(case.source, Options.of(**FILES[file]))


def below_the_types(module: str) -> str:
    """Return the source of a module from behind its types on: what the template makes of it.

    What stands above, the header, the imports and the types, follows from the rest or from the template alone, and is
    tested by itself: tests/codegen/test_module_head.py, test_generated_typing.py.
    """
    last = LAST_OF_THE_TYPES.search(module)
    assert last is not None, "a module with no type of its events"
    return module[last.end() :]


def cases_in(folder: Path) -> list[GoldenCase]:
    """Return the cases of a folder by name."""
    return [GoldenCase(path) for path in sorted(folder.iterdir()) if path.is_dir()]


@cache
def imported(path: Path) -> ModuleType:
    """Return the module in a file, imported once."""
    name = f"golden_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Goldens:
    """Compares with files, or writes them."""

    update: bool

    def check(self, path: Path, text: str) -> None:
        """Assert that a file has this text, or give it this text."""
        self._check(path, text, lambda whole: whole)

    def check_module(self, path: Path, source: str) -> None:
        """Assert that a file has this module but for what stands above its code, or give it all of this module."""
        self._check(path, source, below_the_types)

    def _check(self, path: Path, text: str, compared: Callable[[str], str]) -> None:
        before = path.read_bytes().decode("utf-8") if path.exists() else None
        if self.update:
            if before != text:
                path.write_bytes(text.encode("utf-8"))
            return
        assert before is not None, f"{path} is missing; {UPDATE_COMMAND} writes it"
        golden, now = compared(before), compared(text)
        difference = "\n".join(
            unified_diff(golden.splitlines(), now.splitlines(), "golden", "now", lineterm="")
        )
        assert golden == now, f"{path} is not what the compiler makes now; {UPDATE_COMMAND}\n{difference}"
