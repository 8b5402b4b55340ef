"""The stream that tells where regions stand in what the model wrote, and which of them could not be read.

Nothing that the model wrote disappears: every character of a generation is part of a delimiter, of the body of a
region, or of text that an event tells to be outside of all regions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from respc_runtime.careful_ends import CarefulEndsStream
from respc_runtime.errors import MALFORMED, ResponseError, ResponseValueError, malformed_error, region_error
from respc_runtime.message_values import MessageT, fold_last
from respc_runtime.stream import EventT
from respc_runtime.string_closers import inside_string

if TYPE_CHECKING:
    from typing import overload

    from respc_runtime.batches import Tools
    from respc_runtime.forms import CallForm
    from respc_runtime.states import State

LEAST_BEGUN: Final = 2
"""So many characters at the end of a response have begun a delimiter; fewer are text."""

LONGEST_OPENER: Final = 1024
"""So long, at most, is the opener of a call that the end cut off behind another delimiter inside it."""


def is_cut_delimiter(text: str) -> bool:
    """Tell whether what the end left can be told from text: an answer may end with a word, as in `Have fun`."""
    cut = text.strip()
    # Or with a fence.
    return len(cut) >= LEAST_BEGUN and not cut.isalnum() and bool(cut.strip("`"))


class PlacedRegionsStream(CarefulEndsStream[MessageT, EventT]):
    """Parses one generation while it is written, and keeps ``input_text``, in which its events have places.

    Attributes:
        trusts_end: whether a call of tags that the end cuts off is whole, if its body can be read.
    """

    __slots__ = ("_malformed", "_passed", "_prompt_held", "trusts_end")

    careful: ClassVar[bool] = True
    """Whether more is read, and told, than the copies of the interpreter in serving engines do; see `without_care`."""
    # What a module says.
    calls: ClassVar[dict[str, CallForm]]
    open_ended: ClassVar[tuple[str, ...]] = ()
    """The fields of calls whose bodies can be read though their end is missing."""
    ends_of_turn: ClassVar[tuple[str, ...]] = ()
    """Behind these the message is over."""

    if TYPE_CHECKING:

        @overload
        def __init__(self, prefix: str, *, tools: None = None) -> None: ...
        @overload
        def __init__(self, prefix: str, *, tools: Tools | None = None) -> None: ...

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        # The text of delimiters and of regions that have ended, in pieces.
        self._passed: list[str] = []
        self._malformed: dict[str, ResponseError] = {}
        self._prompt_held: int = 0
        self.trusts_end = True
        super().__init__(prefix, tools=tools)
        if self._held:
            self._prompt_held = len(self._held) - self._seen
            self._looks_closer = self._has_to_look_closer()

    def _after_turns(self, prefix: str) -> str:
        """Leave out of a prefix what was over before the generation began."""
        ends = [prefix.rfind(end) + len(end) for end in self.ends_of_turn if end in prefix]
        return prefix[max(ends) :] if ends else prefix

    @property
    def input_text(self) -> str:
        """What the parser was given: the prefix after its start anchor, then the chunks."""
        held = self._held[self._seen :]
        waiting = "" if self._waiting is None else self._waiting.getvalue()
        return "".join((*self._passed, self._body.getvalue(), held, waiting))

    def _has_to_look_closer(self) -> bool:
        return self._prompt_held > 0 or super()._has_to_look_closer()

    def _missing_fields(self) -> list[str]:
        return [field for field in super()._missing_fields() if field not in self._malformed]

    def _pass(self, text: str) -> None:
        self._offset += len(text)
        self._passed.append(text)
        if self._prompt_held:
            self._prompt_held = max(self._prompt_held - len(text), 0)

    def _skip(self, text: str, events: list[Any]) -> None:
        if text:
            self._tell_outside(text, "no_field", None, events)

    def _cut_closer(self, state: State, text: str) -> int:
        """Tell how many characters of a closer of calls the end left."""
        return len(text) if text and self._is_call(state) and self._begun_call(text) is None else 0

    def _cut_off(self, state: State, text: str, events: list[Any]) -> None:
        if not text:
            return
        if self._cut_closer(state, text):
            self._pass(text)
        else:
            self._tell_outside(text, "begun", self._begun_call(text), events)

    def _is_call(self, state: State) -> bool:
        return state.chunk is not None and state.chunk["field"] in self.calls

    def _tell_outside(self, text: str, reason: str, field: str | None, events: list[Any]) -> None:
        start = self._offset
        self._pass(text)
        fold_last(self._passed)
        if not self.careful:
            return
        events.append(
            {
                "type": "text_outside",
                "field": field,
                "start": start,
                "end": self._offset,
                "text": text,
                "reason": reason,
            }
        )

    def _end_of_text(self, state: State, text: str, pos: int) -> int:
        """Tell where the text ends before a delimiter that the end cut off."""
        if pos == len(text) or not self.careful:
            return len(text)
        begun = state.scan(text, self._behind_openers(text, pos))
        if begun is None or begun.lastgroup in self.states.following:
            return len(text)
        start: int = begun.start()
        if not is_cut_delimiter(text[start:]):
            return len(text)
        if not self._is_call(state) or self._begun_call(text[start:]) is not None:
            return start
        quotes = self.quotes.get(state.chunk["field"], ())
        in_string = inside_string(self._body.getvalue() + text[pos:start], quotes)
        return len(text) if in_string else start

    def _next(self, state: State, text: str, pos: int, at_end: bool) -> Any:
        """Find the next delimiter; one inside the opener of a call that the end cut off is none."""
        found = super()._next(state, text, pos, at_end)
        if not at_end or found is None or not self.careful or self._is_call(state):
            return found
        if len(text) - found.start() > LONGEST_OPENER:
            return found
        begun = state.scan(text, pos)
        if begun is None or begun.lastgroup in self.states.following or begun.start() > found.start():
            return found
        cut = text[begun.start() :]
        return found if not is_cut_delimiter(cut) or self._begun_call(cut) is None else None

    def _begun_call(self, text: str) -> str | None:
        """Give the field of calls one of whose openers a text has begun."""
        begun = text.lstrip()
        for field in self.calls:
            marks = self.marks.get(field, ())
            if any(begun.startswith(mark) or mark.startswith(begun) for mark in marks):
                return field
        return None

    def _width(self, closer: str) -> int:
        """Tell how many characters of a closer belong to it: what it takes behind the end of the turn does not."""
        mark = closer.lstrip()
        if not mark.startswith(self.ends_of_turn):
            return len(closer)
        longest = max(len(end) for end in self.ends_of_turn if mark.startswith(end))
        return len(closer) - len(mark) + longest

    def _pass_closer(self, closer: str, width: int, events: list[Any]) -> None:
        if width == len(closer):
            self._pass(closer)
            return
        self._pass(closer[:width])
        self._tell_outside(closer[width:], "after_turn", None, events)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        start, field = self._offset, state.chunk["field"]
        event: dict[str, Any] = {"type": "region_open", "field": field, "start": start}
        if opener:
            self._pass(opener)
        event["end"] = self._offset
        if state is not self.states.implicit:
            event["captures"] = self.captures.copy()
        is_call = self.careful and field in self.calls
        if opener or is_call:
            self._begin_body(state, opener, is_call=is_call)
        events.append(event)

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        if not self._looks_closer:
            super()._take(state, text, events)
            return
        if self._opener is not None:
            text = self._without_opener(self._opener, text)
        if self._prompt_held and state.chunk is not None:
            # Held back at the end of the prefix, it is text of the region, but was not generated.
            held = text[: self._prompt_held]
            self._prompt_held -= len(held)
            self._body.write(held)
            text = text[len(held) :]
        if text:
            super()._take(state, text, events)

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        self._opener = self._end_of_value = None
        field, place = state.chunk["field"], self._offset
        body = self._take_body()
        self._passed.append(body)
        start = self._offset = place + len(body)
        try:
            if not closed and not width and field in self.open_ended and not self.trusts_end:
                raise ResponseValueError("the response ended before the call did")
            is_call = self.careful and field in self.calls
            value = self._value_of_call(state, field, body) if is_call else state.close(self, body)
        except MALFORMED as cause:
            error = malformed_error(cause, field, place, body)
            self._malformed.setdefault(field, error)
            events.append(
                {
                    "type": "region_malformed",
                    "field": field,
                    "start": start,
                    "end": start + width,
                    "error": error,
                }
            )
            return
        except Exception as error:
            raise region_error(error, field, place, body) from error
        events.append(
            {
                "type": "region_close",
                "field": field,
                "start": start,
                "end": start + width,
                "value": value,
                "closed": closed,
            }
        )

    def _value_of_call(self, state: State, field: str, body: str) -> Any:
        """Read a body; lists of calls add up."""
        before = self.message.get(field)
        value = self._read(state, body)
        if before and isinstance(before, list):
            after = self.message.get(field)
            if before is not after and isinstance(after, list):
                self.message[field] = [*before, *after]
        return value

    def _read(self, state: State, body: str) -> Any:
        """Give the value of a body, also of one in another form in which models write calls."""
        try:
            return state.close(self, body)
        except MALFORMED:
            if not self.careful or not self._is_call(state):
                raise
            from respc_runtime.call_variants import other_body

            field = state.chunk["field"]
            other = other_body(body, self.calls[field], self.quotes.get(field))
            if other is not None:
                return state.close(self, other)
            if body.strip():
                raise
            # An empty block is no call, and nothing else.
            return None
