"""Several processes: order, bounds, and what happens when one ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import repeat
from multiprocessing import active_children
from typing import TYPE_CHECKING

import pytest

from respc.corpora import CorpusError, CorpusJob, ParserCode, RowKeys, find_parser
from respc.corpora.workers import parsed_in_order
from support.devices import needs_posix
from support.processes import PROCESSES, children_of, runs, wait_until, workers_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

JOB = CorpusJob(find_parser("smollm3"), RowKeys(), "jsonl")


def batch(number: int) -> list[bytes]:
    # Every third one takes longer, so that others overtake it.
    text = "word " * (40_000 if number % 3 == 0 else 1)
    return [json.dumps({"n": number, "text": text}).encode()]


@pytest.mark.parametrize("workers", [1, 2])
def test_order_is_kept_and_few_batches_are_held(workers: int) -> None:
    taken = 0

    def batches() -> Iterator[list[bytes]]:
        nonlocal taken
        for taken in range(1, 61):
            yield batch(taken)

    given = []
    for parsed in parsed_in_order(JOB, batches(), workers):
        given.append(json.loads(parsed.written)["n"])
        assert taken - len(given) <= 3 * workers
    assert given == list(range(1, 61))


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_read_before_reading_failed_is_given(workers: int) -> None:
    def batches() -> Iterator[list[bytes]]:
        yield from map(batch, range(4))
        raise CorpusError("the disk is gone")

    parsed = parsed_in_order(JOB, batches(), workers)
    assert [json.loads(next(parsed).written)["n"] for _ in range(4)] == [0, 1, 2, 3]
    with pytest.raises(CorpusError, match="the disk is gone"):
        next(parsed)


@needs_posix
def test_a_process_that_is_killed_is_an_error() -> None:
    def batches() -> Iterator[list[bytes]]:
        for number in range(1000):
            yield batch(number)

    parsed = parsed_in_order(JOB, batches(), 2)
    next(parsed)
    for child in active_children():
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
    with pytest.raises(CorpusError, match="worker process was ended"):
        list(parsed)


@needs_posix
@pytest.mark.parametrize("pause", [0.0, 0.05, 0.2])
def test_one_process_that_is_killed_while_it_answers_is_an_error(pause: float) -> None:
    # An answer that fills any pipe is half written when the process ends.
    large = [json.dumps({"n": 0, "text": "word " * 1_000_000}).encode()]
    before = set(active_children())
    parsed = parsed_in_order(JOB, repeat(large, 20), 2)
    next(parsed)
    victim = (set(active_children()) - before).pop()
    assert victim.pid is not None
    time.sleep(pause)
    os.kill(victim.pid, signal.SIGKILL)
    with pytest.raises(CorpusError, match="worker process was ended"):
        list(parsed)
    assert set(active_children()) <= before


def test_no_process_is_left_when_the_reader_stops() -> None:
    before = set(active_children())
    parsed = parsed_in_order(JOB, map(batch, range(1000)), 2)
    next(parsed)
    parsed.close()
    assert set(active_children()) <= before


@needs_posix
def test_more_processes_than_can_be_started_are_an_error(tmp_path: Path) -> None:
    import resource

    source = tmp_path / "in.jsonl"
    source.write_bytes(b'{"text": "hi"}\n')
    command = [sys.executable, "-m", "respc", "parse", "smollm3", str(source), "--jsonl", "--workers", "60"]
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=60,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)),
    )
    assert done.returncode == 2
    assert b"a worker process cannot be started: " in done.stderr
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not PROCESSES.exists(), reason="looks processes up in /proc")
def test_ctrl_c_while_processes_start_is_quiet(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "respc", "parse", "smollm3", "--jsonl", "-o", str(out), "--workers", "2"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert process.stdin is not None
        process.stdin.write(b'{"text": "a"}\n' * 300)  # processes start when the first rows are there
        process.stdin.flush()
        wait_until(lambda: workers_of(process.pid))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        said = process.stderr.read()
    assert process.returncode == 130
    assert b"Traceback" not in said


def test_a_process_that_is_busy_is_not_waited_for() -> None:
    # Rows that one process parses for minutes; what is read besides is parsed at once.
    slow = "import time\n\ndef parse_response(text, *, prefix, tools):\n    time.sleep(100 * (text == 's'))\n"
    code = ParserCode("slow", source=f"{slow}\nResponseParser = None\n", file="slow.py")
    job = CorpusJob(code, RowKeys(), "jsonl")
    batches = [[b'{"text": ""}'], [b'{"text": "s"}'], [b'{"text": ""}'], [b'{"text": ""}']]
    parsed = parsed_in_order(job, iter(batches), 2)
    next(parsed)
    begun = time.monotonic()
    parsed.close()
    assert time.monotonic() - begun < 50


@pytest.mark.skipif(not PROCESSES.exists(), reason="looks processes up in /proc")
def test_no_process_outlives_a_command_that_is_killed(tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    command = [sys.executable, "-m", "respc", "parse", "smollm3", "--jsonl", "-o", str(out), "--workers", "2"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None
        process.stdin.write(b'{"text": "hi"}\n' * 2560)
        process.stdin.flush()
        wait_until(lambda: out.exists() and out.stat().st_size > 0)
        children = children_of(process.pid)
        assert len(children) >= 2
        process.kill()
    wait_until(lambda: not any(map(runs, children)))
