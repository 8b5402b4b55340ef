"""Batches parsed by several processes, given back in order, two for each process at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import wait
from queue import SimpleQueue
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

    No more than two for each process are held at a time. What was read before reading failed is given first.

    Raises:
        CorpusError: a process cannot be started, or ended.
    """
    if workers == 1:
        yield from map(BatchParser(job), batches)
        return
    pool: list[_Worker] = []
    try:
        with _interrupts_held_back():
            while len(pool) < workers:
                pool.append(_started(job))
        # A second batch is there when the first is done: else a process would wait for this one to come round.
        yield from _given_back(deque(pool * 2), iter(batches))
    finally:
        for worker in pool:
            worker.connection.close()
            worker.process.terminate()  # it may still import, or parse for long, and has nothing to put in order
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
        """Hand over a batch, which the process takes whatever else it does."""
        try:
            self.connection.send(batch)
        except OSError as error:
            raise _ended() from error

    def answer(self) -> ParsedBatch:
        """Wait for what became of the batch that it has had for longest."""
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
    try:
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(job, theirs), daemon=True)
        process.start()
    except OSError as error:
        raise CorpusError(
            f"a worker process cannot be started: {error.strerror or error}: ask for fewer with --workers"
        ) from error
    theirs.close()
    return _Worker(process, ours)


@contextmanager
def _interrupts_held_back() -> Generator[None]:
    """Hold back Ctrl-C; processes that are started meanwhile never get it, not even while they import."""
    if sys.platform == "win32":
        yield
        return
    # If the first process started it, that would end the holding back.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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
    # Ctrl-C goes to all processes of a terminal; the first one ends the others. (Only Windows needs this.)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    batches: SimpleQueue[Batch | None] = SimpleQueue()
    Thread(target=_receive, args=(connection, batches), daemon=True).start()
    parse = BatchParser(job)
    answer: ParsedBatch | Exception
    while (batch := batches.get()) is not None:
        try:
            answer = parse(batch)
        except Exception as error:
            answer = error
        try:
            connection.send(answer)
        except OSError:  # nobody waits for it any more
            return


def _receive(connection: Connection, batches: SimpleQueue[Batch | None]) -> None:
    """Take batches at once, so that two processes that write to each other do not both wait; None ends them."""
    while True:
        try:
            batches.put(connection.recv())
        except (EOFError, OSError):
            batches.put(None)
            return


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: killed, it can tell nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)
