"""Batches parsed by several processes, given back in order, a few at a time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import wait
from threading import Thread
from typing import TYPE_CHECKING, Final

from respc.corpora.errors import CorpusError
from respc.corpora.rows import BatchParser

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from respc.corpora.rows import Batch, CorpusJob, ParsedBatch

_IN_FLIGHT: Final = 3
"""Batches for each process: one that it parses, one that waits for it, one that waits to be written."""


def parsed_in_order(job: CorpusJob, batches: Iterable[Batch], workers: int) -> Generator[ParsedBatch]:
    """Parse batches and give them in the order in which they came.

    No more than a few for each process are held at a time. What was read before reading failed is given first.

    Raises:
        CorpusError: a process ended.
    """
    if workers == 1:
        yield from map(BatchParser(job), batches)
        return
    # Processes that start afresh are the same everywhere, and know nothing of threads of this one.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(job,))
    try:
        yield from _given_back(pool, iter(batches), workers * _IN_FLIGHT)
    except BrokenProcessPool as error:
        raise CorpusError("a worker process was ended from outside, perhaps for want of memory") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _given_back(pool: ProcessPoolExecutor, batches: Iterator[Batch], limit: int) -> Iterator[ParsedBatch]:
    running: deque[Future[ParsedBatch]] = deque()
    failure: CorpusError | None = None
    while failure is None:
        try:
            running.append(pool.submit(_parse, next(batches)))
        except StopIteration:
            break
        except CorpusError as error:
            failure = error
        # What is done is given at once, since reading can take long, and what is written is safe.
        while running and (len(running) == limit or running[0].done()):
            yield running.popleft().result()
    while running:
        yield running.popleft().result()
    if failure is not None:
        raise failure


class _Process:
    """What a worker process keeps between batches."""

    parser: BatchParser


def _begin(job: CorpusJob) -> None:
    # Ctrl-C goes to all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _Process.parser = BatchParser(job)


def _end_with_parent() -> None:
    """End this process when the one that started it is gone: killed, it can tell nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _parse(batch: Batch) -> ParsedBatch:
    return _Process.parser(batch)
