"""Writing files: whole or not at all, and only when they change."""

from __future__ import annotations

import os
import stat
import tempfile
from difflib import unified_diff
from pathlib import Path


def write_if_changed(output: str, text: str) -> bool:
    """Write a text as UTF-8 with LF line ends, unless the file has it already.

    The file is replaced in one step, so that nobody ever reads half of it; a link is followed.

    Returns:
        Whether the file was written.

    Raises:
        OSError: it cannot be written; what was there is as it was.
    """
    path = Path(os.path.realpath(output))
    data = text.encode("utf-8")
    mode = _mode(path)
    if mode is not None and not stat.S_ISREG(mode):
        raise OSError(0, "not a regular file")
    if mode is not None and path.read_bytes() == data:
        return False
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(_default_mode() if mode is None else stat.S_IMODE(mode))
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return True


def difference(output: str, text: str) -> str:
    """Give the unified diff from a file to what it should be; empty when it is that.

    Raises:
        OSError: the file is there but cannot be read.
    """
    path = Path(output)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return text_difference("", text, "/dev/null", output)
    if data == text.encode("utf-8"):
        return ""
    present = data.decode("utf-8", errors="replace")
    return (
        text_difference(present, text, output, f"{output} (compiled)")
        or f"{output}: differs in line ends or encoding\n"
    )


def text_difference(before: str, after: str, from_name: str, to_name: str) -> str:
    """Give the unified diff from one text to another; empty when only line ends differ."""
    lines = unified_diff(before.splitlines(), after.splitlines(), from_name, to_name, lineterm="")
    return "".join(f"{line}\n" for line in lines)


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _default_mode() -> int:
    """Give the mode that a new file gets; temporary files are made readable by their owner alone."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
