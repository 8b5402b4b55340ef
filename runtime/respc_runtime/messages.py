"""The Messages form of a generation: the events and the final object of Anthropic's Messages API.

Plain dicts, as a server writes them; the package `anthropic` is not needed.
"""

from __future__ import annotations

import hashlib
import json
import math
import secrets
from typing import TYPE_CHECKING, Any, Final, NoReturn

from respc_runtime.answer_stream import AnswerStream, ChunkT
from respc_runtime.call_deltas import whole_call
from respc_runtime.json_bodies import can_be_encoded
from respc_runtime.message_objects import MessageObjects as MessageObjects  # noqa: TC001 - given on
from respc_runtime.token_counts import TokenCounts as TokenCounts

if TYPE_CHECKING:
    from collections.abc import Callable

    from respc_runtime.answer_stream import AnswerPart, ChatDeltas, StreamEvent
    from respc_runtime.json_bodies import JsonValue
    from respc_runtime.message_objects import StopReason


# By the kind of a part: the delta that has its text, and the key of it there.
DELTAS: Final = {
    "reasoning": ("thinking_delta", "thinking"),
    "text": ("text_delta", "text"),
    "call": ("input_json_delta", "partial_json"),
}


def make_tool_use_id() -> str:
    """Make an id for a call, as the API has them: `toolu_` and 24 random hexadecimal digits."""
    return f"toolu_{secrets.token_hex(12)}"


def digest_signature(thinking: str) -> str:
    """Give the SHA-256 of thinking. It tells whether a block comes back as it was, and proves nothing else."""
    return hashlib.sha256(thinking.encode("utf-8", "surrogatepass")).hexdigest()


