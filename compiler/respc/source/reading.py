"""Reading the bytes of a template: of a file or of an open descriptor, and never more than a template may have."""

from __future__ import annotations

import io
import os
import re
import stat
import sys
from pathlib import Path
from typing import BinaryIO, Final, cast

from respc.source.sizes import MAX_BYTES

STDIN_NAME: Final = "<stdin>"

# How systems name what a process has open: shells write `/dev/fd/63` in place of `<(command)`.
_DESCRIPTOR: Final = re.compile(r"/dev/fd/(\d+)|/proc/self/fd/(\d+)")
_STDIN_PATH: Final = "/dev/stdin"


class SourceFileError(OSError):
    """A file or folder that a template cannot be read from, for the reason given."""

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


class TooLargeError(ValueError):
    """A file or stream of more bytes than are read; the message says how many those are."""

    def __init__(self) -> None:
        super().__init__(f"there are more than {MAX_BYTES:,} bytes")


def standard_input() -> BinaryIO | None:
    """Give standard input as bytes, also where it was replaced by a stream of text; None where there is none."""
    if sys.stdin is None:
        return None
    buffer = getattr(sys.stdin, "buffer", None)
    if buffer is None:
        return io.BytesIO(sys.stdin.read().encode("utf-8", errors="surrogateescape"))
    return cast("BinaryIO", buffer)


def is_standard_input(path: str) -> bool:
    """Tell whether a path is one of the names of standard input."""
    return path == "-" or descriptor_of(path) == 0


def descriptor_of(path: str) -> int | None:
    """Give the number of the open descriptor that a path names; None where it names none."""
    normal = os.path.normpath(path)
    if normal == _STDIN_PATH:
        return 0
    found = _DESCRIPTOR.fullmatch(normal)
    return None if found is None else int(found[1] or found[2])


def kind_of(path: str, *, missing_allowed: bool = False) -> int | None:
    """Return the type bits of what is at ``path``, or None if there is nothing and that is allowed."""
    try:
        return stat.S_IFMT(Path(path).stat().st_mode)
    except FileNotFoundError:
        if missing_allowed:
            return None
        raise SourceFileError(path, "no such file or folder") from None
    except OSError as error:
        raise SourceFileError(path, error.strerror or str(error)) from error
    except ValueError as error:  # a NUL in the path
        raise SourceFileError(path, str(error)) from error


def read_file(path: str) -> bytes:
    """Read a regular file, or what a descriptor gives.

    Raises:
        SourceFileError: it is neither, or cannot be read.
        TooLargeError: it is larger than a template may be.
    """
    try:
        if kind_of(path) == stat.S_IFREG:
            with Path(path).open("rb") as file:
                return _bounded(file)
        descriptor = descriptor_of(path)
        # Opening any other pipe or device could wait for ever.
        if descriptor is None:
            raise SourceFileError(path, "not a regular file (use `-` to read standard input)")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return _bounded(file)
    except SourceFileError:
        raise
    except OSError as error:
        raise SourceFileError(path, error.strerror or str(error)) from error


def read_stream(stream: BinaryIO | None) -> bytes:
    """Read standard input.

    Raises:
        SourceFileError: it is closed, or cannot be read.
        TooLargeError: there is more than a template may have.
    """
    if stream is None:
        raise SourceFileError(STDIN_NAME, "closed")
    try:
        return _bounded(stream)
    except OSError as error:
        raise SourceFileError(STDIN_NAME, error.strerror or str(error)) from error


def _bounded(file: BinaryIO) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise TooLargeError
    return data
