"""The deltas of a chat completion as a row of parts, as newer APIs stream an answer.

Responses calls the parts items, Messages calls them blocks: a stretch of reasoning, a stretch of text, or a call.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from io import StringIO
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeAlias, TypeVar

from respc_runtime.openai import make_call_id

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from respc_runtime.call_deltas import Delta
    from respc_runtime.message_regions import UnreadRegion

StreamEvent: TypeAlias = dict[str, Any]
"""An event of a stream, as a server writes it."""

PartKind: TypeAlias = Literal["reasoning", "text", "call"]

ChunkT = TypeVar("ChunkT")
ContravariantChunkT = TypeVar("ContravariantChunkT", contravariant=True)


class ChatDeltas(Protocol[ContravariantChunkT]):
    """Gives the deltas of one generation, as `respc_runtime.openai.ChatCompletionParser` does."""

    @property
    def initial_deltas(self) -> list[Delta]:
        """The role, and what the prompt has of the message."""
        ...

    @property
    def unread(self) -> Sequence[UnreadRegion]:
        """The regions that are not in the message, so far."""
        ...

    def feed(self, chunk: ContravariantChunkT, /) -> list[Delta]:
        """Take the next chunk and give its deltas."""
        ...

    def finalize(self, *, length: bool = False, stopped: bool = False) -> list[Delta]:
        """End the generation and give the last deltas."""
        ...


@dataclass(slots=True, eq=False)
class AnswerPart:
    """A stretch of reasoning or of text, or a call.

    Attributes:
        kind: what it is.
        index: its place among the parts that were begun.
        id: the id of the item that it becomes, if it has one; of a call, see `call_id`.
        call_id: the id of the call.
        name: the name of the function that is called.
        call_index: the index by which deltas know the call.
        is_whole: once it has ended, whether it was neither cut off, nor is a call that is unread.
        value: once it has ended, what the final object has of it.
    """

    kind: PartKind
    index: int
    call_index: int = -1
    call_id: str = ""
    name: str = ""
    id: str = ""
    is_whole: bool = False
    value: dict[str, Any] | None = None
    _text: StringIO = field(default_factory=StringIO)

    @property
    def text(self) -> str:
        """All of its text so far; of a call, its arguments."""
        return self._text.getvalue()

    @property
    def is_empty(self) -> bool:
        """Whether it has no text yet."""
        return not self._text.tell()

    def write(self, text: str) -> None:
        """Add text to it."""
        self._text.write(text)

    def drop_text(self) -> None:
        """Forget the text: the value has it."""
        self._text = StringIO()


class AnswerStream(ABC, Generic[ChunkT]):
    """Follows the deltas of a generation, one part at a time.

    A part ends when another begins. A call that comes in one delta with its arguments ends with it.

    Args:
        chat: gives the deltas; one that was not fed yet.
        make_call_id: makes another id for a call whose own has come before: clients tell calls apart by them.
    """

    __slots__ = ("_call_ids", "_chat", "_make_call_id", "_open", "_parts", "_waiting")

    def __init__(self, chat: ChatDeltas[ChunkT], make_call_id: Callable[[], str] = make_call_id) -> None:
        self._chat = chat
        self._make_call_id = make_call_id
        self._call_ids: set[str] = set()
        self._parts: list[AnswerPart] = []
        self._open: AnswerPart | None = None
        self._waiting: list[dict[str, Any]] = []

    @property
    def open_kind(self) -> PartKind | None:
        """What is being written: of a token that gives no event, what it most likely belongs to."""
        return None if self._open is None else self._open.kind

    def feed(self, chunk: ChunkT) -> list[StreamEvent]:
        """Take the next chunk of the generation and give its events."""
        return self._take(self._chat.feed(chunk))

    def _can_hold(self, call: dict[str, Any]) -> bool:
        """Tell whether a call that comes as a whole can be a part."""
        return True

    @abstractmethod
    def _begin(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        """Add the events that begin a part."""

    @abstractmethod
    def _add(self, part: AnswerPart, text: str, events: list[StreamEvent]) -> None:
        """Add the event of more text of a part, or of the arguments of a call."""

    @abstractmethod
    def _end(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        """Add the events that end a part, and set its value."""

    def _take(self, deltas: Iterable[Delta]) -> list[StreamEvent]:
        """Give the events of deltas."""
        events: list[StreamEvent] = []
        for delta in deltas:
            # Servers have either name for it, and a delta can have both.
            if reasoning := delta.get("reasoning_content") or delta.get("reasoning"):
                self._take_text("reasoning", reasoning, events)
            if content := delta.get("content"):
                self._take_text("text", content, events)
            for call in delta.get("tool_calls") or ():
                self._take_call(call, events)
        return events

    def _finish(self, *, length: bool, stopped: bool) -> list[StreamEvent]:
        """End the generation; the text that a limit cut off is not whole."""
        events = self._take(self._chat.finalize(length=length, stopped=stopped))
        self._leave_waiting(events)
        self._end_open(events, is_cut=length)
        return events

    def _break_off(self, events: list[StreamEvent]) -> None:
        """End what is open as it is: not whole, unless that was said."""
        part, self._open = self._open, None
        if part is not None:
            self._end(part, events)
            part.drop_text()

    def _values(self) -> list[dict[str, Any]]:
        """Give what the final object has of the parts: a call is whole, or it is not there."""
        return [
            part.value
            for part in self._parts
            if part.value is not None
            # Of a list of calls, one that had ended can turn out to be unread.
            and (part.kind != "call" or (part.is_whole and not self._is_unread(part)))
        ]

    def _take_text(self, kind: PartKind, text: str, events: list[StreamEvent]) -> None:
        self._leave_waiting(events)
        part = self._open
        if part is None or part.kind != kind:
            part = AnswerPart(kind, len(self._parts))
            self._begin_next(part, events)
        part.write(text)
        self._add(part, text, events)

    def _take_call(self, call: dict[str, Any], events: list[StreamEvent]) -> None:
        """Take what a delta has of a call, unless that has to wait."""
        part = self._open
        if part is None or part.kind != "call" or part.call_index == call["index"]:
            self._take_call_in_order(call, events)
        elif self._waiting or part.is_empty:
            # Of a list of calls, arguments that are no object come when the list is whole. Parts go out in order.
            self._waiting.append(call)
        else:
            self._take_call_in_order(call, events)

    def _take_call_in_order(self, call: dict[str, Any], events: list[StreamEvent]) -> None:
        arguments: str = call["function"].get("arguments") or ""
        if "id" not in call:
            self._add_arguments(arguments, events)
            self._take_waiting(events)
            return
        if arguments and not self._can_hold(call):
            return
        identity = call["id"] if call["id"] not in self._call_ids else self._make_call_id()
        self._call_ids.add(identity)
        part = AnswerPart("call", len(self._parts), call["index"], identity, call["function"]["name"])
        self._begin_next(part, events)
        if arguments:
            self._add_arguments(arguments, events)
            # Arguments that are streamed come behind the name: with it, they are all there are.
            self._end_open(events)

    def _add_arguments(self, text: str, events: list[StreamEvent]) -> None:
        if text and self._open is not None:
            self._open.write(text)
            self._add(self._open, text, events)

    def _take_waiting(self, events: list[StreamEvent]) -> None:
        """Take the calls that have waited for arguments of the one before them."""
        waiting, self._waiting = self._waiting, []
        for call in waiting:
            self._take_call(call, events)

    def _leave_waiting(self, events: list[StreamEvent]) -> None:
        """Take the calls that wait: nothing more comes of those before them."""
        while self._waiting:
            self._take_call_in_order(self._waiting.pop(0), events)
            self._take_waiting(events)

    def _begin_next(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        self._end_open(events)
        self._open = part
        self._parts.append(part)
        self._begin(part, events)

    def _end_open(self, events: list[StreamEvent], *, is_cut: bool = False) -> None:
        part = self._open
        if part is not None and part.kind == "call":
            # The limit says nothing of a call that was whole before it was reached.
            part.is_whole = not part.is_empty and not self._is_unread(part)
        elif part is not None:
            part.is_whole = not is_cut
        self._break_off(events)

    def _is_unread(self, part: AnswerPart) -> bool:
        """Tell whether a call is known not to be in the message."""
        return any(part.call_index in region.indexes for region in self._chat.unread)
