"""A whole corpus: read, parsed, written, counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Final

from respc.corpora.resuming import ResumePoint
from respc.corpora.workers import parsed_in_order

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc.corpora.reading import RowReader
    from respc.corpora.rows import CorpusJob, Failed
    from respc.corpora.writing import RowWriter

_MOST_KINDS: Final = 20


@dataclass(slots=True)
class CorpusRun:
    """What a run has done so far, which is also true of one that was interrupted.

    Attributes:
        before: what an earlier run had written.
        rows: the rows that this run has written.
        failed: how many of those failed.
        failures: how many texts failed in this run, by the class of the error and its field.
        replaced: how many rows of this run had a key of their own where the message or the error went.
        stopped: whether it ended early, because too many had failed.
    """

    before: ResumePoint = field(default_factory=ResumePoint)
    rows: int = 0
    failed: int = 0
    failures: Counter[Failed] = field(default_factory=Counter["Failed"])
    replaced: int = 0
    stopped: bool = False
    _started: float = field(default_factory=monotonic)

    def parse(
        self,
        job: CorpusJob,
        reader: RowReader,
        writer: RowWriter,
        *,
        workers: int = 1,
        max_errors: int | None = None,
        tell: Callable[[CorpusRun], None] = lambda run: None,
    ) -> None:
        """Parse what the earlier run left.

        Args:
            job: how to parse a row.
            reader: where rows come from.
            writer: where they go; closed at the end.
            workers: how many processes parse.
            max_errors: how many rows may fail, those of the earlier run too, before the run stops; None for all.
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
                self.failures.update(batch.failures)
                self.replaced += batch.replaced
                tell(self)
                self.stopped = max_errors is not None and self.all_failed > max_errors
                if self.stopped:
                    break
            complete = not self.stopped
        finally:
            parsed.close()
            writer.close(complete=complete)

    @property
    def all_failed(self) -> int:
        """How many rows failed, in this run or in the one that it resumes."""
        return self.failed + self.before.failed

    @property
    def summary(self) -> str:
        """Rows, failures and speed, on one line."""
        earlier = f" ({self.before.rows:,} of them earlier)" if self.before.rows else ""
        return self._told(earlier)

    @property
    def brief_summary(self) -> str:
        """The same without the rows of an earlier run, for a line that has other things as well."""
        return self._told("")

    def _told(self, earlier: str) -> str:
        rows = self.rows + self.before.rows
        speed = self.rows / max(monotonic() - self._started, 1e-9)
        word = "row" if rows == 1 else "rows"
        return f"{rows:,} {word}{earlier}, {self.all_failed:,} failed, {speed:,.0f} rows/s"

    @property
    def details(self) -> list[str]:
        """What failed in this run by class and field, the most frequent first, and what was replaced; a line each."""
        kinds = sorted(self.failures.items(), key=lambda found: (-found[1], found[0][0], found[0][1] or ""))
        lines = [
            f"  {number:,} {error}" + (f" in {field_name}" if field_name is not None else "")
            for (error, field_name), number in kinds[:_MOST_KINDS]
        ]
        if len(kinds) > _MOST_KINDS:
            rest = sum(number for _, number in kinds[_MOST_KINDS:])
            lines.append(f"  {rest:,} others")
        if self.replaced:
            lines.append(f"  {self.replaced:,} with a message or an error of their own, which was replaced")
        return lines
