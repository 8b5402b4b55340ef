"""The Python files of serving engines, out of their wheels, which pip fetches. Nothing of the engines is installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock

if TYPE_CHECKING:
    from types import ModuleType

FOLDER_VARIABLE: Final = "RESPC_ENGINE_WHEELS"
"""Names the folder of the wheels, which are downloaded to where they are missing; else pytest's cache has them."""

# The files are Python and the same in every wheel of a release: one platform does for all.
_PLATFORMS: Final = (
    *("--platform", "manylinux_2_34_x86_64", "--platform", "manylinux_2_28_x86_64"),
    *("--implementation", "cp", "--abi", "cp311", "--abi", "abi3", "--python-version", "3.11"),
)
_MOST_SECONDS: Final = 120


@dataclass(frozen=True)
class Engine:
    """A release of a serving engine, and where in it the copy of the interpreter and what uses it are."""

    name: str
    version: str
    parsers: str
    adapter: str
    files: tuple[str, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def package(self) -> str:
        """The package that is the copy of the interpreter."""
        return f"{self.parsers}.chat_parsing"


ENGINES: Final = (
    Engine(
        "vllm",
        "0.33.0",
        "vllm.parser",
        "vllm.parser.response_template",
        ("vllm/parser/", "vllm/reasoning/", "vllm/tool_parsers/"),
    ),
    Engine(
        "sglang",
        "0.5.23",
        "sglang.srt.parser",
        "sglang.srt.parser.response_template",
        ("sglang/srt/parser/", "sglang/srt/function_call/", "sglang/srt/plugins/"),
    ),
)


class NoWheelError(Exception):
    """A wheel cannot be had; the message is pip's."""


def sources_of(engine: Engine, folder: Path) -> Path:
    """Return a folder with the Python files of an engine, which are taken out of its wheel the first time.

    Raises:
        NoWheelError: the wheel is not in the folder, and pip cannot fetch it.
    """
    sources = folder / f"{engine.name}-{engine.version}"
    folder.mkdir(parents=True, exist_ok=True)
    # The processes that run tests are several, and one download does for all.
    with FileLock(folder / f"{engine.name}.lock"):
        # Files that were not needed before can be missing.
        if not all(sources.joinpath(part).is_dir() for part in engine.files):
            shutil.rmtree(sources, ignore_errors=True)
            _unpack(engine, folder, sources)
    return sources


def _unpack(engine: Engine, folder: Path, sources: Path) -> None:
    """Take the files out of the wheel; they are there at once or not at all."""
    with tempfile.TemporaryDirectory(dir=folder) as made:
        found = list(folder.glob(f"{engine.name}-{engine.version}-*.whl"))
        wheel = found[0] if found else _fetched(engine, Path(made))
        unpacked = Path(made) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if name.startswith(engine.files)]
            archive.extractall(unpacked, [name for name in names if name.endswith(".py")])
        shutil.rmtree(sources, ignore_errors=True)
        unpacked.rename(sources)


def _fetched(engine: Engine, folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--only-binary", ":all:", "--retries", "1", "--dest", str(folder), *_PLATFORMS]
    try:
        result = subprocess.run(
            [*command, *options, f"{engine.name}=={engine.version}"],
            capture_output=True,
            text=True,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NoWheelError(f"pip needed more than {_MOST_SECONDS} seconds for it") from None
    wheels = list(folder.glob("*.whl"))
    if result.returncode != 0 or not wheels:
        raise NoWheelError((result.stderr.strip() or "pip said nothing").splitlines()[-1])
    return wheels[0]


def wheels_folder(of_pytest: Path) -> Path:
    """Return the folder that wheels are kept in."""
    named = os.environ.get(FOLDER_VARIABLE)
    return Path(named) if named else of_pytest


def loaded_copy(engine: Engine, sources: Path) -> ModuleType:
    """Import the engine's copy of the interpreter under a name of its own, without the engine around it."""
    folder = sources.joinpath(*engine.package.split("."))
    name = f"copy_of_{engine.name}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
