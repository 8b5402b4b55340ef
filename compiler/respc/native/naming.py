"""Where the extension of a module lies, what it can be called, and what it was built of."""

from __future__ import annotations

import sys
import sysconfig
from hashlib import sha256
from keyword import iskeyword
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

_SUFFIX: Final[str] = sysconfig.get_config_var("EXT_SUFFIX") or ".so"


def extension_beside(output: Path) -> Path:
    """Give the path of the extension of a module: that which this Python would import in place of the module."""
    return output.with_name(output.stem + _SUFFIX)


def why_no_module(output: Path) -> str | None:
    """Tell why no extension can have the name of a file; None if one can."""
    name = output.stem
    if output.suffix != ".py" or not name.isidentifier() or iskeyword(name):
        return "an extension is imported by the name of its file: give a name such as my_parser.py"
    if name in sys.stdlib_module_names:
        return f"the standard library has a module {name}: give another name"
    return None


def digest_of(source: str) -> str:
    """Give what an extension says that it was built of: the sha256 of the standalone module."""
    return sha256(source.encode("utf-8")).hexdigest()


def is_built_of(extension: Path, source: str) -> bool:
    """Tell whether an extension is there and was built of a source; it is read, not run."""
    return extension.is_file() and digest_of(source).encode("ascii") in extension.read_bytes()
