"""What an exit code says, the same for every command."""

from __future__ import annotations

from typing import Final

DONE: Final = 0
REFUSED_OR_STALE: Final = 1
"""The template has errors, or a file is not what it should be."""

FAILED: Final = 2
"""The command was used wrongly, or a file could not be read or written."""

INTERRUPTED: Final = 130
"""Ctrl-C, as shells count it: 128 and the number of the signal."""
