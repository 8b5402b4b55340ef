"""How far a corpus has come is shown on one line of a terminal."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from respc.corpora import CorpusRun, ResumePoint, shown_progress
from support.terminals import Terminal

if TYPE_CHECKING:
    import pytest

    from respc.corpora import RowReader

STEERING: Final = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass
class HalfRead:
    """What a reader says of itself."""

    total: int = 100
    position: int = 50


def test_a_resumed_run_with_many_rows_fits_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal("utf-8")
    monkeypatch.setattr(sys, "stderr", terminal)
    for name, value in {"COLUMNS": "80", "TERM": "xterm", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)
    run = CorpusRun(ResumePoint(rows=12_345_678, failed=1_234_567), rows=123_456)
    reader: Any = HalfRead()
    with shown_progress(cast("RowReader", reader)) as tell:
        tell(run)
    lines = re.split(r"[\r\n]+", STEERING.sub("", terminal.sent.getvalue().decode("utf-8")))
    assert max(map(len, lines)) <= 80
    (shown,) = {line for line in lines if "rows/s" in line}
    assert re.fullmatch(
        r".* 50 % 12,469,134 rows, 1,234,567 failed, [\d,]+ rows/s \d:\d\d:\d\d [-:\d]+\s*", shown
    )
    assert "12,345,678 of them earlier" in run.summary
