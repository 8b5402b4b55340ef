"""One batch of rows: read, parsed and written, by whichever process gets it."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from respc.corpora.columns import Kinds, add_kinds
from respc.corpora.errors import RowError
from respc.corpora.json_texts import json_text
from respc.corpora.tables import ROW_COLUMN, Table, is_table, rows_of, table_of, with_texts
from respc.source.json_kinds import is_list
from respc_runtime.errors import EXCERPT_LIMIT, MissingAnchorError, clipped
from respc_runtime.tools import prepare_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from respc.corpora.parsers import ParserCode
    from respc.corpora.writing import OutputForm

Failed: TypeAlias = tuple[str, str | None]
"""The class of an error and the field that it came up in, if that is known."""

Batch: TypeAlias = list[bytes] | Table
"""Rows as read: lines of JSON, or a table."""

_COMPRESSION: Final = 6
"""What the command gzip does: higher levels take twice the time for a hundredth of the size."""


@dataclass(frozen=True, slots=True)
class RowKeys:
    """What a row calls its text, and what is added to it. Without a key, rows have no prefix or tools of their own."""

    text: str = "text"
    prefix: str | None = None
    tools: str | None = None
    message: str = "message"
    error: str = "error"

    @property
    def read(self) -> tuple[str, ...]:
        """The keys whose values are needed to parse."""
        return tuple(dict.fromkeys(key for key in (self.text, self.prefix, self.tools) if key is not None))


@dataclass(frozen=True, slots=True)
class CorpusJob:
    """All that a process needs to know to parse batches.

    Attributes:
        parser: the parser.
        keys: the keys of the rows.
        form: what to make of a batch.
        prefix: the prompt of rows without one of their own.
        tools: the tools of rows without their own.
        collects: whether a row gets the message of what could be read beside an error for what could not.
        any_prefix: whether a prompt without the template's start anchor is parsed as a part of the message.
    """

    parser: ParserCode
    keys: RowKeys
    form: OutputForm
    prefix: str = ""
    tools: tuple[dict[str, Any], ...] = ()
    collects: bool = False
    any_prefix: bool = False


@dataclass(frozen=True, slots=True)
class ParsedBatch:
    """A batch as it is written.

    Attributes:
        written: the batch.
        rows: its rows.
        failed: how many of them failed.
        failures: how many texts failed by the class of the error and its field; more than one of a row where all that
            could not be read is collected.
        replaced: how many rows had a key of their own where the message or the error went.
        kinds: of rows that came as JSON and go into a table, what stands under each key.
    """

    written: bytes | Table
    rows: int
    failed: int
    failures: Counter[Failed] = field(default_factory=Counter["Failed"])
    replaced: int = 0
    kinds: Kinds | None = None


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a row, as JSON: a message or an error, or both. A row that could not be read has no values."""

    row: dict[str, Any]
    message: str | None
    error: str | None
    failures: tuple[Failed, ...] = ()


class BatchParser:
    """Parses batches of rows. A row that cannot be parsed becomes one that says so."""

    def __init__(self, job: CorpusJob) -> None:
        self._job = job
        module = job.parser.load()
        self._parse = module.parse_response
        self._parser = module.ResponseParser
        self._tools = prepare_tools(job.tools)

    def __call__(self, batch: Batch) -> ParsedBatch:
        """Parse the rows of a batch, and write them."""
        outcomes = [self._outcome(row) for row in self._rows(batch)]
        failed = sum(outcome.error is not None for outcome in outcomes)
        failures = Counter(failure for outcome in outcomes for failure in outcome.failures)
        kinds: Kinds | None = None
        if self._job.form == "parquet":
            written = self._table(batch, outcomes)
            kinds = None if is_table(batch) else self._kinds(outcomes)
        else:
            written = self._lines(outcomes)
        return ParsedBatch(written, len(outcomes), failed, failures, self._replaced(outcomes), kinds)

    def _replaced(self, outcomes: list[_Outcome]) -> int:
        added = {self._job.keys.message, self._job.keys.error}
        return sum(not added.isdisjoint(outcome.row) for outcome in outcomes)

    def _kinds(self, outcomes: list[_Outcome]) -> Kinds:
        kinds: Kinds = {}
        for outcome in outcomes:
            add_kinds(kinds, outcome.row)
        for key in (self._job.keys.message, self._job.keys.error):
            kinds.pop(key, None)
        return kinds

    def _rows(self, batch: Batch) -> Iterator[dict[str, Any] | Exception]:
        if not is_table(batch):
            return map(row_of_line, batch)
        # A table keeps its columns as they are: no need to make objects of them.
        return rows_of(batch, self._job.keys.read if self._job.form == "parquet" else None)

    def _outcome(self, row: dict[str, Any] | Exception) -> _Outcome:
        if isinstance(row, Exception):
            return _failed({}, row)
        try:
            if not self._job.collects:
                return _Outcome(row, json_text(self._message(row)), None)
            parsed = self._message(row, errors="collect")
            error = json_text(unread_record(parsed.unread)) if parsed.unread else None
            failures = tuple((each.error, each.field) for each in parsed.unread)
            return _Outcome(row, json_text(parsed.message), error, failures)
        except Exception as error:
            return _failed(row, error)

    def _message(self, row: dict[str, Any], **options: str) -> Any:
        keys = self._job.keys
        text = _string(row, keys.text)
        prefix = self._job.prefix if keys.prefix is None else _string(row, keys.prefix)
        own = None if keys.tools is None else _tools(row, keys.tools)
        if prefix and not self._job.any_prefix:
            require_anchor(self._parser, prefix)
        return self._parse(text, prefix=prefix, tools=self._tools if own is None else own, **options)

    def _lines(self, outcomes: list[_Outcome]) -> bytes:
        lines = "".join(map(self._line, outcomes)).encode("utf-8")
        # A batch is a member of its own: what an interruption leaves can be told from what is whole.
        return lines if self._job.form == "jsonl" else gzip.compress(lines, _COMPRESSION, mtime=0)

    def _line(self, outcome: _Outcome) -> str:
        keys = self._job.keys
        kept = {key: value for key, value in outcome.row.items() if key not in (keys.message, keys.error)}
        added = {keys.message: outcome.message, keys.error: outcome.error}
        try:
            start = json_text(kept)[1:-1]
        except Exception:  # nested too deeply to be written, though not to be read
            start = ""
        parts = [f"{json_text(key)}: {value}" for key, value in added.items() if value is not None]
        return f"{{{', '.join([start, *parts] if start else parts)}}}\n"

    def _table(self, batch: Batch, outcomes: list[_Outcome]) -> Table:
        keys = self._job.keys
        added = {
            keys.message: [outcome.message for outcome in outcomes],
            keys.error: [outcome.error for outcome in outcomes],
        }
        if is_table(batch):
            return with_texts(batch, added)
        return table_of({ROW_COLUMN: [_shown(line) for line in batch], **added})


