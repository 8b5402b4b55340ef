"""``respc compile --native`` and `respc.build_native`: what lies where, what is said, and the exit codes."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import sysconfig
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner, Result

import respc
from respc.cli import main
from respc.native import building, extension_beside, is_built_of, why_not_native
from respc.native.form import native_form
from support.native import needs_compiler

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE: dict[str, Any] = {
    "defaults": {"role": "assistant"},
    "start_anchor": "<|assistant|>",
    "fields": {
        "thought": {"open": "<think>", "close": "</think>"},
        "content": {"repeats": True, "join": "\n"},
    },
}
ANOTHER = "from __future__ import annotations\n\nx = 1\n"


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["compile", *map(str, arguments)])


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    return path


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "model_parser.py"


def standing_in(output: Path, source: str) -> Path:
    """Write what looks like the extension of a module."""
    extension = extension_beside(output)
    extension.write_bytes(b"\x7fELF" + native_form(source).encode("utf-8"))
    return extension


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("mypyc", "mypyc is not installed: pip install 'mypy[mypyc]>=2.4'"),
        ("setuptools", "setuptools is not installed: pip install setuptools"),
    ],
)
def test_without_what_it_needs_the_module_is_written_and_the_command_fails(
    source: Path, out: Path, monkeypatch: pytest.MonkeyPatch, missing: str, said: str
) -> None:
    monkeypatch.setattr(building, "find_spec", lambda name: None if name == missing else object())
    result = run(source, "--native", "-o", out)
    assert result.exit_code == 2
    assert f"warning: no extension was built, {out} is imported as Python: {said}" in result.stderr
    assert (
        out.read_text(encoding="utf-8")
        == respc.compile_template(TEMPLATE, name=source.name, standalone=True).source
    )
    assert not extension_beside(out).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="there setuptools looks for the compiler")
def test_without_a_compiler_too(source: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "find_spec", lambda name: object())
    monkeypatch.setenv("CC", "no-such-compiler -O2")
    result = run(source, "--native", "-o", out)
    assert result.exit_code == 2
    assert "there is no C compiler: no-such-compiler is not found" in result.stderr
    assert out.is_file()
    with pytest.raises(respc.NativeError, match="no C compiler"):
        respc.build_native(TEMPLATE, out)


@needs_compiler
def test_what_a_compiler_that_fails_said_is_shown(
    out: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    failing = tmp_path / "failing-compiler"
    failing.write_text("#!/bin/sh\necho 'out of paper' >&2\nexit 1\n", encoding="utf-8")
    failing.chmod(0o755)
    monkeypatch.setenv("CC", str(failing))
    with pytest.raises(respc.NativeError, match="out of paper"):
        respc.build_native(TEMPLATE, out)
    assert {path.name for path in tmp_path.iterdir()} == {failing.name, out.name}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("-", "name one with -o"),
        ("parser", "give a name such as my_parser.py"),
        ("my-parser.py", "give a name such as my_parser.py"),
        ("json.py", "the standard library has a module json"),
    ],
)
def test_names_that_no_extension_can_have_are_refused(
    source: Path, tmp_path: Path, name: str, said: str
) -> None:
    result = run(source, "--native", "-o", name if name == "-" else tmp_path / name)
    assert result.exit_code == 2
    assert said in result.stderr
    assert list(tmp_path.iterdir()) == [source]


def test_a_module_behind_the_extension_of_another_is_warned_of(source: Path, out: Path) -> None:
    extension = standing_in(out, ANOTHER)
    result = run(source, "-o", out)
    assert result.exit_code == 0
    assert f"warning: {extension}: Python imports it in place of {out}" in result.stderr


def test_check_looks_at_the_extension_too(source: Path, out: Path) -> None:
    assert run(source, "--standalone", "-o", out).exit_code == 0
    result = run(source, "--native", "--check", "-o", out)
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{extension_beside(out)}: is missing" in result.stderr
    standing_in(out, ANOTHER)
    result = run(source, "--native", "--check", "-o", out)
    assert result.exit_code == 1
    assert f"{extension_beside(out)}: was built of something else" in result.stderr
    standing_in(out, out.read_text(encoding="utf-8"))
    assert run(source, "--native", "--check", "-o", out).exit_code == 0


def test_an_extension_of_the_same_source_is_left_alone(source: Path, out: Path) -> None:
    assert run(source, "--standalone", "-o", out).exit_code == 0
    extension = standing_in(out, out.read_text(encoding="utf-8"))
    before = extension.stat()
    result = run(source, "--native", "-o", out)
    assert result.exit_code == 0
    assert f"{extension}: unchanged" in result.stderr
    after = extension.stat()  # it was read, which may show in its times
    assert (after.st_ino, after.st_mtime_ns, after.st_size) == (
        before.st_ino,
        before.st_mtime_ns,
        before.st_size,
    )


@needs_compiler
def test_in_a_package_it_is_imported_and_pickled_by_its_whole_name(source: Path, tmp_path: Path) -> None:
    package = tmp_path / "models" / "parsers"
    package.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").touch()
    out = package / "model_parser.py"
    result = run(source, "--native", "-o", out)
    assert result.exit_code == 0, result.stderr
    extension = extension_beside(out)
    assert result.stderr.endswith(f"{out}: written\n{extension}: written\n")
    assert is_built_of(extension, out.read_text(encoding="utf-8"))
    assert {path.name for path in package.iterdir()} == {"__init__.py", out.name, extension.name}
    script = (
        "import pickle, sys, models.parsers.model_parser as module\n"
        "parser = module.ResponseParser('')\n"
        "parser.feed('<think>a')\n"
        "message = pickle.loads(pickle.dumps(parser)).finalize()[0]\n"
        "error = pickle.loads(pickle.dumps(module.MissingFieldError('x')))\n"
        "told = module.__file__, module.__name__, type(error).__module__, str(error), message\n"
        "sys.stdout.buffer.write(pickle.dumps(told))\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    name = "models.parsers.model_parser"
    told = (
        name,
        name,
        "the response ended without its required fields: 'x'",
        {"role": "assistant", "thought": "a"},
    )
    assert pickle.loads(ran.stdout) == (str(extension), *told)
    # Without its extension the module does the same.
    extension.unlink()
    ran = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, check=True)
    assert pickle.loads(ran.stdout) == (str(out), *told)


def test_what_is_missing_is_told_before_anything_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "find_spec", lambda name: object())
    monkeypatch.setattr(sysconfig, "get_path", lambda name: "/nowhere")
    monkeypatch.setenv("CC", sys.executable)
    assert "Python.h" in str(why_not_native())
