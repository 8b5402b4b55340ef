"""Writing files: whole or not at all, and only when they change."""

from __future__ import annotations

import os
import stat
import tempfile
from difflib import unified_diff
from io import StringIO
from pathlib import Path
from typing import Final

_NO_LINE_END: Final = "\\ No newline at end of file"


def write_if_changed(output: str, text: str) -> bool:
    """Write a text as UTF-8 with the line ends that it has, unless the file has it already.

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
        raise OSError(0, "a folder: name a file in it" if stat.S_ISDIR(mode) else "not a regular file")
    if mode is not None and path.read_bytes() == data:
        return False
    if not path.parent.exists():
        raise OSError(0, f"there is no folder {path.parent}: make it first")
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
        FileNotFoundError: there is no such file.
        OSError: it cannot be read.
    """
    data = Path(output).read_bytes()
    if data == text.encode("utf-8"):
        return ""
    present = data.decode("utf-8", errors="replace")
    if present.splitlines() == text.splitlines():
        return f"{output}: differs in line ends or encoding\n"
    # Of a file with other line ends, every line would be in the diff.
    return text_difference(present.replace("\r\n", "\n"), text, output, f"{output} (compiled)")


def text_difference(before: str, after: str, from_name: str, to_name: str) -> str:
    """Give the unified diff from one text to another, as `patch` reads it; empty when they are the same."""
    from respc.diagnostics import visible

    lines = unified_diff(_lines(before), _lines(after), visible(from_name), visible(to_name))
    return "".join(line if line.endswith("\n") else f"{line}\n{_NO_LINE_END}\n" for line in lines)


def _lines(text: str) -> list[str]:
    """Split a text where a diff does: at line feeds alone, since others can stand in a string of JSON."""
    return StringIO(text, newline="\n").readlines()


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
