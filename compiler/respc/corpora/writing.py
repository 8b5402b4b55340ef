"""Writing batches: to standard output, to JSON lines, also compressed, and to Parquet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from errno import EISDIR
from os import strerror
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TypeAlias

from respc.corpora.columns import MOST_COLUMNS, Kinds, merge_kind, unpacked
from respc.corpora.errors import CorpusError
from respc.corpora.tables import pyarrow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from respc.corpora.rows import ParsedBatch

OutputForm: TypeAlias = Literal["jsonl", "jsonl.gz", "parquet"]

_LINES: Final = (".jsonl", ".ndjson")

_READ_ROWS: Final = 256
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


def require_output_form(path: str | None) -> None:
    """Refuse a file whose extension says that it is something else than what can be written.

    Raises:
        CorpusError: it does.
    """
    name = "" if path is None else Path(path).name
    ending = Path(name.removesuffix(".gz")).suffix
    if ending not in ("", *_LINES, ".parquet") or name.endswith(".parquet.gz"):
        raise CorpusError(
            f"{path}: rows are written as .jsonl, .jsonl.gz or .parquet, by the name of the file"
        )


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
    """Writes beside the file, and puts it in place when it is whole: half a Parquet file is none.

    Which columns rows of JSON need is known when all are read: until then they wait in another file.
    """

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._part = Path(f"{path}.part")
        pyarrow()  # where it is not installed, nothing is written
        if self._path.is_dir():  # else noticed when all is parsed, and lost
            raise IsADirectoryError(EISDIR, strerror(EISDIR))
        self._stream = self._part.open("wb")
        self._groups = _GroupWriter(path, self._stream)
        self._rows_of_json: _RowsOfJson | None = None

    def write(self, batch: ParsedBatch) -> None:
        """Keep a batch until there is a row group."""
        if batch.kinds is None:
            self._groups.write(batch.written)
            return
        if self._rows_of_json is None:
            self._rows_of_json = _RowsOfJson(self._path)
        self._rows_of_json.write(batch.written, batch.kinds)

    def close(self, *, complete: bool) -> None:
        """Put the whole file in place, or leave what was there."""
        try:
            if complete:
                if self._rows_of_json is not None:
                    for table in self._rows_of_json.tables():
                        self._groups.write(table)
                self._groups.finish()
                self._stream.close()
                self._part.replace(self._path)
        except OSError as error:
            raise CorpusError(f"{self._path}: {error.strerror or error}") from error
        finally:
            if self._rows_of_json is not None:
                self._rows_of_json.close()
            self._stream.close()
            self._part.unlink(missing_ok=True)


class _RowsOfJson:
    """Rows in a file without a name, and the columns that they need."""

    def __init__(self, path: Path) -> None:
        # Beside the file: elsewhere there may be less room.
        self._file = TemporaryFile(dir=path.parent)  # noqa: SIM115 - the writer closes it
        self._groups = _GroupWriter(str(path), self._file)
        self._kinds: Kinds = {}

    def write(self, table: Any, kinds: Kinds) -> None:
        self._groups.write(table)
        if len(self._kinds) <= MOST_COLUMNS:
            for key, kind in kinds.items():
                merge_kind(self._kinds, key, kind)

    def tables(self) -> Iterator[Any]:
        """Give all rows, in columns where these are not too many."""
        self._groups.finish()
        self._file.seek(0)
        tables = pyarrow(".parquet").ParquetFile(self._file, pre_buffer=False)
        if not tables.metadata.num_rows:
            yield unpacked(tables.schema_arrow.empty_table(), self._kinds)
        for table in tables.iter_batches(batch_size=_READ_ROWS):
            yield table if len(self._kinds) > MOST_COLUMNS else unpacked(table, self._kinds)

    def close(self) -> None:
        self._file.close()


class _GroupWriter:
    """Collects tables to row groups, and writes these."""

    def __init__(self, name: str, stream: Any) -> None:
        self._name = name
        self._stream = stream
        self._arrow = pyarrow()
        self._writer: Any = None
        self._waiting: list[Any] = []
        self._rows = 0
        self._bytes = 0

    def write(self, table: Any) -> None:
        self._waiting.append(table)
        self._rows += table.num_rows
        self._bytes += table.nbytes
        if self._rows >= _GROUP_ROWS or self._bytes >= _GROUP_BYTES:
            self._write_group()

    def finish(self) -> None:
        self._write_group()
        if self._writer is not None:
            self._writer.close()

    def _write_group(self) -> None:
        if not self._waiting:
            return
        try:
            table = self._arrow.Table.from_batches(self._waiting)
            if self._writer is None:
                parquet = pyarrow(".parquet")
                self._writer = parquet.ParquetWriter(self._stream, table.schema, compression="zstd")
            self._writer.write_table(table)
        except (OSError, self._arrow.ArrowException) as error:
            raise CorpusError(f"{self._name}: {error}") from error
        self._waiting, self._rows, self._bytes = [], 0, 0
