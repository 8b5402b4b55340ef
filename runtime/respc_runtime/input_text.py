"""The input of a parser beside its events: the text of delimiters and regions, and the prompt's part of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from respc_runtime.careful_ends import behind_openers, opener_once_more
from respc_runtime.folded_text import FoldedText

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


class InputText:
    """Follows the events of a parser through its input, and keeps of that what may still be asked for.

    Text that was held back at the end of the prompt could have become a delimiter. If it does not, it is text of a
    region, yet serving events leave it out: it was not generated. Here it is completed.

    Args:
        prompt: what the parser kept of the prompt. Its events come first, until `begin_generation` is called.
        marks: what the openers of fields begin with that may be written once more at the start of their regions, where
            they are no text.

    Attributes:
        place: where what events have told of ends, while one is followed before that.
        pieces: the last pieces of what is kept, as `FoldedText` has them; none where nothing is.
    """

    __slots__ = (
        "_dirty",
        "_field",
        "_kept",
        "_lags",
        "_mark",
        "_marks",
        "_prompt_end",
        "_start",
        "pieces",
        "place",
    )

    def __init__(self, prompt: str, marks: Mapping[str, Sequence[str]]) -> None:
        self._kept = FoldedText(prompt)
        self.pieces = self._kept.pieces
        self._start = 0
        self._prompt_end = 0
        self._lags = False
        self._marks = marks
        self._mark: str | None = None
        self._field: str | None = None
        self._dirty = True
        self.place = 0

    @property
    def is_generated(self) -> bool:
        """Whether events have told of all of the prompt."""
        return self.place >= self._prompt_end

    def begin_generation(self) -> None:
        """Take the events that follow for those of what the model writes behind the prompt."""
        self._prompt_end = self._start + len(self._kept.text)

    def add(self, text: str) -> None:
        """Take the next chunk."""
        self._kept.add(text)

    def lag(self) -> None:
        """Take that chunks which are text of the open region and nothing else are passed over until it ends."""
        self._lags = True

    def pass_piece(self, text: str) -> None:
        """Go past text of the open region, and forget it."""
        self.place += len(text)
        self.drop_before(self.place)

    def _catch_up(self, place: int) -> None:
        """Take that events have told of all text up to a place, also of chunks that were passed over."""
        self._lags = False
        self._start += place - self.place
        self.place = place

    def drop_before(self, place: int) -> None:
        """Forget what is not needed from a place on."""
        if place > self._start:
            text = self._kept.text
            self._kept.become(text[place - self._start :])
            self._start = min(place, self._start + len(text))

    def between(self, start: int, end: int) -> str:
        """Give the text between two places, as far as it is kept."""
        return self._kept.text[max(start - self._start, 0) : max(end - self._start, 0)]

    def complete(self, events: Iterable[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], bool]]:
        """Give the events, with chunks for what was held back; and of each whether it is the prompt's."""
        for event in events:
            is_chunk = event["type"] == "region_chunk"
            if self._lags and not is_chunk:
                self._catch_up(event["start"])
            if self._mark and (is_chunk or self.place < self._prompt_end):
                self._pass_openers(self._mark)
            if self.place < self._prompt_end:
                end = self._prompt_end if is_chunk else min(event["start"], self._prompt_end)
                if end > self.place and (field := event["field"] if is_chunk else self._field) is not None:
                    text = self.between(self.place, end)
                    dirty = event["dirty"] if is_chunk else self._dirty
                    yield {"type": "region_chunk", "field": field, "text": text, "dirty": dirty}, True
                    self.place = end
            # What begins a delimiter at the end of the prompt is no text of a model that wrote nothing behind it.
            yield event, event["type"] == "text_outside" and event["end"] <= self._prompt_end
            self._pass(event)

    def _pass(self, event: dict[str, Any]) -> None:
        """Go past what an event tells of."""
        if event["type"] == "region_chunk":
            self.place += len(event["text"])
            self._dirty = event["dirty"]
            return
        if event["type"] == "region_open":
            field = event["field"]
            self._field, self._dirty = field, True
            if field in self._marks:
                opener = self.between(event["start"], event["end"])
                self._mark = opener_once_more(field, opener, self._marks)
        else:
            self._field = self._mark = None
        self.place = event["end"]

    def _pass_openers(self, mark: str) -> None:
        """Go past an opener that is written once more at the start of its region."""
        self._mark = None
        written = self._kept.text[self.place - self._start :]
        self.place += behind_openers(mark, written, 0)
