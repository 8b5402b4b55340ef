"""Building the extension of a module."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from respc.driver import compile_source
from respc.native.form import native_form
from respc.native.naming import extension_beside, is_built_of, why_no_module
from respc.options import Options
from respc.source import template_from_dict

if TYPE_CHECKING:
    from collections.abc import Collection

_LAST_LINES: Final = 20
_NEEDED: Final = {"mypyc": "'mypy[mypyc]>=2.4'", "setuptools": "setuptools"}
"""What extensions are built with, and how pip is told of it."""


class NativeError(Exception):
    """No extension was built; says why, and what to do."""


def why_not_native() -> str | None:
    """Tell what is missing here to build extensions, and how to get it; None if nothing is."""
    for package, requirement in _NEEDED.items():
        if find_spec(package) is None:
            return f"{package} is not installed: pip install {requirement}"
    command = os.environ.get("CC") or sysconfig.get_config_var("CC")
    if not command:  # on Windows setuptools looks for the compiler
        return None
    compiler = shlex.split(command)[0]
    if shutil.which(compiler) is None:
        return f"there is no C compiler: {compiler} is not found; install one, or name one with CC"
    header = Path(sysconfig.get_path("include"), "Python.h")
    if not header.is_file():
        return f"the headers of Python are missing: there is no {header.name}; install Python's development files"
    return None


def build_native(
    template: object,
    output: str | Path,
    *,
    name: str = "<template>",
    passes: Collection[str] | None = None,
    events: str = "default",
    stable: bool | None = None,
    strict_bodies: bool = False,
    closers_in_strings: bool = False,
) -> Path:
    """Compile a response template to a standalone module, and build its extension beside it.

    Args:
        template: as for `compile_template`.
        output: the module to write, ``my_parser.py``.
        name: as for `compile_template`.
        passes: as for `compile_template`.
        events: as for `compile_template`.
        stable: as for `compile_template`.
        strict_bodies: as for `compile_template`.
        closers_in_strings: as for `compile_template`.

    Returns:
        The path of the extension.

    Raises:
        TemplateError: as `compile_template`.
        NativeError: no extension could be built; the module is there.
        OSError: a file cannot be written.
    """
    options = Options.of(
        events=events,
        stable=stable,
        passes=passes,
        standalone=True,
        strict_bodies=strict_bodies,
        closers_in_strings=closers_in_strings,
    )
    source = compile_source(template_from_dict(template, name), options).source
    path = Path(output)
    path.write_bytes(source.encode("utf-8"))
    build_extension(source, path)
    return extension_beside(path)


def build_extension(source: str, output: Path) -> bool:
    """Build the extension of a standalone module, unless it is there and was built of the same source.

    Args:
        source: the module.
        output: where it lies.

    Returns:
        Whether it was built.

    Raises:
        NativeError: it could not be.
        OSError: it cannot be written.
    """
    target = extension_beside(output)
    if is_built_of(target, source):
        return False
    if (problem := why_no_module(output) or why_not_native()) is not None:
        raise NativeError(problem)
    with tempfile.TemporaryDirectory(prefix="respc-native-") as folder:
        built = _compiled(native_form(source), output.stem, Path(folder))
        _place(built, target)
    return True


def _compiled(form: str, name: str, folder: Path) -> Path:
    """Compile a source to an extension of a name, and give the file."""
    sources, built = folder / "sources", folder / "built"
    sources.mkdir()
    built.mkdir()
    file = f"{name}.py"
    (sources / file).write_bytes(form.encode("utf-8"))
    run = subprocess.run(
        [sys.executable, "-m", "respc.native.compiling", str(sources), file, str(built)],
        cwd=built,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    extension = extension_beside(built / file)
    if run.returncode or not extension.is_file():
        said = "\n".join(run.stdout.splitlines()[-_LAST_LINES:])
        raise NativeError(f"mypyc or the C compiler failed. The last that they said:\n{said}")
    return extension


def _place(built: Path, target: Path) -> None:
    """Put an extension where it is to lie in one step: a process that has the former one loaded keeps that."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".tmp")
    os.close(handle)
    try:
        shutil.copy(built, temporary)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
