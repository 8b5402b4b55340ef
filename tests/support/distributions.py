"""Building the distributions of the project, and running what is installed of them, far from the checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from support.templates import TESTS

if TYPE_CHECKING:
    from pathlib import Path

PROJECT: Final = TESTS.parent
SOURCES: Final = {"respc": "compiler", "respc_runtime": "runtime", "respc_parsers": "generated"}
"""The folder of each package."""


def run(*command: str | Path, folder: Path, stdin: str | None = None) -> str:
    """Run a command that succeeds, and return what it prints."""
    # The paths of the checkout must not get in.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


def build(project: Path, output: Path) -> None:
    """Build the sdist of a distribution, and from that its wheel."""
    isolation = ["--no-isolation"] if find_spec("hatchling") else []
    run(sys.executable, "-m", "build", *isolation, "--outdir", output, project, folder=output)


def environment_with(folder: Path, *arguments: str | Path) -> Path:
    """Make an environment that has only what pip installs by these arguments; returns the folder of its commands."""
    environment = folder / "environment"
    venv.create(environment, with_pip=False)
    scripts = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = (sys.executable, "-m", "pip", "--python", scripts / "python", "install", "--quiet")
    run(*pip, *arguments, folder=folder)
    return scripts


def files_of_package(package: str) -> set[str]:
    """List the files of a package by their paths in a wheel."""
    root = PROJECT / SOURCES[package]
    return {
        path.relative_to(root).as_posix()
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
