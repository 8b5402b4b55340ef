"""The Responses form of a generation: the events and the final object of OpenAI's Responses API.

Plain dicts, as a server writes them; the package `openai` is not needed.
"""

from __future__ import annotations

import secrets
from itertools import count
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from respc_runtime.answer_stream import AnswerStream, ChunkT
from respc_runtime.response_objects import ResponseObjects as ResponseObjects  # noqa: TC001 - given on
from respc_runtime.token_counts import TokenCounts as TokenCounts  # noqa: TC001 - given on

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.answer_stream import AnswerPart, ChatDeltas, StreamEvent
    from respc_runtime.response_objects import ResponseStatus


class ItemForm(NamedTuple):
    """How the text of an item goes out.

    Attributes:
        item: the keys of an item, and with `item_lists` those of its lists.
        item_lists: see `item`; they are empty at first.
        prefix: what the ids of such items begin with.
        parts_key: the list that its one part is in.
        index_key: the key by which events name the part.
        part_events: what the events of the part begin with.
        text_events: what the events of its text begin with.
        part: the type of the part.
        part_lists: lists that the part has beside its text, which stay empty.
        text_lists: lists that the events of its text have, which a server may fill.
    """

    item: dict[str, str]
    item_lists: tuple[str, ...]
    prefix: str
    parts_key: str
    index_key: str
    part_events: str
    text_events: str
    part: str
    part_lists: tuple[str, ...] = ()
    text_lists: tuple[str, ...] = ()

    @property
    def delta_event(self) -> str:
        """The event of more text."""
        return f"{self.text_events}.delta"


MESSAGE: Final = ItemForm(
    item={"type": "message", "role": "assistant"},
    item_lists=("content",),
    prefix="msg",
    parts_key="content",
    index_key="content_index",
    part_events="response.content_part",
    text_events="response.output_text",
    part="output_text",
    part_lists=("annotations", "logprobs"),
    text_lists=("logprobs",),
)
SUMMARY: Final = ItemForm(
    item={"type": "reasoning"},
    item_lists=("summary",),
    prefix="rs",
    parts_key="summary",
    index_key="summary_index",
    part_events="response.reasoning_summary_part",
    text_events="response.reasoning_summary_text",
    part="summary_text",
)
REASONING: Final = ItemForm(
    item={"type": "reasoning"},
    item_lists=("summary", "content"),
    prefix="rs",
    parts_key="content",
    index_key="content_index",
    part_events="response.content_part",
    text_events="response.reasoning_text",
    part="reasoning_text",
)
REASONING_FORMS: Final = {"summary": SUMMARY, "text": REASONING}


def make_item_id(prefix: str) -> str:
    """Make the id of an item: its prefix and 32 random hexadecimal digits."""
    return f"{prefix}_{secrets.token_hex(16)}"


