"""A whole corpus: read, parsed, written, counted."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from respc.corpora.resuming import ResumePoint
from respc.corpora.workers import parsed_in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.corpora.reading import RowReader
    from respc.corpora.rows import CorpusJob
    from respc.corpora.writing import RowWriter


@dataclass(slots=True)
class CorpusRun:
    """What a run has done so far, which is also true of one that was interrupted.

    Attributes:
        before: what an earlier run had written.
        rows: the rows that this run has written.
        failed: how many of those failed.
    """

    before: ResumePoint = field(default_factory=ResumePoint)
    rows: int = 0
    failed: int = 0
    _started: float = field(default_factory=monotonic)

    def parse(
        self,
        job: CorpusJob,
        reader: RowReader,
        writer: RowWriter,
        *,
        workers: int = 1,
        tell: Callable[[CorpusRun], None] = lambda run: None,
    ) -> None:
        """Parse what the earlier run left.

        Args:
            job: how to parse a row.
            reader: where rows come from.
            writer: where they go; closed at the end.
            workers: how many processes parse.
            tell: called after each batch.

        Raises:
            CorpusError: rows cannot be read or written any more; those written are whole.
        """
        complete = False
        parsed = parsed_in_order(job, reader.batches(self.before.rows), workers)
        try:
            for batch in parsed:
                writer.write(batch)
                self.rows += batch.rows
                self.failed += batch.failed
                tell(self)
            complete = True
        finally:
            parsed.close()
            writer.close(complete=complete)

    @property
    def any_failed(self) -> bool:
        """Whether a row failed, in this run or in the one that it resumes."""
        return self.failed + self.before.failed > 0

    @property
    def summary(self) -> str:
        """Rows, failures and speed, on one line."""
        rows = self.rows + self.before.rows
        speed = self.rows / max(monotonic() - self._started, 1e-9)
        earlier = f" ({self.before.rows:,} of them earlier)" if self.before.rows else ""
        word = "row" if rows == 1 else "rows"
        return f"{rows:,} {word}{earlier}, {self.failed + self.before.failed:,} failed, {speed:,.0f} rows/s"
