"""Where ``respc compile`` writes: a file that Python can import, or one in a folder, named after its source."""

from __future__ import annotations

from keyword import iskeyword
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

PRINTED: Final = "-"
_SUFFIX: Final = ".py"


def is_folder(output: str) -> bool:
    """Tell whether a folder was named: one that is there, or one that a slash at the end says to be one."""
    return output.endswith(("/", "\\")) or Path(output).is_dir()


def require_folder(output: str, sources: Sequence[str]) -> None:
    """Refuse to write several modules into one file, and two of them into one file of a folder."""
    if output == PRINTED:
        raise click.UsageError("one module can be printed: give a folder with -o for several SOURCEs")
    if not is_folder(output) and (output.endswith(_SUFFIX) or Path(output).exists()):
        raise click.UsageError(f"-o {output}: several SOURCEs need a folder")
    by_name: dict[str, str] = {}
    for source in sources:
        name = module_name(source)
        if name in by_name:
            raise click.UsageError(
                f"{by_name[name]} and {source} would both be {name}{_SUFFIX}: compile one of them to another file"
            )
        by_name[name] = source


def module_name(source: str) -> str:
    """Make the name of a module of a source; a usage error for standard input, which has none."""
    from respc.source import CONFIG_FILE, TEMPLATE_FILE, is_standard_input

    if is_standard_input(source):
        raise click.UsageError("standard input has no name: give a file with -o, not a folder")
    path = Path(source)
    # Models are told apart by their folders, in which these files have the same name.
    stem = path.absolute().parent.name if path.name in (CONFIG_FILE, TEMPLATE_FILE) else path.name
    if path.is_dir():
        stem = path.resolve().name
    return import_name(stem.removesuffix(".json"))


def import_name(text: str) -> str:
    """Make the nearest name that Python can import."""
    name = "".join(character if f"_{character}".isidentifier() else "_" for character in text)
    if not name.isidentifier():
        name = f"_{name}"
    return f"{name}_" if iskeyword(name) else name


def file_in(folder: str, source: str) -> str:
    """Give the file in a folder that a source is compiled to; a usage error for a source without a name."""
    return str(Path(folder) / f"{module_name(source)}{_SUFFIX}")


def require_import_name(output: str) -> None:
    """Refuse a file that no `import` finds, with a usage error."""
    path = Path(output)
    if path.exists() and not path.is_file():
        return  # a device: writing says what is wrong with it
    stem = path.name.removesuffix(_SUFFIX)
    if path.name.endswith(_SUFFIX) and stem.isidentifier() and not iskeyword(stem):
        return
    better = path.with_name(import_name(stem) + _SUFFIX)
    raise click.UsageError(
        f"-o {output}: no `import` finds a module in a file of this name: write to {better}"
    )
