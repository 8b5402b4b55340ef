"""A server of chat completions, responses and messages: python server.py [PORT]

It runs at once, with an engine that writes from a script. Put in yours for `ENGINE`, your model's for `ServingParser`,
and for `written_prompt` what your tokenizer's `apply_chat_template` makes with `add_generation_prompt=True`.
"""

from __future__ import annotations

import json
import logging
import sys
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from respc_parsers.qwen3 import ServingParser
from respc_runtime.messages import make_tool_use_id
from respc_runtime.openai import make_call_id
from server_engine import Engine, Piece, ScriptedEngine, until_stop_string
from server_forms import (
    FAILURE,
    Chat,
    Form,
    completion_form,
    message_error,
    message_form,
    openai_error,
    response_form,
)
from server_requests import (
    Asked,
    RequestError,
    asked_of_chat,
    asked_of_messages,
    asked_of_responses,
    read_body,
)

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator

    from starlette.requests import Request
    from starlette.types import Receive, Scope, Send

    from server_forms import Event
    from server_requests import Body

MODEL: Final = "qwen3"


def scripted(prompt: str) -> Iterator[str]:
    """Write what the model of this example says."""
    asked = prompt.rpartition("<|im_start|>user\n")[2]
    if "<|im_start|>tool\n" in asked:
        yield "<think>\nThe tool has answered.\n</think>\n\nIt is sunny in Ålesund.<|im_end|>"
    elif "weather" in asked:
        yield "<think>\nI look it up.\n</think>\n\nOne moment.\n"
        yield '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Ålesund"}}\n</tool_call><|im_end|>'
    else:
        yield "<think>\nA greeting.\n</think>\n\nHello! Ask me about the weather.<|im_end|>"


ENGINE: Engine = ScriptedEngine(scripted, pause=0.02)


def written_prompt(asked: Asked) -> str:
    """Write the prompt, as the chat template of the model does; this one is simpler."""
    tools = json.dumps(asked.tools, ensure_ascii=False)
    turns = [f"<|im_start|>system\n{tools}<|im_end|>\n"] if asked.tools else []
    for message in asked.messages:
        calls = "".join(f"\n{json.dumps(call['function'])}" for call in message.get("tool_calls", ()))
        turns.append(f"<|im_start|>{message['role']}\n{message['content']}{calls}<|im_end|>\n")
    written = "".join(turns)
    return written.removesuffix("<|im_end|>\n") if asked.continues else f"{written}<|im_start|>assistant\n"


@dataclass(frozen=True)
class Api:
    """What is different from one API to another."""

    read: Callable[[Body], Asked]
    form: Callable[[Asked, Chat], Form]
    error: Callable[[str, str | None, int], Event]
    make_id: Callable[[], str]
    line: Callable[[Event], str]
    last_line: str = ""


def data_line(event: Event) -> str:
    """Write an event as chat completions have it. JSON in ASCII, because a line of text can break at U+2028."""
    return f"data: {json.dumps(event)}\n\n"


def named_line(event: Event) -> str:
    """Write an event as the other two have it."""
    return f"event: {event['type']}\n{data_line(event)}"


COMPLETIONS: Final = Api(
    asked_of_chat, completion_form, openai_error, make_call_id, data_line, "data: [DONE]\n\n"
)
RESPONSES: Final = Api(asked_of_responses, response_form, openai_error, make_call_id, named_line)
MESSAGES: Final = Api(asked_of_messages, message_form, message_error, make_tool_use_id, named_line)


class EventStream(StreamingResponse):
    """A stream of events. When the client goes away, its generator is closed, and so the generation."""

    def __init__(self, lines: AsyncGenerator[str, None]) -> None:
        super().__init__(lines, media_type="text/event-stream", headers={"cache-control": "no-cache"})
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        async with aclosing(self._lines):
            await super().__call__(scope, receive, send)


async def answer(request: Request, api: Api) -> Response:
    """Answer a request by one of the APIs."""
    try:
        asked = api.read(read_body(await request.body()))
        if asked.model != MODEL:
            raise RequestError(f"there is no model {asked.model!r}", "model", 404)
        prompt = written_prompt(asked)
        form = api.form(asked, Chat(ServingParser, prompt, asked, api.make_id, ENGINE.count_tokens(prompt)))
    except RequestError as error:
        return json_response(api.error(str(error), error.key, error.status), error.status)
    pieces = until_stop_string(ENGINE.generate(prompt, asked.max_tokens), asked.stop)
    if asked.streams:
        return EventStream(event_lines(api, form, pieces))
    return await whole_answer(request, api, form, pieces)


async def event_lines(api: Api, form: Form, pieces: AsyncGenerator[Piece, None]) -> AsyncGenerator[str, None]:
    """Write the events of a generation."""
    for event in form.start:
        yield api.line(event)
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                for event in [*form.feed(piece), *(form.finish(piece) if piece.ended else ())]:
                    yield api.line(event)
    except Exception:
        logging.exception("a generation failed")
        for event in form.fail():
            yield api.line(event)
        return
    if api.last_line:
        yield api.last_line


async def whole_answer(
    request: Request, api: Api, form: Form, pieces: AsyncGenerator[Piece, None]
) -> Response:
    """Give the final object of a generation."""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                form.feed(piece)
                if piece.ended:
                    form.finish(piece)
                elif await request.is_disconnected():
                    # Nobody reads this. Servers have the number for it in their logs.
                    return Response(status_code=499)
    except Exception:
        logging.exception("a generation failed")
        return json_response(api.error(FAILURE, None, 500), 500)
    return json_response(form.whole())


def json_response(value: Any, status: int = 200) -> Response:
    """Give a response with JSON in ASCII: arguments of a call can hold half of a surrogate pair."""
    return Response(json.dumps(value), status, media_type="application/json")


async def complete(request: Request) -> Response:
    """Answer with a chat completion."""
    return await answer(request, COMPLETIONS)


async def respond(request: Request) -> Response:
    """Answer with a response."""
    return await answer(request, RESPONSES)


async def send_message(request: Request) -> Response:
    """Answer with a message."""
    return await answer(request, MESSAGES)


async def models(request: Request) -> Response:
    """List the models."""
    model = {"id": MODEL, "object": "model", "created": 0, "owned_by": "example"}
    return json_response({"object": "list", "data": [model]})


app = Starlette(
    routes=[
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/v1/responses", respond, methods=["POST"]),
        Route("/v1/messages", send_message, methods=["POST"]),
        Route("/v1/models", models),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