class ResponseStream(AnswerStream[ChunkT]):
    """Turns the deltas of one generation into the events of a response, and its final object.

    Take `initial_events` first, then what `feed` gives for each chunk, then what `finalize` gives. The items that
    were done add up to the output of `response`, but for calls that were begun and are not whole.

    Args:
        chat: a `ChatCompletionParser` that was not fed yet.
        objects: makes the objects of the response.
        reasoning: whether reasoning goes out as the `summary` of its item, which all clients read, or as its `text`.
        make_id: makes the id of an item that begins with `rs`, `msg` or `fc`.

    Attributes:
        initial_events: that the response was created, and what the prompt has of the message.
        response: the final object, after `finalize` or `fail`.
    """

    __slots__ = (
        "_make_id",
        "_numbers",
        "_objects",
        "_reasoning",
        "initial_events",
        "response",
    )

    def __init__(
        self,
        chat: ChatDeltas[ChunkT],
        objects: ResponseObjects,
        *,
        reasoning: Literal["summary", "text"] = "summary",
        make_id: Callable[[str], str] = make_item_id,
    ) -> None:
        if reasoning not in REASONING_FORMS:
            raise ValueError(f"`reasoning` is {reasoning!r}: it has to be 'summary' or 'text'")
        super().__init__(chat)
        self._objects = objects
        self._reasoning = REASONING_FORMS[reasoning]
        self._make_id = make_id
        self._numbers = count()
        self.response: dict[str, Any] | None = None
        self.initial_events: list[StreamEvent] = [
            self._event("response.created", response=objects.response("in_progress", [])),
            self._event("response.in_progress", response=objects.response("in_progress", [])),
            *self._take(chat.initial_deltas),
        ]

    def finalize(
        self, *, length: bool = False, stopped: bool = False, usage: TokenCounts | None = None
    ) -> list[StreamEvent]:
        """End the generation and give the last events.

        Args:
            length: the generation was cut off by a limit: the response is incomplete.
            stopped: the model ended its turn itself, by a stop token that was left out of the text.
            usage: the tokens of the request.

        Raises:
            ValueError: a required field is missing, or another error of the parser.
        """
        events = self._finish(length=length, stopped=stopped)
        status: ResponseStatus = "incomplete" if length else "completed"
        self.response = self._objects.response(status, self._values(), usage=usage)
        return [*events, self._event(f"response.{status}", response=self.response)]

    def fail(
        self, message: str, *, code: str = "server_error", usage: TokenCounts | None = None
    ) -> list[StreamEvent]:
        """End a response that cannot go on, and give its last events.

        Args:
            message: what went wrong, for the user to read.
            code: one of the codes that the API has for it.
            usage: the tokens of the request.
        """
        events: list[StreamEvent] = []
        self._break_off(events)
        error = {"code": code, "message": message}
        self.response = self._objects.response("failed", self._values(), usage=usage, error=error)
        return [*events, self._event("response.failed", response=self.response)]

    def _event(self, kind: str, /, **keys: Any) -> StreamEvent:
        return {"type": kind, "sequence_number": next(self._numbers), **keys}

    def _form(self, part: AnswerPart) -> ItemForm | None:
        """Give the form of a part that is text."""
        if part.kind == "call":
            return None
        return self._reasoning if part.kind == "reasoning" else MESSAGE

    def _begin(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        form = self._form(part)
        part.id = self._make_id("fc" if form is None else form.prefix)
        item = self._item(part, "in_progress")
        events.append(self._event("response.output_item.added", output_index=part.index, item=item))
        if form is not None:
            added = text_part(form, "")
            events.append(self._part_event(part, f"{form.part_events}.added", form, part=added))

    def _add(self, part: AnswerPart, text: str, events: list[StreamEvent]) -> None:
        form = self._form(part)
        if form is None:
            events.append(self._item_event(part, "response.function_call_arguments.delta", delta=text))
            return
        # Written out, because there is one for each token.
        event: StreamEvent = {
            "type": form.delta_event,
            "sequence_number": next(self._numbers),
            "item_id": part.id,
            "output_index": part.index,
            form.index_key: 0,
            "delta": text,
        }
        for key in form.text_lists:
            event[key] = []
        events.append(event)

    def _end(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        form, text = self._form(part), part.text
        item = self._item(part, "completed" if part.is_whole else "incomplete")
        if form is not None:
            lists = empty_lists(form.text_lists)
            done = text_part(form, text)
            events.append(self._part_event(part, f"{form.text_events}.done", form, text=text, **lists))
            events.append(self._part_event(part, f"{form.part_events}.done", form, part=done))
            item[form.parts_key] = [text_part(form, text)]
        else:
            item["arguments"] = text
            if part.is_whole:
                kind = "response.function_call_arguments.done"
                events.append(self._item_event(part, kind, name=part.name, arguments=text))
        part.value = item
        events.append(self._event("response.output_item.done", output_index=part.index, item=item))

    def _item(
        self, part: AnswerPart, status: Literal["in_progress", "completed", "incomplete"]
    ) -> dict[str, Any]:
        form = self._form(part)
        if form is not None:
            return {"id": part.id, **form.item, **empty_lists(form.item_lists), "status": status}
        call = {"type": "function_call", "call_id": part.call_id, "name": part.name, "arguments": ""}
        return {"id": part.id, **call, "status": status}

    def _item_event(self, part: AnswerPart, kind: str, /, **keys: Any) -> StreamEvent:
        return self._event(kind, item_id=part.id, output_index=part.index, **keys)

    def _part_event(self, part: AnswerPart, kind: str, form: ItemForm, /, **keys: Any) -> StreamEvent:
        """Give an event of the one part that an item of text has."""
        return self._item_event(part, kind, **{form.index_key: 0}, **keys)


def text_part(form: ItemForm, text: str) -> dict[str, Any]:
    """Give the part of an item with its text."""
    return {"type": form.part, "text": text, **empty_lists(form.part_lists)}


def empty_lists(keys: tuple[str, ...]) -> dict[str, list[Any]]:
    """Give a list of its own for each key: events belong to whoever takes them."""
    return {key: [] for key in keys}
