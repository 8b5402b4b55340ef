"""What vLLM asks of the token ids of a reasoning model: whether its reasoning has ended, and how long it was."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final

from respc.integrations.token_text import TokenText
from respc.integrations.vllm_formats import UNLIKE_ANY_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from respc.integrations.engine_grammars import ReasoningState
    from respc.integrations.vllm_formats import ServedFormat

_FEW_TOKENS: Final = 512
"""The answer begins mostly so near the end of the prompt; decoding is what costs most."""
_CONTEXT: Final = 8
"""So many tokens before others tell how these are decoded."""
_LONGEST_CLOSER: Final = 256
# What reasoning can begin with.
_BODY: Final = "x"


def prompt_end(served: ServedFormat, decode: Callable[[list[int]], str], ids: Sequence[int]) -> str:
    """Give the text of a prompt from somewhere before the beginning of the answer on; "" where none is found."""
    count = _FEW_TOKENS
    while count < len(ids):
        text = decode(list(ids[-count:]))
        parser = served.parser(text)
        # A template can do without an anchor: then all of the prompt belongs to the answer.
        if parser.anchor_found and len(parser.input_text) < len(text):
            return text
        count *= 4
    text = decode(list(ids))
    return text if served.parser(text).anchor_found else ""


class ReasoningReader:
    """Reads an answer for where its reasoning begins and ends.

    Args:
        served: the format, which has reasoning.
        prompt: the end of the prompt.

    Attributes:
        is_open: whether reasoning is being written.
        ended: whether there was reasoning and it has ended, or something else began.
        spans: where reasoning stands in the input, that which is open not among it.
        opened: where the text of the last reasoning begins in the input.
    """

    def __init__(self, served: ServedFormat, prompt: str) -> None:
        self._served = served
        self._parser = served.parser(prompt)
        self.is_open = self.ended = False
        self.spans: list[tuple[int, int]] = []
        self.opened = 0
        self._opener = ""
        # The end of the open reasoning, or all text before anything was decided.
        self._near = self._parser.input_text
        self._follow(self._parser.initial_events)

    @property
    def length(self) -> int:
        """How long the input is: not cheap."""
        return len(self._parser.input_text)

    def feed(self, text: str) -> None:
        """Take the next piece."""
        self._near += text
        self._follow(self._parser.feed(text))
        self._near = self._near[-_LONGEST_CLOSER:]

    def after(self, text: str) -> tuple[bool, int]:
        """Tell whether the reasoning has ended if this text follows, and how much of the closer stands at its end.

        Parsers wait for what can belong to a closer, as blanks can. Another parser reads the text that is near, and
        behind it what no closer takes.
        """
        before = f"{self._opener}{_BODY}{self._near}" if self.is_open else self._near
        probe = ReasoningReader(self._served, "")
        probe.feed(before + text)
        # What was held back can still become an opener, so that it is no content yet.
        probe._follow(probe._parser.feed(UNLIKE_ANY_TEXT), marks_alone=True)
        end = len(before) + len(text)
        closed = probe.spans[-1][1] if probe.spans and not probe.is_open else end
        return probe.ended, max(end - closed, 0)

    def _follow(self, events: Iterable[Any], *, marks_alone: bool = False) -> None:
        for event in events:
            kind, is_reasoning = event["type"], event["field"] == self._served.reasoning_field
            if kind == "region_open":
                self.is_open = is_reasoning
                if is_reasoning:
                    self._begin(event)
                elif event["start"] < event["end"]:
                    self.ended = True
            elif kind == "region_chunk":
                # Before it reasons, a model can write blanks.
                self.ended |= not (is_reasoning or marks_alone or event["text"].isspace())
            elif is_reasoning and kind != "text_outside":
                self.is_open, self.ended = False, True
                self.spans.append((self.opened, event["start"]))

    def _begin(self, event: Any) -> None:
        self.ended, self.opened = False, event["end"]
        text = self._parser.input_text
        self._opener, self._near = text[event["start"] : event["end"]], text[event["end"] :]


class ReasoningWatch:
    """Tells of one request whether its reasoning has ended, at every step, without reading it all again.

    Args:
        served: the format.
        decode: makes text of token ids.
        no_reasoning: whether the request turned reasoning off.
    """

    def __init__(
        self, served: ServedFormat, decode: Callable[[list[int]], str], *, no_reasoning: bool
    ) -> None:
        self._served = served
        self._decode = decode
        self._no_reasoning = no_reasoning
        self._reader: ReasoningReader | None = None
        self._text = TokenText(decode)
        self._taken = 0
        self._last: int | None = None

    def ended(self, ids: Sequence[int]) -> bool:
        """Tell whether the reasoning has ended in a prompt, or in a prompt and what follows on it."""
        if self._served.reasoning_field is None:
            return True
        return self._has_ended(self._begun_with(ids))

    def _has_ended(self, reader: ReasoningReader) -> bool:
        ended, _ = reader.after("")
        return reader.ended or ended or (self._no_reasoning and not reader.is_open)

    def begins(self, prompt: str) -> ReasoningState:
        """Tell where an answer begins behind the end of its prompt: before reasoning, in it, or behind it."""
        if self._served.reasoning_field is None:
            return "none"
        reader = ReasoningReader(self._served, prompt)
        if self._has_ended(reader):
            return "none"
        return "prompt" if reader.is_open else "open"

    def ended_with(self, ids: Sequence[int], new_ids: Iterable[int]) -> bool:
        """Tell whether the reasoning has ended, where the last of the ids are new, and may be taken back."""
        if self._served.reasoning_field is None:
            return True
        new = list(new_ids)
        known = len(ids) - len(new)
        reader = self._advanced(ids, known)
        if reader.ended:
            return True
        context = list(ids[max(known - _CONTEXT, 0) : known])
        ended, _ = reader.after(self._decode(context + new)[len(self._decode(context)) :])
        return ended

    def _begun_with(self, ids: Sequence[int]) -> ReasoningReader:
        return ReasoningReader(self._served, prompt_end(self._served, self._decode, ids))

    def _advanced(self, ids: Sequence[int], known: int) -> ReasoningReader:
        """Take the ids that stay and are not taken yet; begin again where others were taken."""
        reader = self._reader
        if reader is None or not 0 < self._taken <= known or ids[self._taken - 1] != self._last:
            reader = self._reader = self._begun_with(ids[:known])
            self._text = TokenText(self._decode)
            self._text.take(list(ids[max(known - _CONTEXT, 0) : known]))
        elif known > self._taken:
            reader.feed(self._text.take(list(ids[self._taken : known])))
        self._taken = known
        self._last = ids[known - 1] if known else None
        return reader


class ReasoningCounter:
    """Counts the tokens of the reasoning in an answer that grows.

    Args:
        served: the format.
        prompt: the end of the prompt.
        decode: makes text of token ids.
    """

    def __init__(self, served: ServedFormat, prompt: str, decode: Callable[[list[int]], str]) -> None:
        self._reader = ReasoningReader(served, prompt)
        self._text = TokenText(decode)
        self._ids: list[int] = []
        # Where the text of each token begins, and where the last one ends.
        self._places = [self._reader.length]

    def continues(self, ids: Sequence[int]) -> bool:
        """Tell whether these ids go on from those that were counted."""
        return list(ids[: len(self._ids)]) == self._ids

    def count(self, ids: Sequence[int]) -> int:
        """Count the tokens of reasoning in all ids, of which the first were perhaps counted before."""
        for token in ids[len(self._ids) :]:
            text = self._text.take([token])
            self._ids.append(token)
            self._places.append(self._places[-1] + len(text))
            self._reader.feed(text)
        spans = list(self._reader.spans)
        if self._reader.is_open:
            _, of_closer = self._reader.after("")
            spans.append((self._reader.opened, self._places[-1] - of_closer))
        return self._tokens_in(spans)

    def _tokens_in(self, spans: list[tuple[int, int]]) -> int:
        ends = self._places[1:]
        total = behind = 0
        for start, end in spans:
            first = max(bisect_right(ends, start), behind)
            behind = max(bisect_left(self._places, end, hi=len(ends)), behind)
            total += max(behind - first, 0)
        return total
