"""Reasoning taken out of a generation, for engines that parse it and calls one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from respc_runtime.openai import OPENAI_TEXTS

if TYPE_CHECKING:
    from collections.abc import Iterable

REGION_JOIN: Final = "\n"
"""Stands between the texts of two regions where the template does not say what does."""


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
        self._begins_stretch = not goes_on
        self._separator: str = ""
        self._blanks: str = ""

    def separate(self, separator: str) -> None:
        """Begin another stretch, without the blanks around; this separates it from the one before."""
        self._blanks, self._begins_stretch = "", True
        self._separator = separator if self._began else ""

    def go_on(self, separator: str) -> None:
        """Begin another stretch, with the blanks around; this separates it from the one before if there are none."""
        if self._began and not self._blanks:
            self._blanks = separator

    def take(self, text: str) -> str:
        """Take text and give what can go out."""
        if self._begins_stretch:
            text = text.lstrip()
            if not text:
                return ""
            self._begins_stretch = False
            self._blanks, self._separator = self._separator, ""
        text = self._blanks + text
        kept = text.rstrip()
        self._blanks = text[len(kept) :]
        self._began = self._began or bool(kept)
        return kept


class ReasoningSeparator:
    """Separates a generation into its reasoning and the rest, which can be parsed again for its calls.

    Content goes into the rest without the delimiters of its regions, as far as there is no call. From the first
    call on, the rest is all that the model wrote but for its reasoning: how a format is read depends on what stands
    around. The same format finds the same calls in it.

    Args:
        parser: with serving events, not fed yet.
        raw_rest: whether all behind the reasoning goes out as it is, for a grammar shapes it that knows nothing of
            the format.

    Attributes:
        is_over: whether a region of another field has begun, or one of reasoning ended.
        is_raw: whether all that comes goes out as it is.
    """

    def __init__(self, parser: Any, *, raw_rest: bool = False) -> None:
        self._parser = parser
        self._raw_rest = raw_rest
        self._text: str = parser.input_text
        self._base = 0
        """Where `_text` begins in the input."""
        self._read = len(self._text)
        """How far events have told of the input."""
        self._place = self._read
        """How far the input went out, or was reasoning: what is behind could still be wanted as it is."""
        self._keeps_delimiters = False
        self._closed_content = False
        self.is_over = False
        written: set[bool] = set()
        for event in parser.initial_events:
            if event["type"] == "region_chunk":
                if event["text"].strip():
                    written.add(is_reasoning(event["field"]))
            else:
                self._note(event)
        self._reasoning = TrimmedText(goes_on=True in written)
        self._rest = TrimmedText(goes_on=False in written)
        self.is_raw = raw_rest and self.is_over

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
        if self.is_raw:
            return SeparatedText("", "")
        reasoning, rest = self._separated(self._parser.finalize()[1])
        if self._keeps_delimiters:
            rest += self._text
        return SeparatedText(reasoning, rest)

    def _separated(self, events: Iterable[dict[str, Any]]) -> SeparatedText:
        reasoning: list[str] = []
        rest: list[str] = []
        for event in events:
            self._note(event)
            if event["field"] is not None and is_reasoning(event["field"]):
                self._take_reasoning(event, reasoning, rest)
            elif not (self._raw_rest and self.is_over):
                self._take_rest(event, rest)
            if self._raw_rest and self.is_over:
                self.is_raw = True
                rest.append(self._until(self._base + len(self._text)))
                break
        self._text = self._text[max(self._place - self._base, 0) :]
        self._base = max(self._place, self._base)
        return SeparatedText("".join(reasoning), "".join(rest))

    def _note(self, event: dict[str, Any]) -> None:
        """Note what kind of region begins or ends."""
        kind, field = event["type"], event["field"]
        if kind in ("region_chunk", "text_outside"):
            return
        opens = kind == "region_open"
        self.is_over = self.is_over or opens != is_reasoning(field)
        if field not in OPENAI_TEXTS:
            self._keeps_delimiters = self._keeps_delimiters or opens

    def _take_reasoning(self, event: dict[str, Any], reasoning: list[str], rest: list[str]) -> None:
        if event["type"] == "region_chunk":
            reasoning.append(self._reasoning.take(event["text"]))
            self._read += len(event["text"])
        else:
            if event["type"] == "region_open":
                self._reasoning.separate(self._join_of(event["field"]))
                if self._keeps_delimiters:
                    rest.append(self._until(event["start"]))
            self._leave_out(event)
        self._place = self._read

    def _take_rest(self, event: dict[str, Any], rest: list[str]) -> None:
        is_chunk = event["type"] == "region_chunk"
        if self._keeps_delimiters:
            self._read = self._read + len(event["text"]) if is_chunk else event["end"]
            rest.append(self._until(self._read))
        elif is_chunk:
            self._read += len(event["text"])
            self._take_text(event["text"], rest)
        elif event["type"] == "text_outside":
            self._read = event["end"]
            if event["reason"] == "no_field":
                self._take_text(event["text"], rest)
        elif event["type"] == "region_open":
            if self._closed_content:
                self._rest.go_on(self._join_of(event["field"]))
            self._leave_out(event)
        else:
            self._leave_out(event)
            self._closed_content = event["end"] > event["start"]

    def _take_text(self, text: str, rest: list[str]) -> None:
        rest.append(self._rest.take(text))
        if kept := text.rstrip():
            self._place = self._read - len(text) + len(kept)

    def _leave_out(self, event: dict[str, Any]) -> None:
        """Leave a delimiter out; its blanks, between two texts, are the model's own."""
        delimiter = self._text[max(event["start"] - self._base, 0) : event["end"] - self._base]
        self._rest.take(delimiter[len(delimiter.rstrip()) :])
        self._read = event["end"]
        self._closed_content = False

    def _join_of(self, field: str) -> str:
        """Give what stands between the texts of two regions of a field."""
        form = self._parser.texts.get(field)
        return REGION_JOIN if form is None or form["join"] is None else form["join"]

    def _until(self, end: int) -> str:
        """Give the input from where it went out to a place."""
        text = self._text[max(self._place - self._base, 0) : max(end - self._base, 0)]
        self._place = max(end, self._place)
        return text


def is_reasoning(field: str) -> bool:
    """Tell whether the text of a field is reasoning."""
    return OPENAI_TEXTS.get(field) == "reasoning_content"
