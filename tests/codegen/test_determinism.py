"""The same template gives the same bytes: under any hash seed, from any directory."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support.templates import TESTS, own_names

if TYPE_CHECKING:
    from pathlib import Path

COMPILE_ALL = """
import hashlib, sys
from respc.driver import compile_source
from respc.options import Options
from respc.source import read_template
digest = hashlib.sha256()
for path in sys.argv[1:]:
    for standalone in (False, True):
        compilation = compile_source(read_template(path), Options.of(standalone=standalone, formatted=False))
        digest.update(compilation.source.encode())
print(digest.hexdigest())
"""
COMPILE_ONE = """
import sys
from respc.__main__ import main
main(["compile", sys.argv[1], "-o", "-", *sys.argv[2:]])
"""
PATHS = [TESTS / "templates" / f"{name}.json" for name in own_names()]


def run(script: str, *arguments: str, seed: str = "0", folder: Path = TESTS) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, "-c", script, *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout


def test_hash_seed_makes_no_difference() -> None:
    paths = [str(path) for path in PATHS]
    digests = {run(COMPILE_ALL, *paths, seed=seed) for seed in ("0", "1", "4242")}
    assert len(digests) == 1
    assert digests != {f"{hashlib.sha256().hexdigest()}\n"}


@pytest.mark.parametrize(
    "options", [(), pytest.param(("--standalone",), marks=pytest.mark.long)], ids=["plain", "standalone"]
)
def test_directory_makes_no_difference(options: tuple[str, ...], tmp_path: Path) -> None:
    template = TESTS / "templates" / "lfm_calls.json"
    copied = tmp_path / "lfm_calls.json"
    copied.write_bytes(template.read_bytes())
    here = run(COMPILE_ONE, str(template), *options, seed="1")
    there = run(COMPILE_ONE, "lfm_calls.json", *options, seed="2", folder=tmp_path)
    assert here == there
    assert "class ResponseParser" in here
    assert str(tmp_path) not in there


def test_order_of_compilations_makes_no_difference() -> None:
    paths = [str(path) for path in PATHS[:3]]
    compile_another = "import respc; respc.load({'start_anchor': 'a', 'fields': {'b': {}}})"
    assert run(COMPILE_ALL, *paths) == run(compile_another + COMPILE_ALL, *paths)
