"""Going on where an interrupted run ended: what of its output is whole, and how many rows that is."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from respc.corpora.errors import CorpusError
from respc.corpora.writing import output_form

_CHUNK: Final = 1 << 20
_GZIP_FORMAT: Final = 31
"""What zlib calls a window of the largest size in a member of gzip."""


@dataclass(frozen=True, slots=True)
class ResumePoint:
    """How much of an output is whole.

    Attributes:
        rows: the rows in it.
        failed: how many of them say that they failed.
        size: their size in the file, in bytes; what follows is to be cut off.
    """

    rows: int = 0
    failed: int = 0
    size: int = 0


def resume_point(path: str, error_key: str) -> ResumePoint:
    """Find out how much of an output is whole; nothing of one that is not there.

    In JSON lines a row is whole when its line is. Compressed, it is when its member of the file is: half a member is
    cut off with all its rows, which are parsed again.

    Raises:
        CorpusError: it cannot be read, or a run of `respc parse` did not write it.
    """
    if output_form(path) == "parquet":
        raise CorpusError(
            f"{path}: a Parquet file cannot be resumed, as it is none before its end is written: "
            "write .jsonl or .jsonl.gz"
        )
    try:
        if not Path(path).exists():
            return ResumePoint()
        if not Path(path).is_file():
            raise CorpusError(f"{path}: not a regular file, so there is nothing to resume")
        with Path(path).open("rb") as file:
            rows = _WholeRows(error_key)
            return rows.of_members(file, path) if output_form(path) == "jsonl.gz" else rows.of_lines(file)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error


def cut_off(path: str, point: ResumePoint) -> None:
    """Cut off what follows the whole rows; CorpusError where the file cannot be written."""
    try:
        if Path(path).exists():
            os.truncate(path, point.size)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error


class _WholeRows:
    """Counts lines as they come, in pieces of any size."""

    def __init__(self, error_key: str) -> None:
        self._error_key = error_key
        # As it is written, so that only lines that have it somewhere are read as JSON.
        self._written_key = json.dumps(error_key, ensure_ascii=False).encode("utf-8", "surrogatepass")
        self._begun = b""
        self._rows = 0
        self._failed = 0

    def of_lines(self, file: BinaryIO) -> ResumePoint:
        size = 0
        while chunk := file.read(_CHUNK):
            size += len(chunk)
            self._take(chunk)
        return ResumePoint(self._rows, self._failed, size - len(self._begun))

    def of_members(self, file: BinaryIO, path: str) -> ResumePoint:
        point = ResumePoint()
        waiting = file.read(_CHUNK)
        while waiting:
            member = zlib.decompressobj(wbits=_GZIP_FORMAT)
            while not member.eof:
                if not waiting:
                    return point
                try:
                    self._take(member.decompress(waiting, _CHUNK))
                except zlib.error as error:
                    raise CorpusError(
                        f"{path}: cannot be resumed: not gzip after byte {point.size}"
                    ) from error
                waiting = member.unconsumed_tail or (b"" if member.eof else file.read(_CHUNK))
            waiting = member.unused_data or file.read(_CHUNK)
            if self._begun:
                raise CorpusError(f"{path}: cannot be resumed: a member of it ends within a line")
            point = ResumePoint(self._rows, self._failed, file.tell() - len(waiting))
        return point

    def _take(self, chunk: bytes) -> None:
        *whole, self._begun = (self._begun + chunk).split(b"\n")
        self._rows += len(whole)
        self._failed += sum(map(self._says_failed, whole))

    def _says_failed(self, line: bytes) -> bool:
        if self._written_key not in line:
            return False
        try:
            return self._error_key in json.loads(line)
        except ValueError:
            return False
        except RecursionError:  # a row may be nested as deep as whoever wrote it could go, and no deeper
            return self._written_key + b': {"class": ' in line
