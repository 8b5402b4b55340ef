"""Processes that a command has started, looked up where Linux shows them."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

PROCESSES: Final = Path("/proc/self/stat")
"""Exists where the others can be looked up."""


def children_of(parent: int) -> list[int]:
    """Return the processes that one has started and that run."""
    running = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [pid for pid in running if _parent_of(pid) == parent]


def workers_of(parent: int) -> list[int]:
    """Return those that parse: `multiprocessing` starts a process of its own besides."""
    return [pid for pid in children_of(parent) if b"spawn_main" in _command_of(pid)]


def runs(pid: int) -> bool:
    """Tell whether a process runs, not only waits for somebody to ask how it ended."""
    return _parent_of(pid) is not None


def wait_until(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait for what has to become true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"nothing happened in {seconds:.0f} seconds"
        time.sleep(0.02)


def _parent_of(pid: int) -> int | None:
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:2]
    except OSError:
        return None
    return None if state == "Z" else int(parent)


def _command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
