"""The files that a command reads, over which it never writes."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from respc.cli.terminal import Failure, file_failure

if TYPE_CHECKING:
    from collections.abc import Iterable


def files_of_source(source: str) -> list[str]:
    """Name the files that a SOURCE can be read from, with "-" for standard input: for all else a file or a folder."""
    from respc.cli.sources import is_family_name
    from respc.families import family_file
    from respc.source import CONFIG_FILE, TEMPLATE_FILE, is_standard_input

    if is_standard_input(source):
        return ["-", source]
    if is_family_name(source):
        return [str(family_file(source))]
    return [source, *(str(Path(source) / name) for name in (CONFIG_FILE, TEMPLATE_FILE))]


def require_another_file(output: str | None, inputs: Iterable[tuple[str, str]]) -> None:
    """Refuse to write over a file that is read, however the two are spelt.

    Args:
        output: the path of what is to be written; "-" and None are standard output.
        inputs: what the command calls each file that it reads, and the path; "-" is standard input.

    Raises:
        Failure: it is one of them, or cannot be looked at.
    """
    from respc.diagnostics import visible

    prints = output is None or output == "-"
    written = _of_stream(sys.stdout) if prints else _of_file(output or "")
    if written is None:
        return
    for name, path in inputs:
        read = _of_stream(sys.stdin) if path == "-" else _of_file(path)
        if read is not None and os.path.samestat(written, read):
            shown = "standard output" if prints else output or ""
            raise Failure(visible(f"{shown}: is {name} itself: write to another file"))


def _of_file(path: str) -> os.stat_result | None:
    """Give the identity of a file, links followed; None where there is none."""
    try:
        return _if_regular(Path(path).stat())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:  # a name that is too long, or has a NUL in it
        if isinstance(error, OSError):
            raise file_failure(path, error) from error
        raise Failure(f"{path!r}: {error}") from error


def _of_stream(stream: IO[Any] | None) -> os.stat_result | None:
    """Give the identity of the file that a stream was redirected to; None for any other stream."""
    try:
        return None if stream is None else _if_regular(os.fstat(stream.fileno()))
    except (OSError, ValueError, AttributeError):  # no stream of the system
        return None


def _if_regular(found: os.stat_result) -> os.stat_result | None:
    # A terminal is standard input and standard output at once, and loses nothing.
    return found if stat.S_ISREG(found.st_mode) else None