def _failed(row: dict[str, Any], error: Exception) -> _Outcome:
    record = error_record(error)
    return _Outcome(row, None, json_text(record), ((record["class"], record.get("field")),))


def error_record(error: Exception) -> dict[str, Any]:
    """Say what was raised: class, message, and where it is known the field, position and start of the body."""
    record: dict[str, Any] = {"class": type(error).__name__, "message": str(error) or type(error).__name__}
    # By the attributes, since a standalone module has classes of its own.
    for name in ("field", "fields", "position", "excerpt"):
        value = getattr(error, name, None)
        if value is not None:
            record[name] = value
    return record


def unread_record(unread: list[Any]) -> dict[str, Any]:
    """Say what was not read: the first text as `error_record` does, and all of them under ``unread``."""
    records = [
        {
            "class": each.error,
            "message": each.message,
            "field": each.field,
            "position": each.start,
            "text": each.text,
        }
        for each in unread
    ]
    first = {key: value for key, value in records[0].items() if key != "text" and value is not None}
    return {**first, "unread": records}


def require_anchor(parser: Callable[[str], Any], prefix: str) -> None:
    """Refuse a prompt without a start anchor.

    Raises:
        MissingAnchorError: it has none.
    """
    if getattr(parser(prefix), "anchor_found", None) is False:
        raise MissingAnchorError


def row_of_line(line: bytes) -> dict[str, Any] | Exception:
    """Read a line of JSON lines; what is wrong with it where it is no row."""
    try:
        row: Any = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        return RowError(f"the line is not UTF-8: byte {error.start} of it", excerpt=_excerpt(line))
    except json.JSONDecodeError as error:
        return RowError(f"the line is not JSON: {error}", position=error.pos, excerpt=_excerpt(line))
    except Exception as error:  # nested too deeply, a number with too many digits
        return RowError(f"the line cannot be read: {error}", excerpt=_excerpt(line))
    if isinstance(row, dict):
        return cast("dict[str, Any]", row)
    return RowError("the line is not a JSON object", excerpt=_excerpt(line))


def _excerpt(line: bytes) -> str:
    return clipped(_shown(line[: 4 * EXCERPT_LIMIT]), EXCERPT_LIMIT)


def _shown(line: bytes) -> str:
    return line.decode("utf-8", errors="backslashreplace").strip()


def _string(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    if isinstance(value, str):
        return value
    if value is None:
        raise RowError(f"the row has no {key!r}")
    raise RowError(f"{key!r} of the row is of type {type(value).__name__}, not a string")


def _tools(row: dict[str, Any], key: str) -> list[Any] | None:
    """Give the tools of a row: a list, or JSON text of one, as tables keep it. None where it has none."""
    value: object = row.get(key)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as error:
            raise RowError(f"{key!r} of the row is not JSON: {error}") from error
    if value is None or is_list(value):
        return value
    raise RowError(f"{key!r} of the row is of type {type(value).__name__}, not a list of tools")
