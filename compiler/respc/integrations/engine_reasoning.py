"""Reasoning taken out of a generation, for engines that parse it and calls one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc_runtime.openai import OPENAI_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable

REASONING_JOIN: Final = "\n"
"""Stands between two regions of reasoning where the template does not say what does."""


class SeparatedText(NamedTuple):
    """What a chunk adds to the reasoning, and to all the rest."""

    reasoning: str
    rest: str


class TrimmedText:
    """Text that goes out in pieces without the blanks at its start and its end.

    Args:
        goes_on: whether there was text before, so that the first blanks count.
    """

    def __init__(self, *, goes_on: bool = False) -> None:
        self._began = goes_on
        self._blanks = ""

    def join(self, separator: str) -> None:
        """Begin another stretch of text, which this separates from the one before."""
        if self._began:
            self._blanks = separator

    def take(self, text: str) -> str:
        """Take text and give what can go out."""
        text = self._blanks + text
        if not self._began:
            text = text.lstrip()
        kept = text.rstrip()
        self._blanks = text[len(kept) :]
        self._began = self._began or bool(kept)
        return kept


class ReasoningSeparator:
    """Separates a generation into its reasoning and the rest, in which calls stand as the model wrote them.

    Text of content goes into the rest without the delimiters of its regions. So the rest can be parsed again for its
    calls, by the same format, or be shown as it is. Text outside of all regions stays in it, but for what stands behind
    the end of the turn and for an opener that the end cut off.

    Args:
        parser: with serving events, not fed yet.
        raw_rest: whether all behind the reasoning goes out as it is, for a grammar shapes it that knows nothing of
            the format.

    Attributes:
        is_over: whether a region of another field has begun, or one of reasoning ended.
        is_raw: whether text goes out as it is.
    """

    def __init__(self, parser: Any, *, raw_rest: bool = False) -> None:
        self._parser = parser
        self._raw_rest = raw_rest
        self._text: str = parser.input_text
        self._base = 0
        """Where `_text` begins in the input."""
        self._prompt = len(self._text)
        self._place = self._prompt
        """How far the input is told of."""
        self.is_raw = False
        self.is_over = False
        written: set[bool] = set()
        for event in parser.initial_events:
            if event["type"] != "region_chunk":
                self._note_end_of_reasoning(event)
            elif event["text"].strip():
                written.add(is_reasoning(event["field"]))
        self._reasoning = TrimmedText(goes_on=True in written)
        self._rest = TrimmedText(goes_on=False in written)

    def feed(self, text: str) -> SeparatedText:
        """Take the next chunk."""
        if self.is_raw:
            return SeparatedText("", text)
        events = self._parser.feed(text)
        self._text += text
        return self._separated(events)

    def finalize(self) -> SeparatedText:
        """End the generation.

        Raises:
            ValueError: a required field is missing, or another error of the parser.
        """
        return SeparatedText("", "") if self.is_raw else self._separated(self._parser.finalize()[1])

    def _separated(self, events: Iterable[dict[str, Any]]) -> SeparatedText:
        reasoning: list[str] = []
        rest: list[str] = []
        for event in events:
            self._follow(event, reasoning, rest)
            if self._raw_rest and self.is_over:
                self.is_raw = True
                rest.append(self._between(max(self._place, self._prompt), self._base + len(self._text)))
                break
        self._text = self._text[self._place - self._base :]
        self._base = self._place
        return SeparatedText("".join(reasoning), "".join(rest))

    def _follow(self, event: dict[str, Any], reasoning: list[str], rest: list[str]) -> None:
        kind, field = event["type"], event["field"]
        if kind == "region_chunk":
            self._place += len(event["text"])
            if is_reasoning(field):
                reasoning.append(self._reasoning.take(event["text"]))
            else:
                rest.append(self._rest.take(event["text"]))
            return
        self._note_end_of_reasoning(event)
        if self._raw_rest and self.is_over and kind == "region_open":
            self._place = event["start"]
            return
        delimiter = self._between(event["start"], event["end"])
        self._place = event["end"]
        if kind == "text_outside":
            if event["reason"] == "no_field":
                rest.append(self._rest.take(event["text"]))
            return
        if field in self._parser.calls:
            rest.append(self._rest.take(delimiter))
            return
        if is_reasoning(field) and kind == "region_open":
            form = self._parser.texts.get(field)
            self._reasoning.join(REASONING_JOIN if form is None or form["join"] is None else form["join"])
        # Between two texts of the rest the blanks of a delimiter are the model's own.
        self._rest.take(delimiter[len(delimiter.rstrip()) :])

    def _note_end_of_reasoning(self, event: dict[str, Any]) -> None:
        if event["type"] == "text_outside" or (event["type"] == "region_open") == is_reasoning(event["field"]):
            return
        self.is_over = True

    def _between(self, start: int, end: int) -> str:
        return self._text[max(start - self._base, 0) : end - self._base]


def is_reasoning(field: str) -> bool:
    """Tell whether the text of a field is reasoning."""
    return OPENAI_TEXTS.get(field) == "reasoning_content"
