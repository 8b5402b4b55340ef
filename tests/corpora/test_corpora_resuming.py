"""Going on after an interruption, without losing or repeating a row."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from respc.corpora import CorpusError, ResumePoint, cut_off, resume_point
from support.devices import needs_posix
from support.processes import PROCESSES, wait_until, workers_of

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-m", "respc", "parse", "smollm3", "--jsonl"]
LINES = [
    b"no json"
    if number % 50 == 7
    else json.dumps({"id": number, "text": f"<think>{number}</think>é"}).encode()
    for number in range(3000)
]
FAILED = len(range(7, 3000, 50))


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "in.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in LINES))
    return path


@pytest.fixture(scope="module")
def whole(source: Path) -> bytes:
    """What a run that nothing interrupts writes."""
    done = subprocess.run([*COMMAND, str(source)], capture_output=True, timeout=120, check=False)
    assert done.returncode == 1
    assert done.stdout.count(b"\n") == 3000
    return done.stdout


def resumed(source: Path, out: Path, *more: str) -> subprocess.CompletedProcess[bytes]:
    command = [*COMMAND, str(source), "-o", str(out), "--resume", *more]
    return subprocess.run(command, capture_output=True, timeout=120, check=False)


def content(out: Path) -> bytes:
    return gzip.decompress(out.read_bytes()) if out.suffix == ".gz" else out.read_bytes()


@needs_posix
@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
@pytest.mark.parametrize("ended_by", [signal.SIGKILL, signal.SIGINT], ids=lambda each: each.name)
def test_a_run_that_is_ended_in_the_middle_is_resumed(
    source: Path, whole: bytes, tmp_path: Path, name: str, workers: str, ended_by: signal.Signals
) -> None:
    out = tmp_path / name
    command = [*COMMAND, "-o", str(out), "--workers", workers]
    # Its input stays open, so that it cannot have come to an end.
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write(b"".join(line + b"\n" for line in LINES[:2600]))
        process.stdin.flush()
        wait_until(lambda: out.exists() and out.stat().st_size > 0)
        process.send_signal(ended_by)
        said = process.stderr.read()
        code = process.wait(60)
    if ended_by is signal.SIGINT:
        assert code == 130, said
        assert b"interrupted; go on with --resume" in said
        assert b"Traceback" not in said
    point = resume_point(str(out), "error")
    assert 0 < point.rows < 3000
    if ended_by is signal.SIGKILL:  # as if it had been killed while it wrote
        with out.open("ab") as file:
            file.write(gzip.compress(whole)[:1000] if name.endswith(".gz") else whole[:70])
    result = resumed(source, out, "--workers", workers)
    assert content(out) == whole
    assert result.returncode == 1
    assert f"3,000 rows ({point.rows:,} of them earlier), {FAILED} failed".encode() in result.stderr


@pytest.mark.skipif(not PROCESSES.exists(), reason="looks processes up in /proc")
@pytest.mark.parametrize("name", ["out.jsonl", "out.jsonl.gz"])
def test_a_run_whose_worker_was_killed_is_resumed(
    source: Path, whole: bytes, tmp_path: Path, name: str
) -> None:
    out = tmp_path / name
    command = [*COMMAND, "-o", str(out), "--workers", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write(b"".join(line + b"\n" for line in LINES[:2600]))
        process.stdin.flush()
        wait_until(lambda: out.exists() and out.stat().st_size > 0)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
        _, said = process.communicate(b"".join(line + b"\n" for line in LINES[2600:]), timeout=60)
    assert process.returncode == 2
    assert b"a worker process was ended from outside" in said
    assert 0 < resume_point(str(out), "error").rows < 3000
    assert resumed(source, out, "--workers", "2").returncode == 1
    assert content(out) == whole


@pytest.mark.parametrize("keep", [0, 1, 100, 5000, 5001, -1, -2])
def test_wherever_a_file_was_cut_it_becomes_the_same(
    source: Path, whole: bytes, tmp_path: Path, keep: int
) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(whole[:keep])
    assert resumed(source, out).returncode == 1
    assert out.read_bytes() == whole


def test_a_whole_output_and_none(source: Path, whole: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert resumed(source, out).returncode == 1
    assert out.read_bytes() == whole
    again = resumed(source, out)
    assert out.read_bytes() == whole
    assert again.returncode == 1, "rows failed, though earlier"


def test_every_cut_of_lines(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    data = '{"a": "é"}\n{"error": {}}\n{"text": "\\"error\\""}\n'.encode()
    for size in range(len(data) + 1):
        out.write_bytes(data[:size])
        point = resume_point(str(out), "error")
        kept = data[: point.size]
        assert data[:size].startswith(kept)
        assert b"\n" not in data[point.size : size]
        assert point == ResumePoint(kept.count(b"\n"), int(b"{}" in kept), len(kept))
        cut_off(str(out), point)
        assert out.read_bytes() == kept


def test_every_cut_of_members(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl.gz"
    members = [gzip.compress(b'{"a": %d}\n' % number * 3 + b'{"error": 1}\n') for number in range(4)]
    ends = [sum(map(len, members[:number])) for number in range(5)]
    data = b"".join(members)
    for size in range(len(data) + 1):
        out.write_bytes(data[:size])
        number = max(number for number, end in enumerate(ends) if end <= size)
        assert resume_point(str(out), "error") == ResumePoint(4 * number, number, ends[number])


def test_a_row_that_is_nested_as_deep_as_it_could_be_read(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    depth = 100_000  # more than any interpreter reads
    deep = "[" * depth + "]" * depth
    out.write_text(f'{{"a": {deep}, "error": {{"class": "X"}}}}\n{{"error": {deep}, "message": 1}}\n')
    assert resume_point(str(out), "error") == ResumePoint(2, 1, out.stat().st_size)


def test_long_members_and_long_lines(tmp_path: Path) -> None:
    lines = [json.dumps({"text": os.urandom(700_000).hex()}).encode() + b"\n" for _ in range(4)]
    packed = gzip.compress(b"".join(lines), 1)
    out = tmp_path / "out.jsonl.gz"
    out.write_bytes(packed * 2 + packed[:-1])
    assert resume_point(str(out), "error") == ResumePoint(8, 0, 2 * len(packed))
    out = tmp_path / "out.jsonl"
    out.write_bytes(b"".join(lines)[:-1])
    assert resume_point(str(out), "error") == ResumePoint(3, 0, sum(map(len, lines[:3])))


def test_what_respc_did_not_write_is_left_alone(tmp_path: Path) -> None:
    for data in (b'{"a": 1}\n', gzip.compress(b'{"a": 1}\n') + b"more", gzip.compress(b'{"a": 1}\n{"b"')):
        out = tmp_path / "out.jsonl.gz"
        out.write_bytes(data)
        with pytest.raises(CorpusError, match="cannot be resumed"):
            resume_point(str(out), "error")
        assert out.read_bytes() == data
    with pytest.raises(CorpusError, match="not a regular file"):
        resume_point(str(tmp_path), "error")


def test_another_input_is_noticed(source: Path, whole: bytes, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_bytes(whole + whole[:500])
    result = resumed(source, out)
    assert result.returncode == 2
    assert b"has 3000 rows, and the output has" in result.stderr


def test_parquet_is_refused(source: Path, tmp_path: Path) -> None:
    result = resumed(source, tmp_path / "out.parquet")
    assert result.returncode == 2
    assert b"a Parquet file cannot be resumed" in result.stderr
    assert not list(tmp_path.iterdir())
