"""Headers of messages: a mark with a word, another mark, and then the text.

A chat template writes a header in one way, and models write others: the recipient of a call behind the channel instead
of in front of it, with the type of the arguments or without, and channels that no message of the chat template has.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from respc.inferring.tokens import MARK, lenient, marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.inferring.call_formats import CallFormat

_WORDS: Final = "[^<>{]*"
_NAMESPACE: Final = re.compile(r"^(?P<before>.*\W)(?P<namespace>\w+\.)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Header:
    """A header.

    Attributes:
        mark: what begins it.
        words: what it says.
        end: the mark that ends it.
    """

    mark: str
    words: str
    end: str


def _header_at_end(text: str) -> _Header | None:
    """Take the header apart that a text ends with; None where it ends with none."""
    found = list(MARK.finditer(text))
    if len(found) < 2 or text[found[-1].end() :].strip():
        return None
    begin, end = found[-2:]
    words = text[begin.end() : end.start()].strip()
    return _Header(begin[0], words, end[0]) if words[:1].isalnum() else None


def with_free_headers(written: CallFormat, behind_name: str) -> Iterator[CallFormat]:
    """Yield a format with other ways to write its header, where it has one, and as it is.

    Args:
        written: the format, whose head begins with the name.
        behind_name: what is between the name and the arguments.
    """
    header = _header_at_end(behind_name)
    recipient = written.envelope.open.strip()
    if header is not None and recipient and not marks(recipient):
        mark, end = lenient(header.mark), lenient(header.end)
        named = recipient[-1:] if recipient[-1:] != "." else "="
        head = rf"(?P<name>[^\s<>{{{named}]+)\s*(?:{mark}{_WORDS})?(?:<\|\w+\|>{_WORDS})?{end}"
        yield replace(written, head=head, lead=_lead(recipient, mark))
    yield written


def _lead(recipient: str, mark: str) -> str:
    """Write the pattern of what is in front of the name."""
    namespace = _NAMESPACE.match(recipient)
    if namespace is None:
        return rf"(?:{mark}\w+\s+)?{lenient(recipient)}"
    return rf"(?:{mark}\w+\s+)?{lenient(namespace['before'])}(?:{lenient(namespace['namespace'])})?"


@dataclass(frozen=True, slots=True)
class FreeHeader:
    """All headers like one.

    Attributes:
        pattern: the pattern of them.
        known: the pattern of what the one begins with, its mark and its words.
    """

    pattern: str
    known: str

    def covers(self, pattern: str) -> bool:
        """Tell whether what a pattern matches begins a header, so that it would cut this in two."""
        return pattern == self.known


def free_header_of_content(leads: Sequence[str], reasoning_open: str) -> FreeHeader | None:
    """Write the pattern of all headers like those of content; None where content has none.

    Args:
        leads: what stands in front of content.
        reasoning_open: what opens reasoning, whose word no other header may begin like.
    """
    reasoning = _header_at_end(reasoning_open)
    if reasoning is None:
        return None
    for lead in leads:
        header = _header_at_end(lead)
        if header is not None and (header.mark, header.end) == (reasoning.mark, reasoning.end):
            mark, end = lenient(header.mark), lenient(header.end)
            pattern = rf"{mark}[^\W{reasoning.words[0]}]\w*\s*{end}"
            return FreeHeader(pattern, lenient(header.mark + header.words))
    return None
