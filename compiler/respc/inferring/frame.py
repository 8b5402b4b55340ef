"""The frame of a message: where it begins in the prompt, and what ends the turn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from respc.inferring.sides import closes
from respc.inferring.tokens import common_end, lenient, marks, tokens
from respc.verifying import Generation
from respc.verifying.writing import UNKNOWN_END

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from respc.inferring.reasoning import Reasoning
    from respc.verifying import Writings

_MOST_ANCHORS: Final = 4
_MOST_TOKENS: Final = 40
_DEBRIS: Final = "\"'}]) ,\n"
"""What may be left of a tool's result that is written as JSON."""


@dataclass(frozen=True, slots=True)
class Tail:
    """What prompts have behind the last message before the model's.

    Attributes:
        text: that.
        prompt: one of the prompts.
        turn_at: where in it the tail begins.
        feature: what the message has that follows.
        context: what comes before.
        is_begun: whether the prompt has the beginning of the text, too.
    """

    text: str
    prompt: str
    turn_at: int
    feature: str
    context: str
    is_begun: bool


@dataclass(frozen=True, slots=True)
class Ends:
    """What ends a turn, as patterns; each is "" where there is none.

    Attributes:
        final: what is nowhere within a turn: behind it the message is over.
        inner: what is within turns, too.
    """

    final: str
    inner: str

    @property
    def over(self) -> list[str]:
        """The alternatives of a closer for the end of the turn."""
        found = [rf"(?:{self.inner})\s*"] if self.inner else []
        # Nothing behind the end of a turn is of the message.
        return [*found, rf"(?:{self.final})[\s\S]*"] if self.final else found


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a message begins and ends.

    Attributes:
        anchors: what begins it, each of them; the first is that of a usual turn.
        seen: for each anchor a tail that shows it.
        ends: what ends a turn.
        followers: what begins a turn that follows; models that no mark ends stop there.
        pattern: in place of the anchors, where they are no fixed texts.
        rests: what prompts have behind the anchor, of each kind.
    """

    anchors: tuple[str, ...]
    seen: tuple[Tail, ...]
    ends: tuple[str, ...]
    followers: tuple[str, ...]
    pattern: str | None = None
    rests: tuple[str, ...] = ()

    def behind_anchor(self, text: str) -> str:
        """Give what of a text stands behind the last anchor in it; all of it where there is none."""
        if self.pattern is not None:
            found = [match.end() for match in re.finditer(self.pattern, text)]
            return text[found[-1] :] if found else text
        ends = [text.rfind(anchor) + len(anchor) for anchor in self.anchors if anchor in text]
        return text[max(ends) :] if ends else text


def find_frame(
    written: Writings, header: str, reasoning: Reasoning | None, followers: Sequence[str]
) -> Frame:
    """Find the anchors and the ends.

    Args:
        written: all that the chat template writes of the usual messages.
        header: what prompts have more than conversations.
        reasoning: how reasoning is written.
        followers: what begins the turns that follow those of the model.
    """
    tails = _tails(written)
    opener = "" if reasoning is None else reasoning.open
    closer = "" if reasoning is None else reasoning.close
    anchors: list[str] = []
    seen: list[Tail] = []
    left = tails
    while left and len(anchors) < _MOST_ANCHORS:
        group = left if anchors else [tail for tail in left if not tail.context.startswith("after")] or left
        anchor = _anchor(group, header if not anchors else "", opener, closer, written.borders.ends)
        if not anchor:
            break
        anchors.append(anchor)
        seen.append(next(tail for tail in group if anchor in tail.text))
        left = [tail for tail in left if not any(each in tail.text for each in anchors)]
    known = tuple(end for end in written.borders.ends if end and end != UNKNOWN_END)
    others = tuple(each for each in followers if each not in known)
    frame = Frame(tuple(anchors), tuple(seen), known, others, _pattern_for(left, anchors))
    rests = [
        frame.behind_anchor(tail.prompt).strip() for tail in tails if not tail.is_begun and tail not in left
    ]
    return replace(frame, rests=tuple(dict.fromkeys(rest for rest in rests if rest)))


def _tails(written: Writings) -> list[Tail]:
    found: dict[tuple[str, str], Tail] = {}
    for each in written.found:
        if isinstance(each, Generation):
            cut = each.cut
            text = cut.prefix[cut.turn_at :]
            feature, context = each.case.feature, each.case.context
            tail = Tail(text, cut.prefix, cut.turn_at, feature.name, context.name, feature.prefill)
            found.setdefault((text, context.name), tail)
    return list(found.values())


def _anchor(tails: Sequence[Tail], header: str, opener: str, closer: str, ends: Sequence[str]) -> str:
    """Find the text that most tails have, that begins with no end of a turn, and is the longest."""
    best, merit = "", (0, False, 0)
    for candidate in _beginnings(header, opener, closer) if header.strip() else _runs(tails, opener, closer):
        count = sum(candidate in tail.text for tail in tails)
        first = next(iter(marks(candidate)), "")
        begins = not (first and candidate.startswith(first) and (first in ends or closes(first)))
        if count and (count, begins, len(candidate)) > merit:
            best, merit = candidate, (count, begins, len(candidate))
    return best


def _beginnings(header: str, opener: str, closer: str) -> Iterator[str]:
    """Yield the beginnings of a header that are marks or words."""
    text = _without_reasoning(header.lstrip(), opener, closer)
    parts = tokens(text)
    for count in range(len(parts), 0, -1):
        candidate = "".join(parts[:count])
        if candidate.strip():
            yield candidate


def _runs(tails: Sequence[Tail], opener: str, closer: str) -> Iterator[str]:
    """Yield the ends of tails, from a mark on."""
    texts = [_without_reasoning(tail.text, opener, closer) for tail in tails if not tail.is_begun]
    if not texts:
        return
    for text in dict.fromkeys([common_end(*texts), *sorted(texts, key=len)]):
        parts = tokens(text.lstrip(_DEBRIS))[-_MOST_TOKENS:]
        starts = [at for at, part in enumerate(parts) if marks(part)]
        for at in starts[-2:] if len(starts) > 1 else starts or [0]:
            candidate = "".join(parts[at:]).lstrip()
            if candidate.strip(_DEBRIS):
                yield candidate
                yield candidate.rstrip()


def _without_reasoning(text: str, opener: str, closer: str) -> str:
    """Cut off what a prompt writes of the reasoning: it is read by the reasoning's field."""
    for mark in (opener, closer):
        if mark and mark in text:
            text = text[: text.index(mark)]
    return text


def _pattern_for(left: Sequence[Tail], anchors: Sequence[str]) -> str | None:
    """Make a pattern where some prompts have nothing fixed behind a result: from the mark in front of the result on."""
    for tail in left:
        if not tail.context.startswith("after"):
            continue
        before = tail.prompt[: tail.turn_at]
        found = marks(before[-400:])
        if not found or not anchors or tail.is_begun:
            continue
        result = rf"{lenient(found[-1])}[^<]*{lenient(tail.text)}"
        return "|".join([*map(lenient, anchors), result])
    return None
