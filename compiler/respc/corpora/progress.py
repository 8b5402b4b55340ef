"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from respc.corpora.reading import RowReader
    from respc.corpora.running import CorpusRun


@contextmanager
def shown_progress(reader: RowReader) -> Generator[Callable[[CorpusRun], None]]:
    """Show how far reading has come; gives what is to be called after each batch."""
    asks = getattr(sys.stderr, "isatty", None)
    if asks is None or not asks():
        yield lambda run: None
        return
    # Imported here because most runs that are long write their standard error to a file.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.table import Column

    columns = (
        BarColumn(bar_width=None, table_column=Column(ratio=1)),
        TextColumn("{task.percentage:>3.0f} %" if reader.total else ""),
        TextColumn("{task.fields[summary]}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as progress:
        task = progress.add_task("", total=reader.total, summary="")

        def tell(run: CorpusRun) -> None:
            progress.update(task, completed=reader.position, summary=run.brief_summary)

        yield tell
