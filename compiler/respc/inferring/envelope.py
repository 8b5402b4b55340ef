"""What stands around calls: the marks of each call, what separates two, and the section that holds them all."""

from __future__ import annotations

from dataclasses import dataclass

from respc.inferring.tokens import common_beginning, common_end


@dataclass(frozen=True, slots=True)
class Span:
    """Where something is in a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Envelope:
    """What stands around calls, blanks and all.

    Attributes:
        section_open: in front of all calls.
        open: in front of each.
        close: behind each.
        separator: between two.
        section_close: behind all.
        several: whether two calls were seen in a message.
    """

    section_open: str
    open: str
    close: str
    separator: str
    section_close: str
    several: bool

    @property
    def has_section(self) -> bool:
        """Whether something is written once around all calls."""
        return bool(self.section_open.strip())

    @property
    def runs_together(self) -> bool:
        """Whether nothing at all is between two calls."""
        return self.several and not (self.open or self.close or self.separator)


def envelope_of(one: str, own: Span, pair: str | None, first: Span | None, second: Span | None) -> Envelope:
    """Compare what is around one call with what is around two.

    Args:
        one: a text with one call.
        own: where the call is.
        pair: a text with two; None where there is none.
        first: where the first of them is.
        second: where the second is.
    """
    before, after = one[: own.start], one[own.end :]
    if pair is None or first is None or second is None or first.end > second.start:
        return Envelope("", before, after, "", "", several=False)
    between = pair[first.end : second.start]
    closer = common_beginning(after, between)
    rest = between[len(closer) :]
    opener = common_end(before, rest)
    separator = rest[: len(rest) - len(opener)]
    behind = after[len(closer) :]
    return Envelope(before[: len(before) - len(opener)], opener, closer, separator, behind, several=True)
