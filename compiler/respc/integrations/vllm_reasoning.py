"""What vLLM asks of the token ids of a reasoning model: whether its reasoning has ended, and how long it was."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final

from respc.integrations.token_text import TokenText
from respc.integrations.vllm_formats import UNLIKE_ANY_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from respc.integrations.vllm_formats import ServedFormat

_FEW_TOKENS: Final = 512
"""The answer begins mostly so near the end of the prompt; decoding is what costs most."""
_CONTEXT: Final = 8
"""So many tokens before others tell how these are decoded."""
_LONGEST_CLOSER: Final = 256
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


class ReasoningState:
    """Follows the events of an answer, and tells whether its reasoning has ended."""

    def __init__(self, reasoning_field: str) -> None:
        self._field = reasoning_field
        self.is_open = False
        self.ended = False
        self.opened: tuple[int, int] | None = None

    def follow(self, events: Iterable[Any]) -> None:
        """Take events."""
        for event in events:
            kind, is_reasoning = event["type"], event["field"] == self._field
            if kind == "region_open":
                self.is_open = is_reasoning
                if is_reasoning:
                    self.opened, self.ended = (event["start"], event["end"]), False
                elif event["start"] < event["end"]:
                    self.ended = True
            elif kind == "region_chunk":
                # Before it reasons, a model can write blanks.
                self.ended |= not is_reasoning and not _is_blank(event["text"])
            elif is_reasoning and kind != "text_outside":
                self.is_open, self.ended = False, True


def _is_blank(text: str) -> bool:
    return not text.replace(UNLIKE_ANY_TEXT, "").strip()


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
        self._taken = 0
        self._last: int | None = None
        self._parser: Any = None
        self._state = ReasoningState("")
        self._text: TokenText | None = None
        self._body = ""
        self._opener = ""

    def ended(self, ids: Sequence[int]) -> bool:
        """Tell whether the reasoning has ended in a prompt, or in a prompt and what follows on it."""
        field = self._served.reasoning_field
        if field is None:
            return True
        parser = self._served.parser(prompt_end(self._served, self._decode, ids))
        state = ReasoningState(field)
        state.follow(parser.initial_events)
        state.follow(parser.feed(UNLIKE_ANY_TEXT))
        return state.ended or (self._no_reasoning and not state.is_open)

    def ended_with(self, ids: Sequence[int], new_ids: Iterable[int]) -> bool:
        """Tell whether the reasoning has ended, where the last of the ids are new, and may be taken back."""
        field = self._served.reasoning_field
        if field is None:
            return True
        new = list(new_ids)
        known = len(ids) - len(new)
        self._advance(field, ids, known)
        if self._state.ended:
            return True
        context = list(ids[max(known - _CONTEXT, 0) : known])
        text = self._decode(context + new)[len(self._decode(context)) :]
        return self._would_end(field, text)

    def _advance(self, field: str, ids: Sequence[int], known: int) -> None:
        """Take the ids that stay and are not taken yet; begin again where others were taken."""
        is_same = 0 < self._taken <= known and ids[self._taken - 1] == self._last
        if not is_same:
            self._parser = self._served.parser(prompt_end(self._served, self._decode, ids[:known]))
            self._state = ReasoningState(field)
            self._text = TokenText(self._decode)
            self._text.take(list(ids[max(known - _CONTEXT, 0) : known]))
            self._note(self._parser.initial_events)
        elif self._text is not None and known > self._taken:
            text = self._text.take(list(ids[self._taken : known]))
            self._body += text
            self._note(self._parser.feed(text))
        self._taken = known
        self._last = ids[known - 1] if known else None

    def _note(self, events: Iterable[Any]) -> None:
        opened = self._state.opened
        self._state.follow(events)
        if self._state.opened != opened and self._state.opened is not None:
            start, end = self._state.opened
            text = self._parser.input_text
            self._opener, self._body = text[start:end], text[end:]
        self._body = self._body[-_LONGEST_CLOSER:]

    def _would_end(self, field: str, text: str) -> bool:
        """Tell whether the reasoning ends if this follows: a parser of its own reads what is near."""
        state, parser = ReasoningState(field), self._served.parser("")
        before = self._opener + _BODY + self._body if self._state.is_open else self._parser.input_text
        state.follow(parser.feed(before + text))
        state.follow(parser.feed(UNLIKE_ANY_TEXT))
        return state.ended


class ReasoningCounter:
    """Counts the tokens of the reasoning in an answer that grows.

    Args:
        served: the format.
        prompt: the end of the prompt.
        decode: makes text of token ids.
    """

    def __init__(self, served: ServedFormat, prompt: str, decode: Callable[[list[int]], str]) -> None:
        self._field = served.reasoning_field
        self._parser = served.parser(prompt)
        self._text = TokenText(decode)
        self._ids: list[int] = []
        self._start = len(self._parser.input_text)
        # Where the text of each token ends.
        self._ends: list[int] = []
        self._spans: list[tuple[int, int]] = []
        self._open: int | None = None
        self._follow(self._parser.initial_events)

    def continues(self, ids: Sequence[int]) -> bool:
        """Tell whether these ids go on from those that were counted."""
        return list(ids[: len(self._ids)]) == self._ids

    def count(self, ids: Sequence[int]) -> int:
        """Count the tokens of reasoning in all ids, of which the first were perhaps counted before."""
        if self._field is None:
            return 0
        for token in ids[len(self._ids) :]:
            text = self._text.take([token])
            self._ids.append(token)
            self._ends.append((self._ends[-1] if self._ends else self._start) + len(text))
            self._follow(self._parser.feed(text))
        spans = list(self._spans)
        if self._open is not None:
            # What is held back as a beginning closer counts until that is whole.
            spans.append((self._open, self._ends[-1] + 1 if self._ends else self._open))
        return self._tokens_in(spans)

    def _tokens_in(self, spans: list[tuple[int, int]]) -> int:
        begins = [self._start, *self._ends[:-1]]
        total = behind = 0
        for start, end in spans:
            first = max(bisect_right(self._ends, start), behind)
            behind = max(bisect_left(begins, end), behind)
            total += max(behind - first, 0)
        return total

    def _follow(self, events: Iterable[Any]) -> None:
        for event in events:
            if event["field"] != self._field or event["type"] in ("region_chunk", "text_outside"):
                continue
            if event["type"] == "region_open":
                self._open = event["end"]
            elif self._open is not None:
                self._spans.append((self._open, event["start"]))
                self._open = None
