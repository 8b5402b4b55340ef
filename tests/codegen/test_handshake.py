"""A compiled module asks the runtime whether it still serves it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import respc
from respc_runtime import abi
from support.committed_modules import MODULES
from support.templates import own_template

RUNTIME = Path(abi.__file__).parent
TOO_OLD = (
    "install the runtime of the respc that compiled it: `pip install ./runtime` in its checkout, or with the compiler "
    "`pip install .`"
)
TOO_NEW = "compile its template again with `respc compile`"
IMPORT_EACH = """
import runpy, sys
for path in sys.argv[1:]:
    try:
        runpy.run_path(path, run_name="my_parser")
    except ImportError as error:
        print(type(error).__name__, error)
    else:
        print("imported", path)
"""
"""Imports each module, and says on one line what came of it."""


def executed(source: str) -> ModuleType:
    module = ModuleType("my_parsers.smollm")
    exec(compile(source, "smollm.py", "exec"), module.__dict__)
    return module


@pytest.fixture(scope="module", params=["default", "serving"])
def source(request: pytest.FixtureRequest) -> str:
    return respc.compile_template(own_template("smollm"), formatted=False, events=request.param).source


def test_module_says_the_abi_it_was_compiled_for_and_is_served(source: str) -> None:
    assert f"# ABI of respc_runtime: {abi.ABI}\n" in source
    module = executed(source)
    assert module.__abi__ == abi.ABI
    assert module.parse_response("x", prefix="") == {"role": "assistant", "content": "x"}


@pytest.mark.parametrize("older", [True, False], ids=["older", "newer"])
def test_the_runtime_is_asked_before_a_name_is_missed_in_it(tmp_path: Path, older: bool) -> None:
    """A runtime of another ABI, of which only `abi.py` has what a compiled module imports."""
    copy = tmp_path / "respc_runtime"
    copy.mkdir()
    for file in RUNTIME.glob("*.py"):
        (copy / file.name).touch()
    shutil.copy(RUNTIME / "__init__.py", copy)
    served = range(abi.OLDEST_ABI - 1, abi.ABI) if older else range(abi.ABI + 1, abi.ABI + 3)
    source = (RUNTIME / "abi.py").read_text(encoding="utf-8")
    for name, number in (("ABI", served[-1]), ("OLDEST_ABI", served[0])):
        source = source.replace(f"\n{name}: Final = {getattr(abi, name)}\n", f"\n{name}: Final = {number}\n")
    (copy / "abi.py").write_text(source, encoding="utf-8")

    result = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            f"import sys; sys.path.insert(0, {str(tmp_path)!r}){IMPORT_EACH}",
            *MODULES,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    said = (
        f"ImportError my_parser was compiled for ABI {abi.ABI} of respc_runtime, and {copy / 'abi.py'} serves "
        f"{served[0]} to {served[-1]}: {TOO_OLD if older else TOO_NEW}"
    )
    assert result.stdout.splitlines() == [said] * len(MODULES)


def test_every_abi_of_the_range_is_served(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abi, "ABI", abi.ABI + 3)
    assert executed(source).parse_response("x", prefix="")["content"] == "x"
    monkeypatch.setattr(abi, "OLDEST_ABI", abi.OLDEST_ABI - 1)
    assert executed(source).parse_response("x", prefix="")["content"] == "x"


def test_a_module_that_carried_its_stream_is_told_to_be_compiled_again() -> None:
    with pytest.raises(ImportError) as refused:
        abi.require_abi(3, "my_parsers.smollm")
    assert str(refused.value) == (
        f"my_parsers.smollm was compiled for ABI 3 of respc_runtime, and {abi.__file__} serves 4 to 6: {TOO_NEW}"
    )


def test_standalone_module_asks_for_nothing() -> None:
    alone = respc.compile_template(own_template("smollm"), standalone=True, formatted=False).source
    assert "require_abi" not in alone
    assert "__abi__" not in alone
    assert "ABI" not in alone
    assert executed(alone).parse_response("x", prefix="")["content"] == "x"
