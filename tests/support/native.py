"""Extensions in place of the modules that `respc.load` makes, for the checks that all modules have to pass."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import pytest

import respc
from respc.native import build_native, extension_beside, why_not_native
from support import fuzzing, oracle, stability

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from types import ModuleType

    from support.oracle import Template

_load = respc.load

MISSING = why_not_native()
needs_compiler = pytest.mark.skipif(MISSING is not None, reason=f"no extension can be built here: {MISSING}")


@cache
def folder() -> Path:
    """Return the folder of the extensions of this process; its modules can be imported, and so pickled."""
    made = tempfile.mkdtemp(prefix="respc-native-tests-")
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    sys.path.append(made)
    return Path(made)


@cache
def _built(text: str, events: str, stable: bool | None, passes: tuple[str, ...] | None) -> ModuleType:
    name = f"native_parser_{_built.cache_info().misses}"
    output = folder() / f"{name}.py"
    with patch.dict(
        os.environ, MYPYC_OPT_LEVEL="0"
    ):  # what is built does the same, and is built in half the time
        build_native(json.loads(text), output, events=events, stable=stable, passes=passes)
    return loaded(extension_beside(output), name)


def loaded(extension: Path, name: str) -> ModuleType:
    """Import an extension by a name."""
    spec = spec_from_file_location(name, extension)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def native_module(
    template: Template,
    *,
    name: str = "<template>",
    passes: Collection[str] | None = None,
    events: str = "default",
    stable: bool | None = None,
) -> ModuleType:
    """Build the extension of a template and load it, once per process; called as `respc.load`."""
    if stable is None:
        stable = events == "serving"
    return _built(json.dumps(template), events, stable, None if passes is None else tuple(passes))


def pure_module(template: Template, events: str = "default") -> ModuleType:
    """Return what `respc.load` makes."""
    return _load(template, events=events)


@contextmanager
def native_modules(*bases: Template) -> Iterator[None]:
    """Let what the checks load be extensions, and fuzzing begin with some templates, each in two forms."""
    caches: list[Any] = [oracle._compiled, stability._stable, fuzzing.module_of_base]
    for each in caches:
        each.cache_clear()
    try:
        with (
            patch.object(respc, "load", native_module, create=True),
            patch.object(fuzzing, "bases", lambda: [json.dumps(base) for base in bases]),
            patch.object(fuzzing, "FORMS", (("default", False), ("serving", True)) * 2),
        ):
            yield
    finally:
        for each in caches:
            each.cache_clear()
