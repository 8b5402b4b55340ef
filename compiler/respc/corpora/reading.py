"""Reading rows in batches, from JSON lines, also compressed, and from Parquet."""

from __future__ import annotations

import gzip
import io
import zlib
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from respc.corpora.errors import CorpusError
from respc.corpora.tables import Table, pyarrow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.corpora.rows import Batch

_ROWS: Final = 256
"""Rows of a batch: enough that handing it to a process costs little beside parsing it."""

_BYTES: Final = 1 << 20
"""Where rows are long, a batch ends with the row that reaches this size, so that memory stays bounded."""

_TABLE_BYTES: Final = 1 << 16
"""How much of each column of a table is read ahead."""

_GZIP_MAGIC: Final = b"\x1f\x8b"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class RowReader(ABC):
    """Gives the rows of a file in batches. What is read of it is told for a progress bar.

    Attributes:
        name: what messages call the file.
        total: where `position` ends; None where nobody knows.
    """

    name: str
    total: int | None

    @property
    @abstractmethod
    def position(self) -> int:
        """How much is read."""

    @abstractmethod
    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Give the rows after the first `skip`; an empty batch where there is no row at all.

        Raises:
            CorpusError: there are fewer rows than are skipped, or they cannot be read.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    def _too_few(self, rows: int, skip: int) -> CorpusError:
        return CorpusError(
            f"{self.name}: has {rows} rows, and the output has {skip} already: it was made from another input"
        )


def open_rows(path: str, columns: Sequence[str], stdin: BinaryIO | None = None) -> RowReader:
    """Open a file of rows: Parquet by its extension, else JSON lines, compressed or not; "-" for standard input.

    Args:
        path: the file.
        columns: what rows must have, which a table can be asked at once.
        stdin: the standard input.

    Raises:
        CorpusError: it cannot be opened, or is no such file.
    """
    if path == "-":
        if stdin is None:
            raise CorpusError("standard input: closed")
        return JsonLinesReader("standard input", stdin, None)
    try:
        if path.endswith(".parquet"):
            return TableReader(path, columns)
        file = Path(path).open("rb")  # noqa: SIM115 - the reader closes it
        return JsonLinesReader(path, file, Path(path).stat().st_size or None)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error


class JsonLinesReader(RowReader):
    """Reads lines that are not blank, without looking into them."""

    def __init__(self, name: str, stream: BinaryIO, total: int | None) -> None:
        self.name = name
        self.total = total
        # A reader is needed that can look ahead, which not all that stand in for standard input can.
        self._stream: io.BufferedReader = (
            cast("Any", stream) if hasattr(stream, "peek") else io.BufferedReader(cast("Any", stream))
        )

    @property
    def position(self) -> int:
        """How many bytes of the file are read; 0 where it has no size."""
        return 0 if self.total is None else self._stream.tell()

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Give the lines."""
        lines = self._lines()
        for skipped in range(skip):
            if next(lines, None) is None:
                raise self._too_few(skipped, skip)
        batch: list[bytes] = []
        size = given = 0
        for line in lines:
            batch.append(line)
            size += len(line)
            if len(batch) == _ROWS or size >= _BYTES:
                yield batch
                given += len(batch)
                batch, size = [], 0
        if batch or not skip + given:
            yield batch

    def close(self) -> None:
        """Close the file."""
        self._stream.close()

    def _lines(self) -> Iterator[bytes]:
        start = _BYTE_ORDER_MARK
        try:
            compressed = self._stream.peek(2).startswith(_GZIP_MAGIC)
            for line in gzip.GzipFile(fileobj=self._stream) if compressed else self._stream:
                row = line.removeprefix(start)
                start = b""
                if not row.isspace() and row:
                    yield row
        except EOFError as error:
            raise CorpusError(f"{self.name}: the compressed data end too early") from error
        except (zlib.error, OSError) as error:
            raise CorpusError(f"{self.name}: {error}") from error


class TableReader(RowReader):
    """Reads the row groups of a Parquet file."""

    def __init__(self, path: str, columns: Sequence[str]) -> None:
        self.name = path
        arrow = pyarrow()
        # Of what cannot be opened, pyarrow says the path twice.
        Path(path).open("rb").close()
        try:
            # By default all columns of all row groups are read before the first row is given.
            self._file = pyarrow(".parquet").ParquetFile(path, buffer_size=_TABLE_BYTES, pre_buffer=False)
        except arrow.ArrowInvalid as error:
            raise CorpusError(f"{path}: {error}") from error
        self._rows: int = self._file.metadata.num_rows
        self.total = self._rows
        self._failures = (arrow.ArrowException, OSError)
        self._position = 0
        if complaint := _complaint(self._file.schema_arrow.names, columns):
            self._file.close()
            raise CorpusError(f"{path}: {complaint}")

    @property
    def position(self) -> int:
        """How many rows are read."""
        return self._position

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Give the rows as tables."""
        if skip > self._rows:
            raise self._too_few(self._rows, skip)
        if not self._rows:
            yield pyarrow().RecordBatch.from_pylist([], schema=self._file.schema_arrow)
        group, self._position = self._first_group(skip)
        groups = range(group, self._file.num_row_groups)
        try:
            for table in self._file.iter_batches(batch_size=_ROWS, row_groups=groups):
                start = max(skip - self._position, 0)
                self._position += table.num_rows
                if start < table.num_rows:
                    yield from _parts(table.slice(start))
        except self._failures as error:
            raise CorpusError(f"{self.name}: {error}") from error

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _first_group(self, skip: int) -> tuple[int, int]:
        """Find the row group that the row after the first `skip` stands in, and the rows before that group."""
        before = 0
        for group in range(self._file.num_row_groups):
            rows: int = self._file.metadata.row_group(group).num_rows
            if before + rows > skip:
                return group, before
            before += rows
        return self._file.num_row_groups, before


def _complaint(present: list[str], columns: Sequence[str]) -> str | None:
    """Say what keeps the columns of a table from being taken by their names."""
    for column in columns:
        if column not in present:
            return f"has no column {column!r}; there are {', '.join(present)}"
    if twice := sorted({name for name in present if present.count(name) > 1}):
        return f"has several columns of one name: {', '.join(map(repr, twice))}"
    return None


def _parts(table: Table) -> Iterator[Table]:
    """Halve a table until its parts are of a size that a batch may have."""
    if table.num_rows > 1 and table.nbytes > _BYTES:
        half = table.num_rows // 2
        yield from _parts(table.slice(0, half))
        yield from _parts(table.slice(half))
    else:
        yield table
