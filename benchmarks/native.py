"""Extensions of the measured families, for ``python -m benchmarks --only modules --build benchmarks.native:built``."""

from __future__ import annotations

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from respc.native import build_native

if TYPE_CHECKING:
    from types import ModuleType

    from benchmarks.families import Family


def built(family: Family) -> ModuleType:
    """Build the extension of a family, and load it."""
    name = re.sub(r"\W", "_", f"{family.name}_parser")
    with TemporaryDirectory(prefix="respc-benchmarks-", ignore_cleanup_errors=True) as folder:
        extension = build_native(family.template, Path(folder, f"{name}.py"), name=family.name)
        spec = spec_from_file_location(name, extension)
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    return module
