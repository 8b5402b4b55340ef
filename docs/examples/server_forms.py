"""The forms of `server.py`: one generation as a chat completion, a response or a message."""

from __future__ import annotations

import logging
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from respc_runtime.messages import MessageObjects, MessageStream, TokenCounts
from respc_runtime.openai import OPENAI_TEXTS, ChatCompletionParser, CompletionObjects
from respc_runtime.responses import ResponseObjects, ResponseStream
from server_requests import object_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.call_deltas import Delta
    from respc_runtime.openai import UnreadRegion
    from server_engine import Piece
    from server_requests import Asked

Event: TypeAlias = dict[str, Any]

FAILURE: Final = "the generation failed"
REASONING_KEYS: Final = ("reasoning_content", "reasoning")
"""How clients of chat completions call it: those of SGLang and transformers the first, those of vLLM the second."""


class Chat:
    """The deltas of one generation, with its tokens counted."""

    def __init__(
        self, parser: Any, prompt: str, asked: Asked, make_id: Callable[[], str], prompt_tokens: int
    ) -> None:
        self._asked = asked
        self._prompt_tokens = prompt_tokens
        self._tokens = self._reasoning_tokens = 0
        self.parser = ChatCompletionParser(
            parser,
            prompt,
            tools=asked.prepared,
            # Clients run what they get, so they get whole calls. `stream_arguments=True` instead shows long ones
            # while they are written.
            whole_calls=True,
            prefill=not asked.continues,
            make_id=make_id,
        )

    @property
    def initial_deltas(self) -> list[Delta]:
        """The role, and what the prompt has of the message."""
        return self.parser.initial_deltas

    @property
    def unread(self) -> list[UnreadRegion]:
        """The regions that are not in the message."""
        return self.parser.unread

    def feed(self, piece: Piece) -> list[Delta]:
        """Take the next piece and give its deltas."""
        deltas = self._wanted(self.parser.feed(piece.text))
        self._tokens += piece.tokens
        if OPENAI_TEXTS.get(self.parser.open_field or "") == "reasoning_content":
            self._reasoning_tokens += piece.tokens
        return deltas

    def finalize(self, *, length: bool = False, stopped: bool = False) -> list[Delta]:
        """End the generation and give the last deltas."""
        deltas = self._wanted(self.parser.finalize(length=length, stopped=stopped))
        for region in self.unread:
            logging.warning("a generation has what is not in its message: %s", region.error)
        return deltas

    @property
    def usage(self) -> TokenCounts:
        """The tokens so far."""
        return TokenCounts(self._prompt_tokens, self._tokens, self._reasoning_tokens)

    def _wanted(self, deltas: list[Delta]) -> list[Delta]:
        """Leave calls out but for the first one, where the request does not want several."""
        if self._asked.parallel:
            return deltas
        return [delta for delta in deltas if all(call["index"] == 0 for call in delta.get("tool_calls", ()))]


@dataclass(frozen=True)
class Form:
    """A generation as one of the APIs has it.

    Attributes:
        start: the events that begin a stream.
        feed: gives the events of a piece.
        finish: takes the last piece, which says how the generation ended, and gives the last events.
        fail: gives the events that end a stream in which something went wrong.
        whole: gives the final object.
    """

    start: list[Event]
    feed: Callable[[Piece], list[Event]]
    finish: Callable[[Piece], list[Event]]
    fail: Callable[[], list[Event]]
    whole: Callable[[], Event]


def completion_form(asked: Asked, chat: Chat) -> Form:
    """Give the form of a chat completion."""
    objects = CompletionObjects(f"chatcmpl-{secrets.token_hex(12)}", asked.model, int(time.time()))
    options = object_of(asked.body, "stream_options")

    def chunks(deltas: list[Delta]) -> list[Event]:
        return [objects.chunk(with_both_names(delta)) for delta in deltas]

    def finish(last: Piece) -> list[Event]:
        deltas = chat.finalize(length=last.ended == "length", stopped=last.ended == "stop token")
        events = [*chunks(deltas), objects.last_chunk(chat.parser.finish_reason)]
        if options.get("include_usage"):
            events.append(objects.usage_chunk(chat.usage.completion_usage()))
        return events

    def whole() -> Event:
        message = with_both_names(chat.parser.message or {})
        if not asked.parallel and "tool_calls" in message:
            message["tool_calls"] = message["tool_calls"][:1]
        return objects.completion(message, chat.parser.finish_reason, chat.usage.completion_usage())

    return Form(
        start=chunks(chat.initial_deltas),
        feed=lambda piece: chunks(chat.feed(piece)),
        finish=finish,
        fail=lambda: [openai_error(FAILURE, None, 500)],
        whole=whole,
    )


def response_form(asked: Asked, chat: Chat) -> Form:
    """Give the form of a response."""
    objects = ResponseObjects(f"resp_{secrets.token_hex(12)}", asked.model, int(time.time()), asked.body)
    stream = ResponseStream(chat, objects)
    return Form(
        start=stream.initial_events,
        feed=stream.feed,
        finish=lambda last: stream.finalize(
            length=last.ended == "length", stopped=last.ended == "stop token", usage=chat.usage
        ),
        fail=lambda: stream.fail(FAILURE, usage=chat.usage),
        whole=lambda: stream.response or {},
    )


def message_form(asked: Asked, chat: Chat) -> Form:
    """Give the form of a message."""
    objects = MessageObjects(f"msg_{secrets.token_hex(12)}", asked.model)
    stream = MessageStream(chat, objects, usage=chat.usage)
    return Form(
        start=[*stream.initial_events, objects.ping()],
        feed=stream.feed,
        finish=lambda last: stream.finalize(
            length=last.ended == "length",
            stopped=last.ended == "stop token",
            stop_sequence=last.stop_string,
            usage=chat.usage,
        ),
        fail=lambda: stream.fail(FAILURE),
        whole=lambda: stream.message or {},
    )


def with_both_names(message: dict[str, Any]) -> dict[str, Any]:
    """Give a delta or a message with its reasoning under each name that clients know."""
    if "reasoning_content" not in message:
        return dict(message)
    return {**message, **dict.fromkeys(REASONING_KEYS, message["reasoning_content"])}


def openai_error(message: str, key: str | None, status: int) -> Event:
    """Give an error as chat completions and responses have it."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    code = "model_not_found" if status == 404 else None
    return {"error": {"message": message, "type": kind, "param": key, "code": code}}


def message_error(message: str, key: str | None, status: int) -> Event:
    """Give an error as messages have it."""
    kinds = {400: "invalid_request_error", 404: "not_found_error"}
    return MessageObjects.error(kinds.get(status, "api_error"), message)
