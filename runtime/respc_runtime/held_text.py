"""Text that a stream holds back until more of it has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from respc_runtime.message_values import text_buffer

if TYPE_CHECKING:
    from collections.abc import Mapping
    from io import StringIO

    from respc_runtime.states import Run

LONG_HELD: Final = 256
"""So many characters are held back before it is worth asking whether a chunk can decide anything."""


class HeldText:
    """What is held back: text with what has begun to be a delimiter, and chunks that could not decide that.

    Only what ends the run of characters in which long held text ends can do so: the chunks before it wait unread.
    """

    __slots__ = ("_held", "_run", "_seen", "_tail", "_waiting")

    def __init__(self) -> None:
        self._held = ""
        # So many characters of it are no longer part of any text: what delimiters look at before a place.
        self._seen: int = 0
        # The group of the run that chunks wait in, and the end of the text before the next chunk.
        self._run: str | None = None
        self._tail = ""
        self._waiting: StringIO | None = None

    def _wait_in_run(self, runs: Mapping[Any, Run], group: str | None, text: str, start: int) -> None:
        """Let chunks wait if text that is held back from a place on is long and ends in a run."""
        if group in runs and len(text) - start > LONG_HELD:
            self._run, self._tail = group, text[len(text) - runs[group].width :]

    def _wakes(self, runs: Mapping[Any, Run], text: str) -> bool:
        """Tell whether a chunk can decide what is held back in a run; if not, it waits with that."""
        run = runs[self._run]
        seen = self._tail + text if run.width else text
        if run.search(seen):
            return True
        if self._waiting is None:
            self._waiting = text_buffer()
        self._waiting.write(text)
        self._tail = seen[-run.width :] if run.width else ""
        return False

    def _take_held(self, text: str = "") -> str:
        """Give what was held back, the chunks that waited, and the next one."""
        if self._run is None and self._waiting is None:
            return self._held + text
        waited = "" if self._waiting is None else self._waiting.getvalue()
        self._run = self._waiting = None
        return "".join((self._held, waited, text))
