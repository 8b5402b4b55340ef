"""What every compiled parser does with a stream. A module says what ends each state, and what its bodies become."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, TypeVar, cast

from respc_runtime.errors import MissingFieldError, endless_error, region_error
from respc_runtime.held_text import LONG_HELD, HeldText
from respc_runtime.message_values import MessageT, copied, named_groups, text_buffer
from respc_runtime.message_values import join_values as join_values
from respc_runtime.prefixes import checked_prefix, require_text, rest_of_text
from respc_runtime.states import FAILED, FINALIZED
from respc_runtime.tools import tool_parameters
from respc_runtime.transforms import is_empty

if TYPE_CHECKING:
    from typing import overload

    from respc_runtime.batches import Tools
    from respc_runtime.searches import Found
    from respc_runtime.states import State, States

EventT = TypeVar("EventT")


class Stream(HeldText, Generic[MessageT, EventT]):
    """Parses one generation while it is written.

    Attributes:
        initial_events: what the prefix already wrote of the message.
        anchor_found: whether the prefix has a start anchor, so that only what follows it is parsed; None for an empty
            prefix. Where there is none, the whole prompt is taken for a part of the message.
        message: the message so far.
        captures: what the named groups of the open region's delimiters took.
        parameters: the parameters of tools, by the tools' names.
    """

    __slots__ = (
        "_body",
        "_chunk",
        "_looks_closer",
        "_offset",
        "_state",
        "anchor_found",
        "captures",
        "initial_events",
        "message",
        "parameters",
    )

    # What a module says.
    states: ClassVar[States]
    defaults: ClassVar[dict[str, Any]] = {}
    """The keys put into every message; they stay in it though their values are empty."""
    nested: ClassVar[bool] = False
    """Whether values of the defaults have to be copied for each message."""
    required: ClassVar[tuple[str, ...]] = ()
    """The fields without which there is no message."""
    strict_bodies: ClassVar[bool] = False
    """Whether a body of tags or lines has to be that and nothing else."""
    empty_anchor: ClassVar[bool] = False
    """Whether the start anchor may match nothing, and so is in every prefix."""
    after_anchor: ClassVar[staticmethod[[str], str]]
    """Cuts a prefix after its last start anchor."""
    read_tools: ClassVar[staticmethod[[Any], Any]] = staticmethod(tool_parameters)

    if TYPE_CHECKING:  # without a prefix there is a MissingPrefixError, always

        @overload
        def __init__(self, prefix: str, *, tools: None = None) -> None: ...
        @overload
        def __init__(self, prefix: str, *, tools: Tools | None = None) -> None: ...

    def __init__(self, prefix: Any = None, *, tools: Tools | None = None) -> None:
        if not isinstance(prefix, str):
            prefix = checked_prefix(prefix)
        super().__init__()
        self.parameters: Any = self.read_tools(tools) if tools else {}
        self.captures: dict[str, str] = {}
        self.message: dict[str, Any] = copied(self.defaults) if self.nested else {**self.defaults}
        self._state = self.states.start
        self._chunk: Any = None
        self._looks_closer = False
        self._offset = 0
        self._body = text_buffer()
        self.initial_events: list[EventT] = []
        self.anchor_found: bool | None = None
        if prefix:
            begun = self.after_anchor(prefix)
            self.anchor_found = self.empty_anchor or len(begun) < len(prefix)
            if begun := self._after_turns(begun):
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

    def _finished_message(self) -> MessageT:
        if self.required and (missing := self._missing_fields()):
            self._fail()
            raise MissingFieldError(missing)
        return self._kept_message()

    def _kept_message(self) -> MessageT:
        """Give the message without what is empty, and refuse further use."""
        self._state, self._chunk = FINALIZED, None
        kept = self.defaults
        message = {
            key: value for key, value in self.message.items() if value or key in kept or not is_empty(value)
        }
        return cast("MessageT", message)

    def _missing_fields(self) -> list[str]:
        return [field for field in self.required if field not in self.message]

    def _fail(self) -> None:
        """Refuse further use."""
        if self._state is not FINALIZED:
            self._state, self._chunk, self._run = FAILED, None, None

    def _advance(self, text: str) -> list[EventT]:
        """Take new text, and cut off the known text what is decided."""
        state = self._state
        if not state.quick or self._run is not None or self._looks_closer:
            return self._advance_slowly(text)
        try:
            text = self._held + text  # also where nothing is held: this is where what is no string is noticed
            match = state.scan(text, 0)
            if match is not None:
                group, start = match.lastgroup, match.start()
                if group is not None:
                    if group in self.states.following:
                        return self._regions(text, match, False)
                    if len(text) - start > LONG_HELD and group in state.runs:
                        return self._cut(text, match)
                # No delimiter is whole: only the end of the text may have begun one.
                self._held = text[start:]
                text = text[:start]
                self._chunk = None
            else:
                self._held = ""
                if state.direct:
                    self._chunk = state.chunk
        except BaseException:
            self._fail()
            require_text(text)
            raise
        if not text:
            return []
        chunk = state.chunk
        if chunk is None:
            return self._outside(text)
        self._body.write(text)
        event = chunk.copy()
        event["text"] = text
        return [event]

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
            if match is None:
                match = self._search(state, text, pos, at_end)
            if match is None and state.later is not state and pos < edge:
                state = state.later
                continue
            searched = state
            start = edge if match is None else match.start()
            if match is None and at_end:
                start = self._end_of_text(state, text, pos)
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
        context = start if states.context is None else min(start, states.context)
        self._held, self._seen = text[start - context :], context
        self._state = state.later if start else state
        if start == edge and state.direct and not at_end and states.context == 0:
            self._chunk = state.chunk
        return events

    def _pass_delimiter(
        self, delimiter: str, captures: dict[str, str], state: State, following: State, events: list[Any]
    ) -> None:
        """Close the open region at a delimiter, and open the one that it opens."""
        if following.chunk is None:
            width = self._width(delimiter)
            if state.chunk is not None:
                self.captures.update(captures)
                self._close(state, width, events)
            self.captures = {}
            self._pass_closer(delimiter, width, events)
            return
        if state.chunk is not None:
            self._close(state, 0, events)
        self.captures = captures
        self._open(following, delimiter, events)

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

    def _cut_closer(self, state: State, text: str) -> int:
        """Tell how many characters of a closer the end left of it."""
        return 0

    def _cut_off(self, state: State, text: str, events: list[Any]) -> None:
        """Go past a delimiter that the end cut off."""
        self._pass(text)

    def _width(self, closer: str) -> int:
        """Tell how many characters of a closer belong to it."""
        return len(closer)

    def _pass_closer(self, closer: str, width: int, events: list[Any]) -> None:
        """Go past a closer, after its region is closed, if one was open."""
        self._pass(closer)

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
        value = self._value_of(state, body, self._offset)
        self._offset += len(body)
        events.append({"type": "region_close", "field": state.chunk["field"], "value": value})

    def _take_body(self) -> str:
        body = self._body.getvalue()
        if body:
            self._body.seek(0)
            self._body.truncate()
        return body

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

    def _close_all(self, text: str) -> None:
        """Give all regions of a complete text their values."""
        states, state = self.states, self._state
        body, pos = self._take_body(), self._seen
        self._held, self._seen = "", 0
        offset, edge = self._offset + len(body) - pos, len(text)
        while True:
            match = state.last(text, pos)
            if match is None and state.later is not state:
                state = state.later
                continue
            start, searched = edge if match is None else match.start(), state
            if state.chunk is None and start > pos and states.implicit is not None:
                state = states.implicit
            if match is None or start == edge:
                break
            group = match.lastgroup
            following = states.following[group]
            captures = named_groups(match, searched.captures[group]) if group in searched.captures else {}
            if state.chunk is not None:
                if following.chunk is None:
                    self.captures.update(captures)
                self._value_of(state, body + text[pos:start], offset + pos - len(body))
                body = ""
            self.captures = {} if following.chunk is None else captures
            pos, state = match.end(), following
        self._check_end(state, text, pos)
        if state.chunk is not None:
            self._value_of(state, body + text[pos:start], offset + pos - len(body))

    def _check_end(self, state: State, text: str, pos: int) -> None:
        """Look at the end of a complete text, behind its last delimiter."""

    def _value_of(self, state: State, body: str, place: int) -> Any:
        try:
            return state.close(self, body)
        except Exception as error:
            raise region_error(error, state.chunk["field"], place, body) from error

    def __getstate__(self) -> dict[str, Any]:
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        kept = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return {**kept, "_state": self.states.all.index(self._state)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        for name, value in kept.items():
            setattr(self, name, self.states.all[value] if name == "_state" else value)


AnyStream: TypeAlias = Stream[Any, Any]
"""The parser of any template, in the functions that close its regions."""
