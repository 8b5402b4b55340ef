"""The columns of rows that come as JSON: rows need not agree on the types of their keys, and columns have one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, cast

from respc.corpora.json_texts import json_text
from respc.corpora.tables import ROW_COLUMN, pyarrow

if TYPE_CHECKING:
    from respc.corpora.tables import Table

Kind: TypeAlias = Literal["null", "bool", "int", "long", "float", "string", "json"]
"""What stands under a key: an int that a float can hold is told from one that only a long can."""

Kinds: TypeAlias = dict[str, Kind]

MOST_COLUMNS: Final = 1000
"""Where rows have more keys, these are data themselves, and a row stays in one column."""

_EXACT: Final = 1 << 53
_LONGEST: Final = 1 << 63


def add_kinds(kinds: Kinds, row: dict[str, Any]) -> None:
    """Add what stands in a row to what stood in others."""
    for key, value in row.items():
        merge_kind(kinds, key, _kind(value))


def merge_kind(kinds: Kinds, key: str, kind: Kind) -> None:
    """Find the kind that holds both what stood under a key and what stands there now; only JSON holds all."""
    before = kinds.setdefault(key, kind)
    if before == kind or kind == "null":
        return
    both = {before, kind}
    if before == "null":
        kinds[key] = kind
    elif both == {"int", "float"}:
        kinds[key] = "float"
    else:
        kinds[key] = "long" if both == {"int", "long"} else "json"


def unpacked(table: Table, kinds: Kinds) -> Table:
    """Put columns in the place of that of the rows.

    Args:
        table: a column of rows as JSON, and others.
        kinds: the columns that there will be.
    """
    arrow = pyarrow()
    types = {
        "bool": arrow.bool_(),
        "int": arrow.int64(),
        "long": arrow.int64(),
        "float": arrow.float64(),
    }
    rows = [_row(text) for text in table.column(ROW_COLUMN).to_pylist()]
    columns: dict[str, Any] = {}
    for key, kind in kinds.items():
        values = [row.get(key) for row in rows]
        if kind == "json":
            values = [None if value is None else json_text(value) for value in values]
        columns[_name(key)] = arrow.array(values, types.get(kind, arrow.string()))
    for name in table.schema.names:
        if name != ROW_COLUMN:
            columns[name] = arrow.array(table.column(name).to_pylist(), arrow.string())
    return arrow.RecordBatch.from_arrays(list(columns.values()), names=list(columns))


def _kind(value: object) -> Kind:
    match value:
        case None:
            return "null"
        case bool():
            return "bool"
        case int():
            if abs(value) <= _EXACT:
                return "int"
            return "long" if -_LONGEST <= value < _LONGEST else "json"
        case float():
            return "float"
        case str():
            return "string" if _is_unicode(value) else "json"
        case _:
            return "json"


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _name(key: str) -> str:
    return key if _is_unicode(key) else json_text(key)


def _row(text: str) -> dict[str, Any]:
    """Read a row again; one that could not be read has no values, and an error that says why."""
    try:
        row: object = json.loads(text)
    except Exception:
        return {}
    return cast("dict[str, Any]", row) if isinstance(row, dict) else {}
