"""What stands in for a terminal, and keeps what it is sent."""

from __future__ import annotations

import io


class Terminal(io.TextIOWrapper):
    """A terminal of one encoding that keeps what it is sent; `error` is raised in place of that."""

    def __init__(self, encoding: str, error: OSError | None = None) -> None:
        self.sent = io.BytesIO()
        self.error = error
        super().__init__(self.sent, encoding=encoding)

    def isatty(self) -> bool:
        return True

    def flush(self) -> None:
        if self.error is not None:
            raise self.error
        super().flush()
