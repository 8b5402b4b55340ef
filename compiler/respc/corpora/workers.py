"""Batches parsed by several processes, given back in order, one for each process at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import wait
from threading import Thread
from typing import TYPE_CHECKING

from respc.corpora.errors import CorpusError
from respc.corpora.rows import BatchParser, ParsedBatch

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from respc.corpora.rows import Batch, CorpusJob


def parsed_in_order(job: CorpusJob, batches: Iterable[Batch], workers: int) -> Generator[ParsedBatch]:
    """Parse batches and give them in the order in which they came.

    No more than one for each process is held at a time. What was read before reading failed is given first.

    Raises:
        CorpusError: a process ended.
    """
    if workers == 1:
        yield from map(BatchParser(job), batches)
        return
    pool = [_started(job) for _ in range(workers)]
    try:
        yield from _given_back(deque(pool), iter(batches))
    finally:
        for worker in pool:
            worker.connection.close()
        for worker in pool:
            worker.process.join()


@dataclass(frozen=True, slots=True)
class _Worker:
    """A process, and the connection to it.

    Each has its own: of a process that is killed while it answers, half of an answer would block what is shared.
    """

    process: BaseProcess
    connection: Connection

    def take(self, batch: Batch) -> None:
        """Hand over a batch; the process has to be waiting for one."""
        try:
            self.connection.send(batch)
        except OSError as error:
            raise _ended() from error

    def answer(self) -> ParsedBatch:
        """Wait for what became of the batch."""
        try:
            answer: ParsedBatch | Exception = self.connection.recv()
        except (EOFError, OSError) as error:
            raise _ended() from error
        if isinstance(answer, Exception):
            raise answer
        return answer


def _ended() -> CorpusError:
    return CorpusError("a worker process was ended from outside, perhaps for want of memory")


def _started(job: CorpusJob) -> _Worker:
    # Processes that start afresh are the same everywhere, and know nothing of threads of this one.
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_work, args=(job, theirs), daemon=True)
    process.start()
    theirs.close()
    return _Worker(process, ours)


def _given_back(idle: deque[_Worker], batches: Iterator[Batch]) -> Iterator[ParsedBatch]:
    busy: deque[_Worker] = deque()
    failure: CorpusError | None = None
    while failure is None:
        # What is done is given at once, since reading can take long, and what is written is safe.
        while busy and (not idle or busy[0].connection.poll()):
            yield busy[0].answer()
            idle.append(busy.popleft())
        try:
            batch = next(batches)
        except StopIteration:
            break
        except CorpusError as error:
            failure = error
        else:
            idle[0].take(batch)
            busy.append(idle.popleft())
    for worker in busy:
        yield worker.answer()
    if failure is not None:
        raise failure


def _work(job: CorpusJob, connection: Connection) -> None:
    """Parse batches, one after another, until there are no more: what a worker process does."""
    # Ctrl-C goes to all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    parse = BatchParser(job)
    answer: ParsedBatch | Exception
    while True:
        try:
            batch: Batch = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = parse(batch)
        except Exception as error:
            answer = error
        try:
            connection.send(answer)
        except OSError:  # nobody waits for it any more
            return


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: killed, it can tell nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