class MessageStream(AnswerStream[ChunkT]):
    """Turns the deltas of one generation into the events of a message, and its final object.

    Take `initial_events` first, then what `feed` gives for each chunk, then what `finalize` gives. The blocks add up to
    the content of `message`, but for calls that were begun and are not whole.

    Args:
        chat: a `ChatCompletionParser` that was not fed yet; with `make_id=make_tool_use_id`, ids are as the API's.
        objects: makes the objects of the message.
        usage: the tokens of the prompt, which a message begins with.
        sign: makes the signature of a block of thinking, which clients send back with it.

    Attributes:
        initial_events: the start of the message, and what the prompt has of it.
        message: the final object, after `finalize`.
        without_input: calls that are whole, as the chat form has them, and can be no part of a message: their
            arguments are no object, or hold what no body of JSON can (`NaN`, half of a surrogate pair).
    """

    __slots__ = ("_objects", "_sign", "_usage", "initial_events", "message", "without_input")

    def __init__(
        self,
        chat: ChatDeltas[ChunkT],
        objects: MessageObjects,
        *,
        usage: TokenCounts | None = None,
        sign: Callable[[str], str] = digest_signature,
    ) -> None:
        super().__init__(chat, make_tool_use_id)
        self._objects = objects
        self._usage = TokenCounts(0) if usage is None else usage
        self._sign = sign
        self.without_input: list[dict[str, Any]] = []
        self.message: dict[str, Any] | None = None
        started = objects.message([], self._usage)
        self.initial_events: list[StreamEvent] = [
            {"type": "message_start", "message": started},
            *self._take(chat.initial_deltas),
        ]

    def finalize(
        self,
        *,
        length: bool = False,
        stopped: bool = False,
        stop_sequence: str | None = None,
        usage: TokenCounts | None = None,
    ) -> list[StreamEvent]:
        """End the generation and give the last events.

        Args:
            length: the generation was cut off by a limit.
            stopped: the model ended its turn itself, by a stop token that was left out of the text.
            stop_sequence: the stop string of the request that ended the generation.
            usage: the tokens of the request.

        Raises:
            ValueError: a required field is missing, or another error of the parser.
        """
        events = self._finish(length=length, stopped=stopped)
        if usage is not None:
            self._usage = usage
        content = self._values()
        reason: StopReason = "end_turn"
        if length:
            reason, stop_sequence = "max_tokens", None
        elif stop_sequence is not None:
            reason = "stop_sequence"
        elif self._calls_can_be_run(content):
            reason = "tool_use"
        self.message = self._objects.message(content, self._usage, reason, stop_sequence)
        delta = {"stop_reason": reason, "stop_sequence": stop_sequence}
        return [
            *events,
            {"type": "message_delta", "delta": delta, "usage": self._usage.message_usage()},
            {"type": "message_stop"},
        ]

    def fail(self, message: str, *, kind: str = "api_error") -> list[StreamEvent]:
        """Give the event that ends a message which cannot go on."""
        return [self._objects.error(kind, message)]

    def _calls_can_be_run(self, content: list[dict[str, Any]]) -> bool:
        """Tell whether there are calls, and none of those that clients have is other than whole."""
        calls = sum(part.kind == "call" for part in self._parts)
        whole: int = sum(block["type"] == "tool_use" for block in content)
        return 0 < calls == whole

    def _can_hold(self, call: dict[str, Any]) -> bool:
        return self._input(call["id"], **call["function"]) is not None

    def _begin(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        block: dict[str, Any]
        if part.kind == "call":
            block = {"type": "tool_use", "id": part.call_id, "name": part.name, "input": {}}
        elif part.kind == "text":
            block = {"type": "text", "text": ""}
        else:
            block = {"type": "thinking", "thinking": "", "signature": ""}
        events.append({"type": "content_block_start", "index": part.index, "content_block": block})

    def _add(self, part: AnswerPart, text: str, events: list[StreamEvent]) -> None:
        kind, key = DELTAS[part.kind]
        events.append(block_delta(part, {"type": kind, key: text}))

    def _end(self, part: AnswerPart, events: list[StreamEvent]) -> None:
        text = part.text
        if part.kind == "call":
            value = self._input(part.call_id, part.name, text) if part.is_whole else None
            if value is not None:
                part.value = {"type": "tool_use", "id": part.call_id, "name": part.name, "input": value}
        elif part.kind == "text":
            part.value = {"type": "text", "text": text}
        else:
            signature = self._sign(text)
            part.value = {"type": "thinking", "thinking": text, "signature": signature}
            events.append(block_delta(part, {"type": "signature_delta", "signature": signature}))
        events.append({"type": "content_block_stop", "index": part.index})

    def _input(self, call_id: str, name: str, arguments: str) -> dict[str, Any] | None:
        """Give the input of a call, if a message can hold its arguments; else note the call."""
        try:
            return strict_object(arguments)
        except (ValueError, RecursionError):
            self.without_input.append(whole_call(call_id, name, arguments))
            return None


def block_delta(part: AnswerPart, delta: dict[str, Any]) -> StreamEvent:
    """Give the event of a delta of a block."""
    return {"type": "content_block_delta", "index": part.index, "delta": delta}


def strict_object(text: str) -> dict[str, Any]:
    """Read an object of JSON in the narrow sense, so that it can be written into a body again.

    Raises:
        ValueError: it is no object, or has a number that is none or that no float holds, or half a character.
        RecursionError: it is nested too deeply.
    """
    value: JsonValue = json.loads(text, parse_constant=refuse_number, parse_float=finite_float)
    if not isinstance(value, dict):
        raise ValueError("the arguments are no object")
    if "\\u" in text and not can_be_encoded(json.dumps(value, ensure_ascii=False)):
        raise ValueError("a text has half of a surrogate pair")
    return value


def finite_float(text: str) -> float:
    """Read a number, unless it is too large for a float."""
    number = float(text)
    return number if math.isfinite(number) else refuse_number(text)


def refuse_number(text: str) -> NoReturn:
    """Refuse `NaN`, `Infinity` and what is as large."""
    raise ValueError(f"JSON has no number {text[:40]}")
