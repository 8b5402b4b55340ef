"""What only some systems have: a device that is full, signals and terminals of POSIX."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

FULL = Path("/dev/full")

needs_full_device = pytest.mark.skipif(not FULL.exists(), reason="only Linux has a device that is full")
needs_posix = pytest.mark.skipif(
    os.name == "nt", reason="Windows has no signals and pseudo-terminals like these"
)


def run_into_full_device(*arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Run `respc` with a standard output that takes nothing."""
    with FULL.open("wb") as full:
        return subprocess.run(
            [sys.executable, "-m", "respc", *arguments],
            input=stdin,
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            timeout=120,
        )
