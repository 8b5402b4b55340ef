"""The one place that knows pyarrow, which is only imported where a file is Parquet."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from respc.corpora.errors import CorpusError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Table: TypeAlias = Any
"""A `RecordBatch` of pyarrow, which has no types."""

ROW_COLUMN: Final = "row"
"""Where a table keeps a row that came as JSON: rows of JSON need not agree on the types of their keys."""


def pyarrow(submodule: str = "") -> Any:
    """Import pyarrow; CorpusError that says how to get it where it is not installed."""
    try:
        return import_module(f"pyarrow{submodule}")
    except ModuleNotFoundError as error:
        raise CorpusError("Parquet needs pyarrow: install it with `pip install 'pyarrow>=15'`") from error


def is_table(batch: object) -> bool:
    """Whether a batch of rows is a table, not lines."""
    return not isinstance(batch, list)


def rows_of(table: Table, columns: Sequence[str] | None) -> Iterator[dict[str, Any] | Exception]:
    """Give each row as a dict of some columns, or all; what is raised where Python cannot hold a value of it."""
    chosen = table if columns is None else table.select(columns)
    try:
        yield from chosen.to_pylist()
    except Exception:  # one value spoils the conversion of all
        for number in range(chosen.num_rows):
            try:
                yield from chosen.slice(number, 1).to_pylist()
            except Exception as error:
                yield error


def with_texts(table: Table, texts: dict[str, list[str | None]]) -> Table:
    """Put columns of strings at the end of a table, in place of columns of these names."""
    arrow = pyarrow()
    kept = [name for name in table.schema.names if name not in texts]
    arrays = [table.column(name) for name in kept] + [
        arrow.array(each, arrow.string()) for each in texts.values()
    ]
    fields = [table.schema.field(name) for name in kept]
    fields += [arrow.field(name, arrow.string()) for name in texts]
    # What the metadata of a schema say of its columns is no longer true.
    return arrow.RecordBatch.from_arrays(arrays, schema=arrow.schema(fields))


def table_of(texts: dict[str, list[str | None]]) -> Table:
    """Make a table of columns of strings."""
    arrow = pyarrow()
    schema = arrow.schema([(name, arrow.string()) for name in texts])
    return arrow.RecordBatch.from_arrays(
        [arrow.array(each, arrow.string()) for each in texts.values()], schema=schema
    )
