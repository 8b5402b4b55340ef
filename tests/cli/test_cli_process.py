"""The command as a process: ``python -m respc``, streams and encodings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import respc
from support.devices import needs_full_device, run_into_full_device

if TYPE_CHECKING:
    from pathlib import Path

TEMPLATE = {
    "start_anchor": "A",
    "fields": {
        "été 字": {"open_pattern": r"<é{1,2}\s" + "字" * 80, "close": "»"},
        "content": {"close": "…" * 50, "repeats": True, "join": "\n"},
    },
}


def run(*arguments: str, stdin: bytes = b"", **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "respc", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **environment},
        timeout=120,
        check=False,
    )


def test_from_standard_input_to_standard_output() -> None:
    result = run("compile", "-", "-o", "-", stdin=json.dumps(TEMPLATE).encode())
    assert result.returncode == 0, result.stderr
    expected = respc.compile_template(TEMPLATE, name="<stdin>").source
    assert result.stdout == expected.encode("utf-8")
    assert result.stderr == b""


def test_a_terminal_that_knows_ascii_alone_changes_nothing_that_is_written(tmp_path: Path) -> None:
    source, out = tmp_path / "m.json", tmp_path / "m.py"
    source.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    environment = {"PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    out.touch()
    stale = run("compile", str(source), "-o", str(out), "--check", **environment)
    assert stale.returncode == 1
    assert stale.stdout.startswith(b"--- "), stale.stderr
    assert run("compile", str(source), "-o", str(out), **environment).returncode == 0
    assert out.read_text(encoding="utf-8") == respc.compile_template(TEMPLATE, name="m.json").source


def test_the_module_is_the_same_under_any_hash_seed(tmp_path: Path) -> None:
    source = tmp_path / "m.json"
    source.write_text(json.dumps(TEMPLATE), encoding="utf-8")
    printed = {run("compile", str(source), "-o", "-", PYTHONHASHSEED=seed).stdout for seed in ("0", "1")}
    assert len(printed) == 1
    assert printed != {b""}


def test_help_needs_neither_black_nor_jinja() -> None:
    script = (
        "import sys\n"
        "from respc.cli import main\n"
        "try:\n    main(['compile', '--help'])\n"
        "finally:\n"
        "    slow = {'black', 'jinja2', 'regex', 'rich'} & set(sys.modules)\n"
        "    print(sorted(slow), file=sys.stderr)\n"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False, timeout=60)
    assert result.returncode == 0
    assert b"--standalone" in result.stdout
    assert result.stderr.strip() == b"[]"


@needs_full_device
@pytest.mark.parametrize(
    "arguments", [("compile", "-", "-o", "-"), ("explain", "RT109"), ("schema",)], ids=" ".join
)
def test_a_full_device_is_a_file_error(arguments: tuple[str, ...]) -> None:
    result = run_into_full_device(*arguments, stdin=json.dumps(TEMPLATE).encode())
    assert result.returncode == 2
    assert result.stderr.startswith(b"Error: standard output: ")
