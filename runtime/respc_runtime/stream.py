"""What every compiled parser does with a stream. A module says what ends each state, and what its bodies become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar

from respc_runtime.character_classes import BLANKS
from respc_runtime.errors import endless_error, region_error
from respc_runtime.held_text import LONG_HELD, HeldText
from respc_runtime.message_values import MessageT, text_buffer
from respc_runtime.message_values import join_values as join_values
from respc_runtime.message_values import named_groups as named_groups
from respc_runtime.prefixes import checked_prefix, require_text, rest_of_text
from respc_runtime.whole_texts import WholeTexts

if TYPE_CHECKING:
    from typing import overload

    from respc_runtime.batches import Tools
    from respc_runtime.searches import Found
    from respc_runtime.states import State

EventT = TypeVar("EventT")


class Stream(WholeTexts[MessageT], Generic[MessageT, EventT]):
    """Parses one generation while it is written.

    Attributes:
        initial_events: what the prefix already wrote of the message.
        anchor_found: whether the prefix has a start anchor, so that only what follows it is parsed; None for an empty
            prefix. Where there is none, the whole prompt is taken for a part of the message.
    """

    __slots__ = ("_looks_closer", "anchor_found", "initial_events")

    # What a module says.
    empty_anchor: ClassVar[bool] = False
    """Whether the start anchor may match nothing, and so is in every prefix."""
    after_anchor: ClassVar[staticmethod[[str], str]]
    """Cuts a prefix after its last start anchor."""

    if TYPE_CHECKING:  # without a prefix there is a MissingPrefixError, always

        @overload
        def __init__(self, prefix: str, *, tools: None = None) -> None: ...
        @overload
        def __init__(self, prefix: str, *, tools: Tools | None = None) -> None: ...

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        """Begin with what the prefix already wrote of the message.

        Args:
            prefix: the prompt that the model continued; "" says that the text is the whole message.
            tools: casts the arguments of tool calls to the types that these declare; `prepare_tools` reads them once
                for many parsers.
        """
        if not isinstance(prefix, str):
            prefix = checked_prefix(prefix)
        HeldText.__init__(self)
        self._begin_message(tools)
        self._chunk = None
        self._looks_closer = False
        self._offset = 0
        self._body = text_buffer()
        self.initial_events: list[EventT] = []
        self.anchor_found: bool | None = None
        if prefix:
            begun = self.after_anchor(prefix)
            self.anchor_found = begun != prefix or self.empty_anchor
            if begun and (begun := self._after_turns(begun)):
                self.initial_events = self._cut(begun, None)

    def _after_turns(self, prefix: str) -> str:
        """Give what of a prefix, behind its start anchor, belongs to the message."""
        return prefix

    def feed(self, text: str) -> list[EventT]:
        """Take the next chunk of the generation and give the events that it leads to."""
        chunk = self._chunk
        if chunk is not None and text and self._state.find(text, 0) is None:
            self._body.write(text)
            event = chunk.copy()
            event["text"] = text
            events: list[Any] = [event]
            return events
        return self._advance(text or "")

    def finalize(self) -> tuple[MessageT, list[EventT]]:
        """End the generation and give its message, with the events of what was still open."""
        events = self._cut("", None, at_end=True)
        return self._finished_message(), events

    def _advance(self, text: str) -> list[EventT]:
        """Take new text, and cut off the known text what is decided."""
        state = self._state
        if not state.quick or self._run is not None or self._looks_closer:
            return self._advance_slowly(text)
        try:
            text = self._held + text  # also where nothing is held: this is where what is no string is noticed
            if state.mark and state.mark not in text and len(text) < LONG_HELD:
                text = self._without_mark(state, text)
            else:
                found, group = state.find(text, 0), None
                if found is not None:
                    if not state.gated:
                        group = found.lastgroup
                    elif found.lastindex is None or (state.hides and found.start() < len(text) - 1):
                        # More than the end of the text can have begun one.
                        found = state.scan(text, 0)
                        group = None if found is None else found.lastgroup
                if found is None:
                    self._held = ""
                    if state.direct:
                        self._chunk = state.chunk
                else:
                    start: int = found.start()
                    if group is not None:
                        if group in self.states.following:
                            if found.end() < len(text) or group not in state.waits:
                                return self._regions(text, found, False)
                        elif len(text) - start > LONG_HELD and group in state.runs:
                            return self._cut(text, found)
                    # No delimiter is decided: what has begun, or may go on, ends the text.
                    self._held = text[start:]
                    text = text[:start]
                    self._chunk = None
        except BaseException:
            self._fail()
            require_text(text)
            raise
        if not text:
            return []
        chunk: dict[str, Any] | None = state.chunk
        if chunk is None:
            return self._outside(text)
        self._body.write(text)
        event = chunk.copy()
        event["text"] = text
        events: list[Any] = [event]
        return events

    def _without_mark(self, state: State, text: str) -> str:
        """Hold back the blanks that end a text without the mark of all delimiters, and give what comes before them."""
        before = text.rstrip(BLANKS)
        self._held = text[len(before) :]
        if self._held:
            self._chunk = None
        elif state.direct:
            self._chunk = state.chunk
        return before

    def _advance_slowly(self, text: str) -> list[EventT]:
        """Take new text where more decides than the delimiters in it and in what is held back."""
        return self._cut(text, None)

    def _outside(self, text: str) -> list[EventT]:
        """Take text outside of all regions: it opens the implicit one."""
        events: list[Any] = []
        state = self.states.implicit
        if state is None:
            self._skip(text, events)
            return events
        self._state = state
        self._open(state, "", events)
        self._take(state, text, events)
        self._chunk = None if self._held or not state.direct else state.chunk
        return events

    def _cut(self, text: str, match: Found | None, at_end: bool = False) -> list[EventT]:
        """Cut known text into regions, up to a delimiter not decided yet.

        Args:
            text: new text; with a match, all known text.
            match: the first delimiter, if it is known.
            at_end: whether the text is complete.
        """
        try:
            if match is None:
                if self._run is not None and not at_end and not self._wakes(self._state.runs, text):
                    return []
                text = self._take_held(text)
            return self._regions(text, match, at_end)
        except BaseException:
            self._fail()
            require_text(text)
            raise

    def _regions(self, text: str, match: Found | None, at_end: bool) -> list[EventT]:
        events: list[Any] = []
        states, state = self.states, self._state
        pos, edge = self._seen, len(text)
        opened_empty_at = -1
        self._chunk = None
        while True:
            if match is None and (match := self._search(state, text, pos, at_end)) is None:
                if state.later is not state and pos < edge:
                    state = state.later
                    continue
                start = self._end_of_text(state, text, pos) if at_end else edge
            else:
                start = match.start()
            searched = state
            if start > pos:
                if state.chunk is None and states.implicit is not None:
                    state = states.implicit
                    self._open(state, "", events)
                self._take(state, text[pos:start], events)
            if match is None or start == edge:
                break
            group, end = match.lastgroup, match.end()
            following = states.following.get(group)
            if following is None or (end == edge and not at_end and group in searched.waits):
                self._wait_in_run(state.later.runs if start else searched.runs, group, text, start)
                break
            if start == end:
                if following.chunk is None and state.chunk is None:
                    # An empty closer where no region is open: what follows waits for the next call.
                    break
                if following.chunk is not None:
                    if start == opened_empty_at:
                        raise endless_error(following.chunk["field"], self._offset)
                    opened_empty_at = start
            captures = named_groups(match, searched.captures[group]) if group in searched.captures else {}
            self._pass_delimiter(text[start:end], captures, state, following, events)
            pos, state, match = end, following, None
            if end == edge:
                start = edge
                break
        if at_end:
            self._end_text(state, text[start:], events)
            start = edge
        self._state = state.later if start else state
        if states.context == 0:
            self._held = text[start:]
            self._seen = 0
            if start == edge and state.direct and not at_end:
                self._chunk = state.chunk
        else:
            context = start if states.context is None else min(start, states.context)
            self._held, self._seen = text[start - context :], context
        return events

    def _pass_delimiter(
        self, delimiter: str, captures: dict[str, str], state: State, following: State, events: list[Any]
    ) -> None:
        """Close the open region at a delimiter, and open the one that it opens."""
        opens = following.chunk is not None
        width = 0 if opens else self._width(delimiter)
        if state.chunk is not None:
            if captures and not opens:
                self.captures.update(captures)
            self._close(state, width, events)
        if opens:
            self.captures = captures
            self._open(following, delimiter, events)
        else:
            self.captures = {}
            self._pass_closer(delimiter, width, events)

    def _end_text(self, state: State, rest: str, events: list[Any]) -> None:
        """Close the region that is open at the end of the stream, before what the end cut off."""
        if state.chunk is not None:
            self._close(state, self._cut_closer(state, rest), events, closed=False)
        self._cut_off(state, rest, events)

    def _search(self, state: State, text: str, pos: int, at_end: bool) -> Found | None:
        """Find what ends a state, or has begun to."""
        return state.last(text, pos) if at_end else state.scan(text, pos)

    def _end_of_text(self, state: State, text: str, pos: int) -> int:
        """Tell where the text of a state ends in a complete text that has no more delimiters."""
        return len(text)

    def _pass(self, text: str) -> None:
        """Go past text that belongs to no region."""
        self._offset += len(text)

    def _skip(self, text: str, events: list[Any]) -> None:
        """Go past text that is no delimiter, where no field takes it."""
        self._pass(text)

    def _width(self, closer: str) -> int:
        """Tell how many characters of a closer belong to it."""
        return len(closer)

    def _cut_closer(self, state: State, text: str) -> int:
        """Tell how many characters of a closer the end left."""
        return 0

    def _pass_closer(self, closer: str, width: int, events: list[Any]) -> None:
        """Go past a closer, of which so many characters belong to it, after its region is closed, if one was open."""
        self._offset += len(closer)

    def _cut_off(self, state: State, text: str, events: list[Any]) -> None:
        """Go past a delimiter that the end cut off."""
        self._offset += len(text)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        """Begin a region."""
        self._offset += len(opener)
        events.append({"type": "region_open", "field": state.chunk["field"]})

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        """Take text of the open region, or of none."""
        if state.chunk is None:
            self._skip(text, events)
            return
        self._body.write(text)
        event = state.chunk.copy()
        event["text"] = text
        events.append(event)

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        """Give the open region its value; its closer has ``width`` characters, not ``closed`` if the stream ended."""
        body = self._take_body()
        try:
            value = state.close(self, body)
        except Exception as error:
            raise region_error(error, state.chunk["field"], self._offset, body) from error
        self._offset += len(body)
        events.append({"type": "region_close", "field": state.chunk["field"], "value": value})

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events."""
        if type(text) is not str:
            text = rest_of_text(text)
        if not self.states.whole:
            self._cut(text, None)
            return self.finalize()[0]
        try:
            self._close_all(self._take_held(text))
        except BaseException:
            self._fail()
            raise
        return self._finished_message()

    @classmethod
    def of_text(cls, text: str, prefix: Any, tools: Tools | None) -> MessageT:
        """Parse a whole generation, as a new parser does that takes it at once.

        Where nothing of the message was written before, that needs no more of a parser than its regions' values do.
        """
        if not isinstance(prefix, str):
            prefix = checked_prefix(prefix)
        if not cls.states.whole or (prefix and cls.after_anchor(prefix)):
            return cls(prefix, tools=tools).finish(text)
        stream = cls.__new__(cls)
        stream._begin_message(tools)
        return stream._message_of(text)

    def _message_of(self, text: str) -> MessageT:
        """Give the message of a whole text: of a parser, no more is there than `of_text` says."""
        self._close_regions(self._state, text, 0, "", 0)
        return self._finished_message()

    def __getstate__(self) -> dict[str, Any]:
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        kept = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return {**kept, "_state": self.states.all.index(self._state)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        for name, value in kept.items():
            setattr(self, name, self.states.all[value] if name == "_state" else value)


AnyStream: TypeAlias = Stream[Any, Any]
"""The parser of any template, in the functions that close its regions."""
