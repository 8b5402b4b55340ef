"""Reading a text with a response template: the message, or what keeps it from being read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from respc_runtime.errors import ResponseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from respc.verifying.generations import Generation
    from respc_runtime.tools import PreparedTools

CHUNK_SIZES: Final = (1, 3, 16)
"""The characters of the chunks that a text is streamed in: every place is cut, and some are not."""

_NO_BLANK: Final = "\ue000"
"""A character that no format has: behind it a closer that takes blanks is known to be whole."""


class Parser(Protocol):
    """A module of a response template, compiled or ready-made."""

    @property
    def parse_response(self) -> Any:
        """Parses whole texts."""
        ...

    @property
    def ResponseParser(self) -> Any:  # noqa: N802
        """Parses streams."""
        ...


@dataclass(frozen=True, slots=True)
class Read:
    """What came of a text.

    Attributes:
        message: the message; None where there is an error.
        error: what was raised.
        field: the field that the error is of.
        excerpt: the beginning of what cannot be read.
        unclosed: the field whose region was still open at the end.
        opened_by_prompt: the field whose region was open at the end of the prompt.
    """

    message: dict[str, Any] | None
    error: str | None = None
    field: str | None = None
    excerpt: str | None = None
    unclosed: str | None = None
    opened_by_prompt: str | None = None


class Reader:
    """Reads texts with one response template, each text behind a prompt once.

    Args:
        parser: the module of the template.
    """

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._read: dict[tuple[str, str, int], Read] = {}

    def read(self, generation: Generation, tools: PreparedTools | None) -> Read:
        """Read a text at once."""
        key = (generation.cut.prefix, generation.text, id(tools))
        if key not in self._read:
            self._read[key] = self._at_once(generation, tools)
        return self._read[key]

    def _at_once(self, generation: Generation, tools: PreparedTools | None) -> Read:
        try:
            message = self._parser.parse_response(generation.text, prefix=generation.cut.prefix, tools=tools)
        except (ResponseError, ValueError, KeyError, TypeError) as error:
            return _failed(error)
        return Read(message)

    def streamed(self, generation: Generation, tools: PreparedTools | None, size: int) -> Read:
        """Read a text in chunks."""
        text = generation.text
        try:
            parser = self._parser.ResponseParser(generation.cut.prefix, tools=tools)
            for start in range(0, len(text), size):
                parser.feed(text[start : start + size])
            return Read(parser.finalize()[0])
        except (ResponseError, ValueError, KeyError, TypeError) as error:
            return _failed(error)

    def explained(self, generation: Generation, tools: PreparedTools | None) -> Read:
        """Read a text at once, and say which region is never closed.

        What closes it may be the end of the turn, so that the text is looked at as it was cut, to its very end.
        """
        read = self.read(generation, tools)
        try:
            parser = self._parser.ResponseParser(generation.cut.prefix, tools=tools)
            first = list(parser.initial_events)
            opened = _open_after([*first, *parser.feed(generation.cut.text + _NO_BLANK)])
        except (ResponseError, ValueError, KeyError, TypeError):
            return read
        return Read(read.message, read.error, read.field, read.excerpt, opened, _open_after(first))


def _open_after(events: Sequence[dict[str, Any]]) -> str | None:
    opened: str | None = None
    for event in events:
        if event["type"] == "region_open":
            opened = event["field"]
        elif event["type"] == "region_close":
            opened = None
    return opened


def _failed(error: Exception) -> Read:
    reason = f"{type(error).__name__}: {error}"
    if isinstance(error, ResponseError):
        return Read(None, reason, error.field, error.excerpt)
    return Read(None, reason)
