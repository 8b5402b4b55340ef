"""Writing batches: to standard output, to JSON lines, also compressed, and to Parquet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from errno import EISDIR
from os import strerror
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeAlias

from respc.corpora.errors import CorpusError
from respc.corpora.tables import pyarrow

if TYPE_CHECKING:
    from respc.corpora.rows import ParsedBatch

OutputForm: TypeAlias = Literal["jsonl", "jsonl.gz", "parquet"]

_GROUP_ROWS: Final = 1 << 16
_GROUP_BYTES: Final = 1 << 24
"""A row group ends at whichever comes first: long ones read well, and memory stays bounded."""


def output_form(path: str | None) -> OutputForm:
    """Tell by its extension what to write to a file; None is standard output."""
    if path is not None and path.endswith(".gz"):
        return "jsonl.gz"
    if path is not None and path.endswith(".parquet"):
        return "parquet"
    return "jsonl"


class RowWriter(ABC):
    """Writes parsed batches, in the order in which they come."""

    @abstractmethod
    def write(self, batch: ParsedBatch) -> None:
        """Write a batch whole; CorpusError where that fails."""

    @abstractmethod
    def close(self, *, complete: bool) -> None:
        """End the file; `complete` says that all rows are written."""


def open_output(path: str | None, stdout: BinaryIO | None = None, *, append: bool = False) -> RowWriter:
    """Open an output, which is emptied unless rows are appended; None is standard output.

    Raises:
        CorpusError: it cannot be written.
    """
    if path is None:
        if stdout is None:
            raise CorpusError("standard output: closed")
        return _StreamWriter("standard output", stdout, closes=False)
    try:
        if output_form(path) == "parquet":
            return _TableWriter(path)
        file = Path(path).open("ab" if append else "wb")  # noqa: SIM115 - the writer closes it
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error
    return _StreamWriter(path, file, closes=True)


class _StreamWriter(RowWriter):
    """Hands each batch to the system at once: what is written survives the end of the process."""

    def __init__(self, name: str, stream: BinaryIO, *, closes: bool) -> None:
        self._name = name
        self._stream = stream
        self._closes = closes

    def write(self, batch: ParsedBatch) -> None:
        """Write the bytes of a batch."""
        try:
            self._stream.write(batch.written)
            self._stream.flush()
        except BrokenPipeError:
            raise  # nobody reads on, which is no fault
        except OSError as error:
            raise CorpusError(f"{self._name}: {error.strerror or error}") from error

    def close(self, *, complete: bool) -> None:
        """Close a file; it holds whole batches, so it can be resumed."""
        if not self._closes:
            return
        try:
            self._stream.close()
        except OSError as error:
            if complete:  # else something worse is on its way
                raise CorpusError(f"{self._name}: {error.strerror or error}") from error


class _TableWriter(RowWriter):
    """Writes beside the file, and puts it in place when it is whole: half a Parquet file is none."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._part = Path(f"{path}.part")
        self._arrow = pyarrow()
        self._parquet = pyarrow(".parquet")
        if self._path.is_dir():  # else noticed when all is parsed, and lost
            raise IsADirectoryError(EISDIR, strerror(EISDIR))
        self._stream = self._part.open("wb")
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._rows = 0
        self._bytes = 0

    def write(self, batch: ParsedBatch) -> None:
        """Keep a batch until there is a row group."""
        table: Any = batch.written
        self._waiting.append(table)
        self._rows += table.num_rows
        self._bytes += table.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def close(self, *, complete: bool) -> None:
        """Put the whole file in place, or leave what was there."""
        try:
            if complete:
                self._write_group()
                if self._writer is not None:
                    self._writer.close()
                self._stream.close()
                self._part.replace(self._path)
        except OSError as error:
            raise CorpusError(f"{self._path}: {error.strerror or error}") from error
        finally:
            self._stream.close()
            self._part.unlink(missing_ok=True)

    def _write_group(self) -> None:
        if not self._waiting:
            return
        try:
            table = self._arrow.Table.from_batches(self._waiting)
            if self._writer is None:
                self._writer = self._parquet.ParquetWriter(self._stream, table.schema, compression="zstd")
            self._writer.write_table(table)
        except (OSError, self._arrow.ArrowException) as error:
            raise CorpusError(f"{self._path}: {error}") from error
        self._waiting, self._rows, self._bytes = [], 0, 0
