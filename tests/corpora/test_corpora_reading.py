"""Rows of JSON lines: batches, compression, blank lines, what is refused."""

from __future__ import annotations

import gzip
import io
from itertools import islice
from typing import TYPE_CHECKING

import pytest

from respc.corpora import CorpusError, open_rows

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [b'{"n": %d}\n' % number for number in range(1000)]


def read(path: Path, skip: int = 0) -> list[bytes]:
    reader = open_rows(str(path), [])
    try:
        return [line for batch in reader.batches(skip) for line in batch]
    finally:
        reader.close()


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("skip", [0, 1, 255, 256, 999, 1000])
def test_lines_plain_and_compressed(tmp_path: Path, skip: int) -> None:
    data = b"".join(ROWS)
    assert read(written(tmp_path / "a.jsonl", data), skip) == ROWS[skip:]
    members = gzip.compress(data[:500]) + gzip.compress(data[500:])
    assert read(written(tmp_path / "a.jsonl.gz", members), skip) == ROWS[skip:]
    assert read(written(tmp_path / "unnamed", members), skip) == ROWS[skip:]


def test_blank_lines_a_mark_and_a_last_line_without_an_end(tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"a": 1}\n\n \t\r\n{"a": 2}\r\n\n{"a": 3}')
    assert read(path) == [b'{"a": 1}\n', b'{"a": 2}\r\n', b'{"a": 3}']
    assert read(path, 2) == [b'{"a": 3}']


@pytest.mark.parametrize("data", [b"", b"\n\n"])
def test_no_rows_are_one_empty_batch(tmp_path: Path, data: bytes) -> None:
    reader = open_rows(str(written(tmp_path / "a.jsonl", data)), [])
    assert list(reader.batches()) == [[]]
    reader.close()


def test_batches_are_small_in_rows_and_in_bytes(tmp_path: Path) -> None:
    long = b'{"text": "' + b"x" * 700_000 + b'"}\n'
    reader = open_rows(str(written(tmp_path / "a.jsonl", b"".join(ROWS) + long * 5)), [])
    batches = list(reader.batches())
    reader.close()
    assert [len(batch) for batch in batches][:3] == [256, 256, 256]
    assert max(sum(map(len, batch)) for batch in batches) < 2 * len(long) + 3000
    assert sum(map(len, batches)) == 1005


def test_no_more_is_read_than_is_asked_for() -> None:
    class Endless(io.RawIOBase):
        def readable(self) -> bool:
            return True

        def readinto(self, buffer: memoryview) -> int:
            buffer[:] = (b"{}\n" * len(buffer))[: len(buffer)]
            return len(buffer)

    reader = open_rows("-", [], io.BufferedReader(Endless(), 3000))
    assert sum(len(batch) for batch in islice(reader.batches(), 10)) == 2560
    assert reader.total is None


def test_the_position_ends_at_the_total(tmp_path: Path) -> None:
    reader = open_rows(str(written(tmp_path / "a.gz", gzip.compress(b"".join(ROWS)))), [])
    assert 0 < reader.position <= (reader.total or 0)  # the first batch is looked at
    list(reader.batches())
    assert reader.position == reader.total == (tmp_path / "a.gz").stat().st_size
    reader.close()


def test_fewer_rows_than_are_skipped(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="has 1000 rows, and the output has 1001 already"):
        read(written(tmp_path / "a.jsonl", b"".join(ROWS)), 1001)


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_damaged_compression(tmp_path: Path, damage: str) -> None:
    data = bytearray(gzip.compress(b"".join(ROWS)))
    if damage == "cut":
        del data[-20:]
    else:
        data[-6] ^= 255
    with pytest.raises(CorpusError, match=r"a\.gz: "):
        read(written(tmp_path / "a.gz", bytes(data)))


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="No such file"):
        open_rows(str(tmp_path / "none.jsonl"), [])
    with pytest.raises(CorpusError, match="Is a directory"):
        open_rows(str(tmp_path), [])
    with pytest.raises(CorpusError, match="standard input: closed"):
        open_rows("-", [], None)


def opened(data: bytes, *columns: str, added: tuple[str, ...] = ()) -> list[bytes]:
    reader = open_rows("-", columns, io.BytesIO(data), added=added)
    return [line for batch in reader.batches() for line in batch]


def test_keys_that_no_row_of_the_first_batch_has() -> None:
    lines = b'{"id": 1, "text": "a"}\n?\n{"id": 2, "prompt": "b"}\n'
    assert len(opened(lines, "text", "prompt")) == 3
    with pytest.raises(CorpusError, match="has no key 'completion'; there are id, text, prompt"):
        opened(lines, "text", "completion")
    # Of lines that are no rows each says so.
    assert len(opened(b"?\n[]\n", "text")) == 2
    # What only stands further on is not there in time.
    with pytest.raises(CorpusError, match="has no key 'text'; there are n"):
        opened(b"".join(ROWS) + lines, "text")


def test_keys_that_rows_have_already() -> None:
    lines = b'{"text": "a"}\n{"text": "b", "error": null}\n'
    assert len(opened(lines, "text", added=("message",))) == 2
    with pytest.raises(CorpusError, match="has a key 'error' already"):
        opened(lines, "text", added=("message", "error"))
