"""What every compiled parser does with a stream. A module says what ends each state, and what its bodies become."""

from __future__ import annotations

from io import StringIO
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeAlias, TypeVar, cast

from respc_runtime.batches import MessageT
from respc_runtime.errors import MissingFieldError, endless_error, region_error
from respc_runtime.prefixes import checked_prefix
from respc_runtime.states import FAILED, FINALIZED
from respc_runtime.tools import tool_parameters
from respc_runtime.transforms import is_empty, require_string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from respc_runtime.batches import Tools
    from respc_runtime.states import Found, Run, State, States

EventT = TypeVar("EventT")

LONG_HELD: Final = 256
"""So many characters are held back before it is worth asking whether a chunk can decide anything."""


class Stream(Generic[MessageT, EventT]):
    """Parses one generation while it is written.

    Attributes:
        initial_events: what the prefix already wrote of the message.
        message: the message so far.
        captures: what the named groups of the open region's delimiters took.
        parameters: the parameters of tools, by the tools' names.
    """

    __slots__ = (
        "_body",
        "_chunk",
        "_held",
        "_offset",
        "_run",
        "_seen",
        "_state",
        "_tail",
        "_waiting",
        "captures",
        "initial_events",
        "message",
        "parameters",
    )

    # What a module says.
    states: ClassVar[States]
    defaults: ClassVar[dict[str, Any]] = {}
    """The keys put into every message; they stay in it though their values are empty."""
    required: ClassVar[tuple[str, ...]] = ()
    """The fields without which there is no message."""
    after_anchor: ClassVar[staticmethod[[str], str]]
    """Cuts a prefix after its last start anchor."""

    def __init__(self, prefix: str | None = None, *, tools: Tools | None = None) -> None:
        prefix = checked_prefix(prefix)
        self.parameters = tool_parameters(tools)
        self.captures: dict[str, str] = {}
        self.message: dict[str, Any] = copied(self.defaults)
        self._state = self.states.start
        self._chunk: Any = None
        self._held = ""
        self._seen = 0
        self._run: str | None = None
        self._tail = ""
        self._waiting = StringIO()
        self._offset = 0
        self._body = StringIO()
        self.initial_events: list[EventT] = []
        if prefix and (begun := self.after_anchor(prefix)):
            self.initial_events = self._advance(begun)

    def feed(self, text: str) -> list[EventT]:
        """Take the next chunk of the generation and give the events that it leads to."""
        return self._advance(text or "")

    def finalize(self) -> tuple[MessageT, list[EventT]]:
        """End the generation and give its message, with the events of what was still open."""
        events = self._advance("", at_end=True)
        return self._finished_message(), events

    def _finished_message(self) -> MessageT:
        self._state, self._chunk = FAILED, None
        if missing := self._missing_fields():
            raise MissingFieldError(missing)
        self._state = FINALIZED
        message = {
            key: value for key, value in self.message.items() if key in self.defaults or not is_empty(value)
        }
        return cast("MessageT", message)

    def _missing_fields(self) -> list[str]:
        return [field for field in self.required if field not in self.message]

    def _advance(self, text: str, at_end: bool = False) -> list[EventT]:
        """Take new text, and cut off the known text what is decided."""
        state, self._state = self._state, FAILED  # unless all goes well
        self._chunk = None
        run, self._run = self._run, None
        if run is not None:
            if not at_end and not self._wakes(state.runs[run], text):
                self._state, self._run = state, run
                return []
            text = self._waiting.getvalue() + text
            self._waiting = StringIO()
        events: list[Any] = []
        states = self.states
        text = self._held + text
        pos, edge = self._seen, len(text)
        opened_empty_at = -1
        while True:
            match = state.last(text, pos) if at_end else state.scan(text, pos)
            start = edge if match is None else match.start()
            if start > pos:
                if state.chunk is None and states.implicit is not None:
                    state = states.implicit
                    self._open(state, "", events)
                self._take(state, text[pos:start], events)
            if match is None or start == edge:
                break
            group, end = match.lastgroup, match.end()
            following = states.following.get(group)
            if following is None or (end == edge and not at_end and group in state.waits):
                if group in state.runs and edge - start > LONG_HELD:
                    self._run, self._tail = group, text[edge - state.runs[group].width :]
                break
            closes = following.chunk is None
            if start == end:
                if closes and state.chunk is None:
                    # An empty closer where no region is open: what follows waits for the next call.
                    break
                if not closes:
                    if start == opened_empty_at:
                        raise endless_error(following.chunk["field"], self._offset)
                    opened_empty_at = start
            captures = named_groups(match, state.captures[group]) if group in state.captures else {}
            if state.chunk is not None:
                if closes:
                    self.captures.update(captures)
                self._close(state, end - start if closes else 0, events)
            if closes:
                self.captures = {}
                self._pass(text[start:end])
            else:
                self.captures = captures
                self._open(following, text[start:end], events)
            pos = end
            state = following
        if at_end and state.chunk is not None:
            self._close(state, 0, events, closed=False)
        context = start if states.context is None else min(start, states.context)
        self._held, self._seen = text[start - context :], context
        self._state = state.later if start else state
        if start == edge and state.direct and not at_end and states.context == 0:
            self._chunk = state.chunk
        return events

    def _wakes(self, run: Run, text: str) -> bool:
        """Tell whether a chunk can decide what is held back in a run; if not, it waits with that."""
        seen = self._tail + text if run.width else text
        if run.search(seen):
            return True
        self._waiting.write(text)
        self._tail = seen[-run.width :] if run.width else ""
        return False

    def _pass(self, text: str) -> None:
        """Go past text that belongs to no region."""
        self._offset += len(text)

    def _open(self, state: State, opener: str, events: list[Any]) -> None:
        """Begin a region."""
        self._offset += len(opener)
        events.append({"type": "region_open", "field": state.chunk["field"]})

    def _take(self, state: State, text: str, events: list[Any]) -> None:
        """Take text of the open region, or of none."""
        if state.chunk is None:
            self._pass(text)
            return
        self._body.write(text)
        event = state.chunk.copy()
        event["text"] = text
        events.append(event)

    def _close(self, state: State, width: int, events: list[Any], *, closed: bool = True) -> None:
        """Give the open region its value; its closer has ``width`` characters, not ``closed`` if the stream ended."""
        field = state.chunk["field"]
        body = self._take_body()
        try:
            value = state.close(self, body)
        except Exception as error:
            raise region_error(error, field, self._offset, body) from error
        self._offset += len(body)
        events.append({"type": "region_close", "field": field, "value": value})

    def _take_body(self) -> str:
        body = self._body.getvalue()
        if body:
            self._body = StringIO()
        return body

    def finish(self, text: str) -> MessageT:
        """Take all that is still to come at once, and give the message without events."""
        if not self.states.whole:
            self._advance(text or "")
            return self.finalize()[0]
        state, self._state = self._state, FAILED
        self._chunk = None
        text = "".join((self._held, self._waiting.getvalue(), text or ""))
        body, pos = self._take_body(), self._seen
        self._held, self._seen, self._waiting, self._run = "", 0, StringIO(), None
        offset = self._offset + len(body) - pos
        while True:
            match = state.last(text, pos)
            start = len(text) if match is None else match.start()
            if state.chunk is None and start > pos and self.states.implicit is not None:
                state = self.states.implicit
            group = None if match is None or start == len(text) else match.lastgroup
            captures = named_groups(match, state.captures[group]) if match and group in state.captures else {}
            following = self.states.following.get(group)
            if state.chunk is not None:
                if following is not None and following.chunk is None:
                    self.captures.update(captures)
                place, body = offset + pos - len(body), body + text[pos:start]
                try:
                    state.close(self, body)
                except Exception as error:
                    raise region_error(error, state.chunk["field"], place, body) from error
            if match is None or following is None:
                return self._finished_message()
            body = ""
            self.captures = {} if following.chunk is None else captures
            pos, state = match.end(), following

    def __getstate__(self) -> dict[str, Any]:
        names = [name for kind in type(self).__mro__ for name in getattr(kind, "__slots__", ())]
        kept = {name: getattr(self, name) for name in names if hasattr(self, name)}
        return {**kept, "_state": self.states.all.index(self._state)}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        for name, value in kept.items():
            setattr(self, name, self.states.all[value] if name == "_state" else value)


def copied(value: Any) -> Any:
    """Copy a JSON value: each message has its own."""
    if isinstance(value, dict):
        items: dict[str, Any] = value
        return {key: copied(item) for key, item in items.items()}
    return [copied(item) for item in value] if isinstance(value, list) else value


def named_groups(match: Found, groups: Mapping[str, str]) -> dict[str, str]:
    """Give the named groups of a delimiter that took part in its match, by their names in the template."""
    return {name: match[group] for group, name in groups.items() if match[group] is not None}


def join_values(message: dict[str, Any], field: str, separator: str, value: Any) -> None:
    """Join a value to those that a field has.

    Raises:
        ValueError: it is not a string.
        TypeError: the field has a default that is none.
    """
    require_string(value)
    joined = message.get(field)
    if joined is None:
        message[field] = value
        return
    # A string that nothing else holds grows in place. (`+=` would extend a list as well.)
    message[field] = None
    joined = joined + separator
    joined = joined + value
    message[field] = joined


AnyStream: TypeAlias = Stream[Any, Any]
"""The parser of any template, in the functions that close its regions."""
