"""Reading rows in batches, from JSON lines, also compressed, and from Parquet."""

from __future__ import annotations

import gzip
import io
import zlib
from abc import ABC, abstractmethod
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, cast

from respc.corpora.errors import CorpusError
from respc.corpora.rows import row_of_line
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

_SHOWN_KEYS: Final = 20

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
    def require(self, columns: Sequence[str], added: Sequence[str]) -> None:
        """Make sure that rows have some keys and not others, as far as that can be told before they are read.

        Raises:
            CorpusError: they have not, or they have.
        """

    @abstractmethod
    def close(self) -> None:
        """Close the file."""

    def _require(
        self, present: Sequence[str], columns: Sequence[str], added: Sequence[str], what: str
    ) -> None:
        for column in columns:
            if column not in present:
                shown = ", ".join(present[:_SHOWN_KEYS]) + (", …" if len(present) > _SHOWN_KEYS else "")
                raise CorpusError(f"{self.name}: has no {what} {column!r}; there are {shown or 'none'}")
        for name in added:
            if name in present:
                raise CorpusError(
                    f"{self.name}: has a {what} {name!r} already: name another, or let it be replaced with --overwrite"
                )

    def _too_few(self, rows: int, skip: int) -> CorpusError:
        return CorpusError(
            f"{self.name}: has {rows} rows, and the output has {skip} already: it was made from another input"
        )


def open_rows(
    path: str, columns: Sequence[str], stdin: BinaryIO | None = None, *, added: Sequence[str] = ()
) -> RowReader:
    """Open a file of rows: Parquet by its extension, else JSON lines, compressed or not; "-" for standard input.

    Args:
        path: the file.
        columns: what rows must have: a table tells at once, and lines when the first of them are read.
        stdin: the standard input.
        added: what rows must not have, because it is added to them.

    Raises:
        CorpusError: it cannot be opened, is no such file, or its rows have other keys.
    """
    reader = _opened(path, stdin)
    try:
        reader.require(columns, added)
    except BaseException:
        reader.close()
        raise
    return reader


def _opened(path: str, stdin: BinaryIO | None) -> RowReader:
    if path == "-":
        if stdin is None:
            raise CorpusError("standard input: closed")
        return JsonLinesReader("standard input", stdin, None)
    try:
        if path.endswith(".parquet"):
            return TableReader(path)
        file = Path(path).open("rb")  # noqa: SIM115 - the reader closes it
        return JsonLinesReader(path, file, Path(path).stat().st_size or None)
    except OSError as error:
        raise CorpusError(f"{path}: {error.strerror or error}") from error


class JsonLinesReader(RowReader):
    """Reads lines that are not blank, without looking into them."""

    def __init__(self, name: str, stream: BinaryIO, total: int | None) -> None:
        self.name = name
        self.total = total
        self._ahead: list[bytes] = []
        # A reader is needed that can look ahead, which not all that stand in for standard input can.
        self._stream: io.BufferedReader = (
            cast("Any", stream) if hasattr(stream, "peek") else io.BufferedReader(cast("Any", stream))
        )
        self._rest = self._lines()

    @property
    def position(self) -> int:
        """How many bytes of the file are read; 0 where it has no size."""
        return 0 if self.total is None else self._stream.tell()

    def batches(self, skip: int = 0) -> Iterator[Batch]:
        """Give the lines."""
        lines = chain(self._ahead, self._rest)
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

    def require(self, columns: Sequence[str], added: Sequence[str]) -> None:
        """Look at the lines of the first batch. One row may lack a key, which is an error of its own; not all."""
        size = 0
        for line in islice(self._rest, _ROWS):
            self._ahead.append(line)
            size += len(line)
            if size >= _BYTES:
                break
        rows = [row for row in map(row_of_line, self._ahead) if not isinstance(row, Exception)]
        if rows:
            self._require(list(dict.fromkeys(key for row in rows for key in row)), columns, added, "key")

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

    def __init__(self, path: str) -> None:
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

    def require(self, columns: Sequence[str], added: Sequence[str]) -> None:
        """Look at the schema."""
        present: list[str] = self._file.schema_arrow.names
        self._require(present, columns, added, "column")
        if twice := sorted({name for name in present if present.count(name) > 1}):
            raise CorpusError(f"{self.name}: has several columns of one name: {', '.join(map(repr, twice))}")

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


def _parts(table: Table) -> Iterator[Table]:
    """Halve a table until its parts are of a size that a batch may have."""
    if table.num_rows > 1 and table.nbytes > _BYTES:
        half = table.num_rows // 2
        yield from _parts(table.slice(0, half))
        yield from _parts(table.slice(half))
    else:
        yield table
